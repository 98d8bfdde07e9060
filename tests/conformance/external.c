#include "claims.h"
#include "peer.h"

#include <stdint.h>

static size_t step; /* the granularity */

static const CUmemAllocationProp prop = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
	.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

/* Makes memory that can be shared, and maps it at *ptr. */
static CUmemGenericAllocationHandle create(CUdeviceptr *ptr)
{
	CUmemAccessDesc desc = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
				CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handle;

	ck_assert_ok(cuMemGetAllocationGranularity(
		&step, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	ck_assert_ok(cuMemCreate(&handle, step, &prop, 0));
	ck_assert_ok(cuMemAddressReserve(ptr, step, 0, 0, 0));
	ck_assert_ok(cuMemMap(*ptr, step, 0, handle, 0));
	ck_assert_ok(cuMemSetAccess(*ptr, step, &desc, 1));
	return handle;
}

static int export(CUmemGenericAllocationHandle handle)
{
	int file;

	ck_assert_ok(cuMemExportToShareableHandle(
		&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	return file;
}

static int byte_at(CUdeviceptr ptr)
{
	unsigned char byte;

	ck_assert_ok(cuMemcpyDtoH(&byte, ptr, 1));
	return byte;
}

START_TEST(only_what_was_made_to_be_shared_is_exported)
{
	CUmemAllocationProp plain = prop;
	CUmemGenericAllocationHandle handle;
	int file = -1;

	claims_open();
	plain.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
	ck_assert_ok(cuMemCreate(&handle, 64 << 20, &plain, 0));
	ck_assert_cu(cuMemExportToShareableHandle(
			     &file, handle,
			     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

static int maps_the_file(int socket)
{
	CUmemAccessDesc desc = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
				CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handle;
	unsigned char seen;
	CUdeviceptr ptr;
	size_t size;
	int file;

	peer_read(socket, &size, sizeof(size));
	file = peer_take(socket);
	peer_open();
	want(!cuMemImportFromShareableHandle(
		&handle, (void *)(intptr_t)file,
		CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	want(!close(file));
	want(!cuMemAddressReserve(&ptr, size, 0, 0, 0));
	want(!cuMemMap(ptr, size, 0, handle, 0));
	want(!cuMemSetAccess(ptr, size, &desc, 1));
	want(!cuMemcpyDtoH(&seen, ptr + size - 1, 1));
	want(seen == 8);
	want(!cuMemsetD8(ptr, 9, 1));
	want(!cuCtxSynchronize());
	want(!cuMemUnmap(ptr, size));
	want(!cuMemRelease(handle));
	return 0;
}

START_TEST(another_process_maps_what_was_exported)
{
	struct peer peer = peer_start(maps_the_file);
	CUmemGenericAllocationHandle handle;
	CUdeviceptr ptr;

	claims_open();
	handle = create(&ptr);
	ck_assert_ok(cuMemsetD8(ptr, 8, step));
	ck_assert_ok(cuCtxSynchronize());
	peer_tell(&peer, &step, sizeof(step));
	peer_give(&peer, export(handle));
	ck_assert_int_eq(peer_end(&peer), 0);
	ck_assert_int_eq(byte_at(ptr), 9);
	ck_assert_int_eq(byte_at(ptr + 1), 8);
}
END_TEST

static CUexternalMemory import(int file)
{
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {
		.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
		.handle.fd = file,
		.size = step};
	CUexternalMemory memory;

	ck_assert_ok(cuImportExternalMemory(&memory, &desc));
	return memory;
}

START_TEST(external_memory_is_mapped_as_a_buffer)
{
	CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc = {0};
	CUexternalMemory memory;
	CUdeviceptr ptr, buffer, base;
	size_t size;

	claims_open();
	memory = import(export(create(&ptr)));
	ck_assert_ok(cuMemsetD8(ptr, 3, step));
	ck_assert_ok(cuCtxSynchronize());
	desc.size = step;
	ck_assert_ok(cuExternalMemoryGetMappedBuffer(&buffer, memory, &desc));
	ck_assert_ok(cuMemGetAddressRange(&base, &size, buffer + 100));
	ck_assert_uint_eq(base, buffer);
	ck_assert_uint_eq(size, step);
	ck_assert_int_eq(byte_at(buffer + step - 1), 3);
	ck_assert_ok(cuMemsetD8(buffer, 4, 1));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(byte_at(ptr), 4);
	ck_assert_ok(cuMemFree(buffer));
	ck_assert_ok(cuDestroyExternalMemory(memory));
	ck_assert_int_eq(byte_at(ptr), 4);
}
END_TEST

START_TEST(a_buffer_lies_within_its_memory)
{
	CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc = {0};
	CUexternalMemory memory;
	CUdeviceptr ptr, buffer;

	claims_open();
	memory = import(export(create(&ptr)));
	desc.offset = step / 2;
	desc.size = step;
	ck_assert_cu(cuExternalMemoryGetMappedBuffer(&buffer, memory, &desc),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		only_what_was_made_to_be_shared_is_exported,
		another_process_maps_what_was_exported,
		external_memory_is_mapped_as_a_buffer,
		a_buffer_lies_within_its_memory,
		NULL,
	};

	return claims_run("external", tests);
}
