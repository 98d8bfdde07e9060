/* Pools that other processes open. Where a device has none there is nothing
 * to claim. */
#include "claims.h"
#include "peer.h"
#include "pools.h"

#include <stdbool.h>
#include <stdint.h>

enum { SIZE = 3 << 20 };

static const CUmemAllocationHandleType by_file =
	CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

struct message {
	CUmemPoolPtrExportData data;
	CUipcEventHandle event;
};

static bool can_share(void)
{
	int types;

	ck_assert_ok(cuDeviceGetAttribute(
		&types, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0));
	return types & by_file;
}

/* Gives the other process a pool and a block of it that is full of sevens. It
 * is not the first block of the pool. */
static CUdeviceptr share(const struct peer *peer, CUmemoryPool pool,
			 struct message *message)
{
	CUdeviceptr ptr;
	int file;

	ck_assert_ok(cuMemPoolExportToShareableHandle(&file, pool, by_file, 0));
	peer_give(peer, file);
	close(file);
	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, SIZE, pool, NULL));
	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, SIZE, pool, NULL));
	ck_assert_ok(cuMemsetD8Async(ptr, 7, SIZE, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_ok(cuMemPoolExportPointer(&message->data, ptr));
	peer_tell(peer, message, sizeof(*message));
	return ptr;
}

/* For the second process, which ends if there is nothing to take. */
static CUmemoryPool take_pool(int socket, struct message *message)
{
	CUmemoryPool pool;
	int file = peer_take(socket);

	peer_read(socket, message, sizeof(*message));
	peer_open();
	want(!cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file,
						 by_file, 0));
	close(file);
	return pool;
}

static CUdeviceptr take(int socket, CUmemoryPool *pool, struct message *message)
{
	CUdeviceptr ptr;

	*pool = take_pool(socket, message);
	want(!cuMemPoolImportPointer(&ptr, *pool, &message->data));
	return ptr;
}

static int byte_at(CUdeviceptr ptr)
{
	unsigned char byte = 0;

	return cuMemcpyDtoH(&byte, ptr, 1) ? -1 : byte;
}

/* Runs a claim that is all in the second process. */
static void check_there(int (*run)(int socket))
{
	struct peer peer = peer_start(run);
	struct message message = {.event = {{0}}};
	CUdeviceptr ptr;

	claims_open();
	if (!can_share())
		return;
	ptr = share(&peer, pool_shared(), &message);
	ck_assert_int_eq(peer_end(&peer), 0);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
}

static int reads_and_writes(int socket)
{
	struct message message;
	CUmemoryPool pool;
	CUdeviceptr ptr = take(socket, &pool, &message);

	want(byte_at(ptr) == 7);
	want(byte_at(ptr + SIZE - 1) == 7);
	want(!cuMemsetD8(ptr + 10, 9, 1));
	want(!cuCtxSynchronize());
	want(!cuMemFree(ptr));
	return 0;
}

START_TEST(another_process_has_the_same_memory_of_a_pool)
{
	struct peer peer = peer_start(reads_and_writes);
	struct message message = {.event = {{0}}};
	CUdeviceptr ptr;

	claims_open();
	if (!can_share())
		return;
	ptr = share(&peer, pool_shared(), &message);
	ck_assert_int_eq(peer_end(&peer), 0);
	ck_assert_int_eq(byte_at(ptr + 9), 7);
	ck_assert_int_eq(byte_at(ptr + 10), 9);
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

static int allocates(int socket)
{
	struct message message;
	CUmemoryPool pool = take_pool(socket, &message);
	CUdeviceptr ptr;

	want(cuMemAllocFromPoolAsync(&ptr, SIZE, pool, NULL));
	want(!cuMemAllocAsync(&ptr, SIZE, NULL));
	return 0;
}

START_TEST(an_imported_pool_does_not_allocate)
{
	check_there(allocates);
}
END_TEST

static int makes_it_current(int socket)
{
	CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	struct message message;
	CUmemoryPool pool = take_pool(socket, &message), standard, current;

	want(cuDeviceSetMemPool(0, pool));
	want(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
	want(!cuDeviceGetDefaultMemPool(&standard, 0));
	want(!cuDeviceGetMemPool(&current, 0));
	want(current == standard);
	return 0;
}

START_TEST(an_imported_pool_is_not_made_current)
{
	check_there(makes_it_current);
}
END_TEST

static int frees_in_a_stream(int socket)
{
	struct message message;
	CUmemoryPool pool;
	CUdeviceptr ptr = take(socket, &pool, &message);
	CUstream stream;

	want(!cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	want(!cuMemsetD8Async(ptr, 3, SIZE, stream));
	want(!cuMemFreeAsync(ptr, stream));
	want(!cuStreamSynchronize(stream));
	return 0;
}

START_TEST(imported_memory_is_freed_in_a_stream)
{
	check_there(frees_in_a_stream);
}
END_TEST

static int ends_the_pool(int socket)
{
	struct message message;
	CUmemoryPool pool;
	CUdeviceptr ptr = take(socket, &pool, &message);

	cuMemPoolDestroy(pool); /* which may be refused */
	want(byte_at(ptr) == 7);
	want(!cuMemFreeAsync(ptr, NULL));
	want(!cuStreamSynchronize(NULL));
	return 0;
}

START_TEST(imported_memory_does_not_end_with_its_pool)
{
	check_there(ends_the_pool);
}
END_TEST

static int asks_whose_it_is(int socket)
{
	struct message message;
	CUmemoryPool pool, seen;
	CUdeviceptr ptr = take(socket, &pool, &message);
	int ordinal = -1;

	want(!cuPointerGetAttribute(&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				    ptr));
	want(seen == pool);
	want(!cuPointerGetAttribute(&ordinal,
				    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr));
	want(ordinal == 0);
	return 0;
}

START_TEST(imported_memory_is_of_the_imported_pool)
{
	check_there(asks_whose_it_is);
}
END_TEST

static CUmemAccess_flags access_of(CUmemoryPool pool, int device)
{
	CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
	CUmemAccess_flags flags;

	want(!cuMemPoolGetAccess(&flags, pool, &location));
	return flags;
}

static int asks_for_access(int socket)
{
	struct message message;
	CUmemoryPool pool = take_pool(socket, &message);

	want(access_of(pool, 0) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	want(access_of(pool, 1) == CU_MEM_ACCESS_FLAGS_PROT_NONE);
	return 0;
}

START_TEST(access_is_not_inherited)
{
	struct peer peer = peer_start(asks_for_access);
	CUmemAccessDesc desc = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 1},
				.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	struct message message = {.event = {{0}}};
	CUmemoryPool pool;
	int count, can = 0;

	claims_open();
	ck_assert_ok(cuDeviceGetCount(&count));
	if (count > 1)
		ck_assert_ok(cuDeviceCanAccessPeer(&can, 1, 0));
	if (!can || !can_share())
		return;
	pool = pool_shared();
	ck_assert_ok(cuMemPoolSetAccess(pool, &desc, 1));
	share(&peer, pool, &message);
	ck_assert_int_eq(peer_end(&peer), 0);
}
END_TEST

static int frees_before_an_event(int socket)
{
	struct message message;
	CUmemoryPool pool;
	CUdeviceptr ptr = take(socket, &pool, &message);
	CUstream stream;
	CUevent event;

	want(!cuIpcOpenEventHandle(&event, message.event));
	want(!cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	want(!cuMemsetD8Async(ptr, 5, SIZE, stream));
	want(!cuMemFreeAsync(ptr, stream));
	want(!cuEventRecord(event, stream));
	want(write(socket, "r", 1) == 1);
	want(!cuStreamSynchronize(stream));
	want(read(socket, &message, 1) == 0);
	return 0;
}

START_TEST(the_exporters_free_comes_behind_the_importers)
{
	struct peer peer = peer_start(frees_before_an_event);
	struct message message = {.event = {{0}}};
	unsigned char seen = 0;
	CUdeviceptr ptr;
	CUstream stream;
	CUevent event;

	claims_open();
	if (!can_share())
		return;
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuEventCreate(&event, CU_EVENT_INTERPROCESS |
						   CU_EVENT_DISABLE_TIMING));
	ck_assert_ok(cuIpcGetEventHandle(&message.event, event));
	ptr = share(&peer, pool_shared(), &message);
	peer_hear(&peer);
	ck_assert_ok(cuStreamWaitEvent(stream, event, 0));
	ck_assert_ok(cuMemcpyDtoHAsync(&seen, ptr + SIZE - 1, 1, stream));
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(seen, 5);
	ck_assert_int_eq(peer_end(&peer), 0);
}
END_TEST

START_TEST(a_pool_without_handles_is_not_shared)
{
	CUmemPoolPtrExportData data;
	CUmemoryPool pool;
	CUdeviceptr ptr;
	int file = -1;

	claims_open();
	pool = pool_new(0);
	ptr = pool_block(pool, NULL);
	ck_assert(cuMemPoolExportToShareableHandle(&file, pool, by_file, 0));
	ck_assert(cuMemPoolExportPointer(&data, ptr));
	ck_assert_ok(cuDeviceGetDefaultMemPool(&pool, 0));
	ck_assert(cuMemPoolExportToShareableHandle(&file, pool, by_file, 0));
	ck_assert_int_eq(file, -1);
}
END_TEST

START_TEST(sharing_takes_no_flags)
{
	CUmemoryPool pool;
	int file = -1;

	claims_open();
	if (!can_share())
		return;
	pool = pool_shared();
	ck_assert(cuMemPoolExportToShareableHandle(&file, pool, by_file, 1));
	ck_assert_int_eq(file, -1);
}
END_TEST

START_TEST(a_pool_to_share_serves_as_any_other)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	if (!can_share())
		return;
	pool = pool_shared();
	ck_assert_ok(cuDeviceSetMemPool(0, pool));
	ck_assert_ok(cuMemAllocAsync(&ptr, POOL_BLOCK, NULL));
	ck_assert_uint_ge(pool_used(pool), POOL_BLOCK);
	ck_assert_uint_ge(pool_reserved(pool), pool_used(pool));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(pool_used(pool), 0);
	ck_assert_ok(cuMemPoolDestroy(pool));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		another_process_has_the_same_memory_of_a_pool,
		an_imported_pool_does_not_allocate,
		an_imported_pool_is_not_made_current,
		imported_memory_is_freed_in_a_stream,
		imported_memory_does_not_end_with_its_pool,
		imported_memory_is_of_the_imported_pool,
		access_is_not_inherited,
		the_exporters_free_comes_behind_the_importers,
		a_pool_without_handles_is_not_shared,
		sharing_takes_no_flags,
		a_pool_to_share_serves_as_any_other,
		NULL,
	};

	return claims_run("pool_share", tests);
}
