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

	claims_open();
	ck_assert_ok(cuMemHostRegister(mine, 4096, 0));
	ck_assert_cu(cuMemFreeHost(mine), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemHostUnregister(mine));
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
		NULL,
	};

	return claims_run("host", tests);
}
