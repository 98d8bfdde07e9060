/* What the CUDA runtime promises about memory pools that other processes open.
 * It is true of NVIDIA's runtime and of the simulated one. */
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "claims.h"

enum { SIZE = 100000 };

static const cudaMemAllocationHandleType by_file =
	cudaMemHandleTypePosixFileDescriptor;

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* Sends data and an open file, or receives them. */
static struct msghdr message_of(struct iovec *part, union control *control)
{
	struct msghdr message = {};

	message.msg_iov = part;
	message.msg_iovlen = 1;
	message.msg_control = control;
	message.msg_controllen = sizeof(*control);
	return message;
}

static bool give(int socket, struct cudaMemPoolPtrExportData *data, int file)
{
	struct iovec part = {data, sizeof(*data)};
	union control control = {};
	struct msghdr message = message_of(&part, &control);

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(file));
	memcpy(CMSG_DATA(&control.header), &file, sizeof(file));
	return sendmsg(socket, &message, 0) == (ssize_t)sizeof(*data);
}

static int take(int socket, struct cudaMemPoolPtrExportData *data)
{
	struct iovec part = {data, sizeof(*data)};
	union control control = {};
	struct msghdr message = message_of(&part, &control);
	int file = -1;

	if (recvmsg(socket, &message, 0) == (ssize_t)sizeof(*data))
		memcpy(&file, CMSG_DATA(&control.header), sizeof(file));
	return file;
}

/* The second process. Returns whether it has found the other's nines. */
static bool finds_the_memory(int socket)
{
	struct cudaMemPoolPtrExportData data;
	int file = take(socket, &data);
	cudaMemPool_t pool;
	unsigned char seen = 0;
	void *ptr;

	return !cudaMemPoolImportFromShareableHandle(
		       &pool, (void *)(intptr_t)file, by_file, 0) &&
	       !cudaMemPoolImportPointer(&ptr, pool, &data) &&
	       !cudaMemcpy(&seen, (char *)ptr + SIZE - 1, 1,
			   cudaMemcpyDefault) &&
	       !cudaFree(ptr) && seen == 9;
}

static void share(int socket)
{
	struct cudaMemPoolProps props = {};
	struct cudaMemPoolPtrExportData data;
	cudaMemPool_t pool;
	int file;
	void *ptr;

	props.allocType = cudaMemAllocationTypePinned;
	props.handleTypes = by_file;
	props.location.type = cudaMemLocationTypeDevice;
	ck_assert_success(cudaMemPoolCreate(&pool, &props));
	ck_assert_success(cudaMallocFromPoolAsync(&ptr, SIZE, pool, 0));
	ck_assert_success(cudaMemset(ptr, 9, SIZE));
	ck_assert_success(cudaDeviceSynchronize());
	ck_assert_success(
		cudaMemPoolExportToShareableHandle(&file, pool, by_file, 0));
	ck_assert_success(cudaMemPoolExportPointer(&data, ptr));
	ck_assert(give(socket, &data, file));
}

START_TEST(another_process_has_the_same_memory_of_a_pool)
{
	int types, status, ends[2];
	pid_t other;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	other = fork(); /* before this process uses CUDA */
	if (!other) {
		close(ends[1]);
		_exit(!finds_the_memory(ends[0]));
	}
	close(ends[0]);
	ck_assert_success(cudaDeviceGetAttribute(
		&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
	if (!(types & by_file))
		return;
	share(ends[1]);
	ck_assert_int_eq(waitpid(other, &status, 0), other);
	ck_assert_int_eq(status, 0);
}
END_TEST

static const TTest *const tests[] = {
	another_process_has_the_same_memory_of_a_pool,
	NULL,
};

int main(void)
{
	return claims_run("runtime pool", tests);
}
