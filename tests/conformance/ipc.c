#include "claims.h"
#include "peer.h"

#include <unistd.h>

enum { SIZE = 8 << 20, SMALL = 5000 };

/* What one process tells the other. */
struct message {
	CUipcMemHandle memory;
	CUipcEventHandle event;
};

static CUresult handle_open(CUdeviceptr *ptr, const CUipcMemHandle *handle)
{
	return cuIpcOpenMemHandle(ptr, *handle,
				  CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}

static int reads_and_writes(int socket)
{
	CUdeviceptr ptr, again, base;
	struct message message;
	unsigned char seen[2];
	size_t size;

	peer_read(socket, &message, sizeof(message));
	peer_open();
	want(!handle_open(&ptr, &message.memory));
	want(!handle_open(&again, &message.memory));
	want(again == ptr);
	want(!cuMemGetAddressRange(&base, &size, ptr + 100));
	want(base == ptr && size == SIZE);
	want(!cuMemcpyDtoH(seen, ptr + SIZE - 2, 2));
	want(seen[0] == 7 && seen[1] == 7);
	want(!cuMemsetD8(ptr + 10, 9, 1));
	want(!cuCtxSynchronize());
	want(cuMemFree(ptr) == CUDA_ERROR_INVALID_VALUE);
	want(!cuIpcCloseMemHandle(ptr));
	want(!cuMemcpyDtoH(seen, ptr, 1));
	want(!cuIpcCloseMemHandle(ptr));
	want(cuIpcCloseMemHandle(ptr));
	return 0;
}

START_TEST(another_process_has_the_same_memory)
{
	struct peer peer = peer_start(reads_and_writes);
	struct message message;
	unsigned char seen[2];
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_ok(cuMemsetD8(ptr, 7, SIZE));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_ok(cuIpcGetMemHandle(&message.memory, ptr));
	peer_tell(&peer, &message, sizeof(message));
	ck_assert_int_eq(peer_end(&peer), 0);
	ck_assert_ok(cuMemcpyDtoH(seen, ptr + 9, 2));
	ck_assert_int_eq(seen[0], 7);
	ck_assert_int_eq(seen[1], 9);
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

/* In a stream of another device, if there is one. */
static int leaves_a_copy_behind(int socket)
{
	const size_t size = 64 << 20;
	struct message message;
	CUdeviceptr ptr, other;
	CUcontext here, there;
	CUdevice device;
	int count;

	peer_read(socket, &message, sizeof(message));
	peer_open();
	want(!cuCtxGetCurrent(&here) && !cuDeviceGetCount(&count));
	want(!handle_open(&ptr, &message.memory));
	want(!cuDeviceGet(&device, count - 1));
	want(!cuDevicePrimaryCtxRetain(&there, device));
	want(!cuCtxSetCurrent(there));
	want(!cuMemAlloc(&other, size));
	for (int i = 0; i < 8; i++)
		want(!cuMemcpyPeerAsync(other, there, ptr, here, size, NULL));
	want(!cuCtxSetCurrent(here));
	want(!cuIpcCloseMemHandle(ptr));
	want(!cuCtxSetCurrent(there));
	want(!cuCtxSynchronize());
	return 0;
}

START_TEST(closing_waits_for_the_work_of_every_device)
{
	struct peer peer = peer_start(leaves_a_copy_behind);
	struct message message;
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64 << 20));
	ck_assert_ok(cuMemsetD8(ptr, 7, 64 << 20));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_ok(cuIpcGetMemHandle(&message.memory, ptr));
	peer_tell(&peer, &message, sizeof(message));
	ck_assert_int_eq(peer_end(&peer), 0);
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

static int reads_the_base(int socket)
{
	struct message message;
	unsigned char seen;
	CUdeviceptr ptr;

	peer_read(socket, &message, sizeof(message));
	peer_open();
	want(!handle_open(&ptr, &message.memory));
	want(!cuMemcpyDtoH(&seen, ptr, 1));
	want(seen == 3);
	return 0;
}

START_TEST(an_inner_address_gives_the_handle_of_its_block)
{
	struct peer peer = peer_start(reads_the_base);
	CUdeviceptr other, ptr;
	struct message message;

	claims_open();
	ck_assert_ok(cuMemAlloc(&other, SMALL));
	ck_assert_ok(cuMemAlloc(&ptr, SMALL));
	ck_assert_ok(cuMemsetD8(other, 1, SMALL));
	ck_assert_ok(cuMemsetD8(ptr, 2, SMALL));
	ck_assert_ok(cuMemsetD8(ptr, 3, 1));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_ok(cuIpcGetMemHandle(&message.memory, ptr + 1000));
	peer_tell(&peer, &message, sizeof(message));
	ck_assert_int_eq(peer_end(&peer), 0);
}
END_TEST

START_TEST(a_process_cannot_open_its_own_handle)
{
	CUipcMemHandle handle;
	CUdeviceptr ptr, opened;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_ok(cuIpcGetMemHandle(&handle, ptr));
	ck_assert_cu(handle_open(&opened, &handle), CUDA_ERROR_INVALID_CONTEXT);
}
END_TEST

START_TEST(each_allocation_has_a_handle_of_its_own)
{
	CUipcMemHandle first, again, second;
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_ok(cuIpcGetMemHandle(&first, ptr));
	ck_assert_ok(cuIpcGetMemHandle(&again, ptr));
	ck_assert_mem_eq(&first, &again, sizeof(first));
	ck_assert_ok(cuMemFree(ptr));
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_ok(cuIpcGetMemHandle(&second, ptr));
	ck_assert_mem_ne(&first, &second, sizeof(first));
}
END_TEST

START_TEST(only_plain_device_memory_has_a_handle)
{
	CUipcMemHandle handle;
	CUdeviceptr ptr;
	void *host;

	claims_open();
	ck_assert_ok(cuMemAllocManaged(&ptr, SIZE, CU_MEM_ATTACH_GLOBAL));
	ck_assert_cu(cuIpcGetMemHandle(&handle, ptr), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemAllocHost(&host, SIZE));
	ck_assert_cu(cuIpcGetMemHandle(&handle, (CUdeviceptr)host),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(opening_needs_its_flag)
{
	CUipcMemHandle handle;
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_ok(cuIpcGetMemHandle(&handle, ptr));
	ck_assert_cu(cuIpcOpenMemHandle(&ptr, handle, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(only_opened_memory_is_closed)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_cu(cuIpcCloseMemHandle(ptr), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

/* Says that the event is not reached, then reads what was written before it. */
static int waits_for_the_event(int socket)
{
	struct message message;
	unsigned char seen;
	CUdeviceptr ptr;
	CUstream stream;
	CUevent event;

	peer_read(socket, &message, sizeof(message));
	peer_open();
	want(!handle_open(&ptr, &message.memory));
	want(!cuIpcOpenEventHandle(&event, message.event));
	want(!cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	want(!cuStreamWaitEvent(stream, event, 0));
	want(!cuMemsetD8Async(ptr + 1, 6, 1, stream));
	want(cuEventQuery(event) == CUDA_ERROR_NOT_READY);
	want(cuStreamQuery(stream) == CUDA_ERROR_NOT_READY);
	want(write(socket, "r", 1) == 1);
	want(!cuEventSynchronize(event));
	want(!cuMemcpyDtoH(&seen, ptr, 1));
	want(seen == 5);
	want(!cuStreamSynchronize(stream));
	want(!cuEventQuery(event));
	want(!cuEventDestroy(event));
	return 0;
}

static CUevent shared_event(void)
{
	CUevent event;

	ck_assert_ok(cuEventCreate(&event, CU_EVENT_INTERPROCESS |
						   CU_EVENT_DISABLE_TIMING));
	return event;
}

START_TEST(another_process_waits_for_an_event)
{
	struct peer peer = peer_start(waits_for_the_event);
	struct message message;
	unsigned char seen[2];
	CUdeviceptr ptr;
	CUstream stream;
	CUevent event;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	event = shared_event();
	ck_assert_ok(cuEventQuery(event));
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_ok(cuIpcGetMemHandle(&message.memory, ptr));
	ck_assert_ok(cuIpcGetEventHandle(&message.event, event));
	claims_hold(stream);
	ck_assert_ok(cuMemsetD8Async(ptr, 5, 2, stream));
	ck_assert_ok(cuEventRecord(event, stream));
	peer_tell(&peer, &message, sizeof(message));
	peer_hear(&peer);
	ck_assert_cu(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_int_eq(peer_end(&peer), 0);
	ck_assert_ok(cuEventQuery(event));
	ck_assert_ok(cuMemcpyDtoH(seen, ptr, 2));
	ck_assert_int_eq(seen[0], 5);
	ck_assert_int_eq(seen[1], 6);
}
END_TEST

static int records_the_event(int socket)
{
	struct message message;
	CUdeviceptr ptr;
	CUevent event;

	peer_read(socket, &message, sizeof(message));
	peer_open();
	want(!handle_open(&ptr, &message.memory));
	want(!cuIpcOpenEventHandle(&event, message.event));
	want(!cuMemsetD8Async(ptr, 4, 1, NULL));
	want(!cuEventRecord(event, NULL));
	want(write(socket, "r", 1) == 1);
	want(read(socket, &message, 1) == 0);
	return 0;
}

START_TEST(another_process_may_record_the_event)
{
	struct peer peer = peer_start(records_the_event);
	struct message message;
	unsigned char seen;
	CUdeviceptr ptr;
	CUevent event;

	claims_open();
	event = shared_event();
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_ok(cuIpcGetMemHandle(&message.memory, ptr));
	ck_assert_ok(cuIpcGetEventHandle(&message.event, event));
	peer_tell(&peer, &message, sizeof(message));
	peer_hear(&peer);
	ck_assert_ok(cuEventSynchronize(event));
	ck_assert_ok(cuMemcpyDtoH(&seen, ptr, 1));
	ck_assert_int_eq(seen, 4);
	ck_assert_int_eq(peer_end(&peer), 0);
}
END_TEST

START_TEST(an_event_of_one_process_has_no_handle)
{
	CUipcEventHandle handle;

	claims_open();
	ck_assert_cu(cuIpcGetEventHandle(&handle, claims_event()),
		     CUDA_ERROR_INVALID_HANDLE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		another_process_has_the_same_memory,
		closing_waits_for_the_work_of_every_device,
		an_inner_address_gives_the_handle_of_its_block,
		a_process_cannot_open_its_own_handle,
		each_allocation_has_a_handle_of_its_own,
		only_plain_device_memory_has_a_handle,
		opening_needs_its_flag,
		only_opened_memory_is_closed,
		another_process_waits_for_an_event,
		another_process_may_record_the_event,
		an_event_of_one_process_has_no_handle,
		NULL,
	};

	return claims_run("ipc", tests);
}
