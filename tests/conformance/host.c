#include "claims.h"

#include <stdlib.h>
#include <string.h>

START_TEST(pinned_memory_is_the_hosts_too)
{
	CUdeviceptr dev;
	void *host;

	claims_open();
	ck_assert_ok(cuMemAllocHost(&host, 4096));
	memset(host, 5, 4096);
	ck_assert_ok(cuMemHostGetDevicePointer(&dev, host, 0));
	ck_assert_ok(cuMemsetD8(dev + 1, 6, 1));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(((char *)host)[0], 5);
	ck_assert_int_eq(((char *)host)[1], 6);
	ck_assert_ok(cuMemFreeHost(host));
}
END_TEST

START_TEST(pinned_memory_takes_none_of_the_device)
{
	size_t before, after;
	void *host;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&before, NULL));
	ck_assert_ok(cuMemHostAlloc(&host, 8 << 20, 0));
	ck_assert_ok(cuMemGetInfo(&after, NULL));
	ck_assert_uint_ge(after + (4 << 20), before);
}
END_TEST

START_TEST(free_host_refuses_what_is_not_pinned)
{
	void *mine = malloc(4096);

	claims_open();
	ck_assert_cu(cuMemFreeHost(mine), CUDA_ERROR_INVALID_VALUE);
	free(mine);
}
END_TEST

START_TEST(flags_tell_how_it_was_allocated)
{
	unsigned flags = 0;
	void *host;

	claims_open();
	ck_assert_ok(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_PORTABLE));
	ck_assert_ok(cuMemHostGetFlags(&flags, host));
	ck_assert_uint_ne(flags & CU_MEMHOSTALLOC_PORTABLE, 0);
}
END_TEST

START_TEST(unknown_flags_are_invalid)
{
	void *host;

	claims_open();
	ck_assert_cu(cuMemHostAlloc(&host, 4096, 0x80),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(memory_is_registered_once)
{
	void *mine = aligned_alloc(4096, 8192);

	claims_open();
	ck_assert_ok(cuMemHostRegister(mine, 8192, 0));
	ck_assert_cu(cuMemHostRegister(mine, 8192, 0),
		     CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	ck_assert_ok(cuMemHostUnregister(mine));
	ck_assert_cu(cuMemHostUnregister(mine),
		     CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	free(mine);
}
END_TEST

START_TEST(registered_memory_is_the_programs_to_free)
{
	void *mine = aligned_alloc(4096, 4096);
	unsigned flags = 0;

	claims_open();
	ck_assert_ok(cuMemHostRegister(mine, 4096, 0));
	ck_assert_cu(cuMemFreeHost(mine), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemHostGetFlags(&flags, mine));
	ck_assert_uint_eq(flags, CU_MEMHOSTREGISTER_DEVICEMAP);
	ck_assert_ok(cuMemHostUnregister(mine));
	ck_assert_cu(cuMemHostGetFlags(&flags, mine), CUDA_ERROR_INVALID_VALUE);
	free(mine);
}
END_TEST

START_TEST(pinned_memory_needs_a_context)
{
	void *host;

	ck_assert_ok(cuInit(0));
	ck_assert_cu(cuMemHostAlloc(&host, 4096, 0),
		     CUDA_ERROR_INVALID_CONTEXT);
}
END_TEST

START_TEST(nothing_is_pinned_for_no_bytes)
{
	void *host = &host;

	claims_open();
	ck_assert_ok(cuMemHostAlloc(&host, 0, 0));
	ck_assert_ptr_null(host);
	host = &host;
	ck_assert_ok(cuMemAllocHost(&host, 0));
	ck_assert_ptr_null(host);
	ck_assert_ok(cuMemFreeHost(NULL));
}
END_TEST

START_TEST(pinning_too_much_yields_no_address)
{
	void *host = &host;

	claims_open();
	ck_assert_cu(cuMemHostAlloc(&host, (size_t)1 << 60, 0),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_ptr_null(host);
	host = &host;
	ck_assert_cu(cuMemAllocHost(&host, (size_t)1 << 60),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_ptr_null(host);
}
END_TEST

START_TEST(the_three_flags_may_be_mixed)
{
	const unsigned all = CU_MEMHOSTALLOC_PORTABLE |
			     CU_MEMHOSTALLOC_DEVICEMAP |
			     CU_MEMHOSTALLOC_WRITECOMBINED;
	unsigned flags;
	void *host;

	claims_open();
	for (unsigned i = 0; i <= all; i++) {
		ck_assert_ok(cuMemHostAlloc(&host, 4096, i));
		ck_assert_ok(cuMemHostGetFlags(&flags, host));
		ck_assert_uint_eq(flags & i, i);
		ck_assert_ok(cuMemFreeHost(host));
	}
}
END_TEST

START_TEST(pinned_memory_is_freed_once_and_by_its_base)
{
	char *host;

	claims_open();
	ck_assert_ok(cuMemAllocHost((void **)&host, 8192));
	ck_assert_cu(cuMemFreeHost(host + 4096), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemFreeHost(host));
	ck_assert_cu(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(both_sides_have_one_address)
{
	CUdeviceptr dev;
	char *host;

	claims_open();
	ck_assert_ok(cuMemHostAlloc((void **)&host, 8192,
				    CU_MEMHOSTALLOC_DEVICEMAP));
	ck_assert_ok(cuMemHostGetDevicePointer(&dev, host + 100, 0));
	ck_assert_uint_eq(dev, (CUdeviceptr)host + 100);
	ck_assert_cu(cuMemHostGetDevicePointer(&dev, host, 1),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(range_of_pinned_memory_is_its_own)
{
	CUdeviceptr on_device, base = 0;
	size_t size = 0;
	void *ptr;

	claims_open();
	ck_assert_ok(cuMemHostAlloc(&ptr, 8192, CU_MEMHOSTALLOC_DEVICEMAP));
	ck_assert_ok(cuMemHostGetDevicePointer(&on_device, ptr, 0));
	ck_assert_ok(cuMemGetAddressRange(&base, &size, on_device + 5000));
	ck_assert_uint_eq(base, on_device);
	ck_assert_uint_ge(size, 8192);
	ck_assert_ok(cuMemFreeHost(ptr));
}
END_TEST

START_TEST(pageable_memory_is_not_known)
{
	void *mine = malloc(4096);
	CUdeviceptr dev;
	unsigned flags;

	claims_open();
	ck_assert_cu(cuMemHostGetDevicePointer(&dev, mine, 0),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemHostGetFlags(&flags, mine), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemHostUnregister(mine),
		     CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	free(mine);
}
END_TEST

START_TEST(copies_of_pinned_memory_return_before_they_are_done)
{
	CUstream stream;
	CUdeviceptr dev;
	char *host;

	claims_open();
	ck_assert_ok(cuMemAlloc(&dev, 4096));
	ck_assert_ok(cuMemAllocHost((void **)&host, 4096));
	memset(host, 1, 4096);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	claims_hold(stream);
	ck_assert_ok(cuMemcpyHtoDAsync(dev, host, 2048, stream));
	ck_assert_ok(cuMemcpyDtoHAsync(host + 2048, dev, 2048, stream));
	host[0] = 2;
	ck_assert_int_eq(host[2048], 1);
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(host[2048], 2);
	ck_assert_int_eq(host[4095], 1);
}
END_TEST

START_TEST(free_host_waits_for_the_copies_of_it)
{
	CUstream stream;
	CUdeviceptr dev;
	void *host;

	claims_open();
	ck_assert_ok(cuMemAlloc(&dev, 64 << 20));
	ck_assert_ok(cuMemAllocHost(&host, 64 << 20));
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuMemcpyDtoHAsync(host, dev, 64 << 20, stream));
	ck_assert_ok(cuMemFreeHost(host));
	ck_assert_ok(cuStreamQuery(stream));
}
END_TEST

START_TEST(unregistering_waits_for_the_work_of_the_context)
{
	void *mine = aligned_alloc(4096, 8192);
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuMemHostRegister(mine, 8192, 0));
	claims_hold(stream);
	claims_release_later();
	ck_assert_ok(cuMemHostUnregister(mine));
	ck_assert_ok(cuStreamQuery(stream));
	free(mine);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		pinned_memory_is_the_hosts_too,
		pinned_memory_takes_none_of_the_device,
		free_host_refuses_what_is_not_pinned,
		flags_tell_how_it_was_allocated,
		unknown_flags_are_invalid,
		memory_is_registered_once,
		registered_memory_is_the_programs_to_free,
		pinned_memory_needs_a_context,
		nothing_is_pinned_for_no_bytes,
		pinning_too_much_yields_no_address,
		the_three_flags_may_be_mixed,
		pinned_memory_is_freed_once_and_by_its_base,
		both_sides_have_one_address,
		range_of_pinned_memory_is_its_own,
		pageable_memory_is_not_known,
		copies_of_pinned_memory_return_before_they_are_done,
		free_host_waits_for_the_copies_of_it,
		unregistering_waits_for_the_work_of_the_context,
		NULL,
	};

	return claims_run("host", tests);
}
