#include "claims.h"

#include <sys/wait.h>
#include <unistd.h>

static CUcontext context_new(void)
{
	CUcontext ctx;

	ck_assert_ok(cuCtxCreate(&ctx, NULL, 0, 0));
	return ctx;
}

START_TEST(nothing_works_before_init)
{
	CUdevice dev;
	int count;

	ck_assert_cu(cuDeviceGet(&dev, 0), CUDA_ERROR_NOT_INITIALIZED);
	ck_assert_cu(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
}
END_TEST

START_TEST(version_is_known_before_init)
{
	int version = 0;

	ck_assert_ok(cuDriverGetVersion(&version));
	ck_assert_int_ge(version, 11000);
}
END_TEST

START_TEST(init_takes_no_flags)
{
	ck_assert_cu(cuInit(1), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuInit(0));
}
END_TEST

START_TEST(devices_are_numbered)
{
	CUdevice dev;
	int count;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuDeviceGetCount(&count));
	ck_assert_ok(cuDeviceGet(&dev, count - 1));
	ck_assert_cu(cuDeviceGet(&dev, count), CUDA_ERROR_INVALID_DEVICE);
	ck_assert_cu(cuDeviceGet(&dev, -1), CUDA_ERROR_INVALID_DEVICE);
}
END_TEST

START_TEST(device_tells_what_it_is)
{
	int major = 0, unified = 0, found;
	char name[100], bus[32];
	CUdevice dev = 0;
	size_t bytes = 0;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuDeviceGetName(name, sizeof(name), dev));
	ck_assert_int_ne(name[0], '\0');
	ck_assert_ok(cuDeviceTotalMem(&bytes, dev));
	ck_assert_uint_gt(bytes, 0);
	ck_assert_ok(cuDeviceGetAttribute(
		&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev));
	ck_assert_int_ge(major, 7);
	ck_assert_ok(cuDeviceGetAttribute(
		&unified, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, dev));
	ck_assert_int_eq(unified, 1);
	ck_assert_ok(cuDeviceGetPCIBusId(bus, sizeof(bus), dev));
	ck_assert_ok(cuDeviceGetByPCIBusId(&found, bus));
	ck_assert_int_eq(found, dev);
}
END_TEST

START_TEST(a_device_is_no_peer_of_itself)
{
	int can = 1;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuDeviceCanAccessPeer(&can, 0, 0));
	ck_assert_int_eq(can, 0);
}
END_TEST

START_TEST(thread_starts_without_a_context)
{
	CUcontext ctx = (CUcontext)1;
	CUdevice dev;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuCtxGetCurrent(&ctx));
	ck_assert_ptr_null(ctx);
	ck_assert_cu(cuCtxGetDevice(&dev), CUDA_ERROR_INVALID_CONTEXT);
	ck_assert_cu(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
}
END_TEST

START_TEST(created_context_is_current)
{
	CUcontext ctx, seen;

	ck_assert_ok(cuInit(0));
	ctx = context_new();
	ck_assert_ok(cuCtxGetCurrent(&seen));
	ck_assert_ptr_eq(seen, ctx);
}
END_TEST

START_TEST(contexts_are_stacked)
{
	CUcontext first, second, seen;

	ck_assert_ok(cuInit(0));
	first = context_new();
	second = context_new();
	ck_assert_ok(cuCtxPopCurrent(&seen));
	ck_assert_ptr_eq(seen, second);
	ck_assert_ok(cuCtxGetCurrent(&seen));
	ck_assert_ptr_eq(seen, first);
	ck_assert_ok(cuCtxPushCurrent(second));
	ck_assert_ok(cuCtxGetCurrent(&seen));
	ck_assert_ptr_eq(seen, second);
}
END_TEST

START_TEST(set_current_replaces_the_top)
{
	CUcontext first, second, seen;

	ck_assert_ok(cuInit(0));
	first = context_new();
	second = context_new();
	ck_assert_ok(cuCtxPopCurrent(NULL));
	ck_assert_ok(cuCtxSetCurrent(second));
	ck_assert_ok(cuCtxPopCurrent(&seen));
	ck_assert_ptr_eq(seen, second);
	ck_assert_ok(cuCtxGetCurrent(&seen));
	ck_assert_ptr_null(seen);
	ck_assert_ok(cuCtxDestroy(first));
}
END_TEST

START_TEST(destroying_gives_back_the_memory)
{
	size_t before, after;
	CUdeviceptr ptr;
	CUcontext other;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&before, NULL));
	other = context_new();
	ck_assert_ok(cuMemAlloc(&ptr, 256 << 20));
	ck_assert_ok(cuCtxDestroy(other));
	ck_assert_ok(cuMemGetInfo(&after, NULL));
	ck_assert_uint_ge(after + (128 << 20), before);
}
END_TEST

START_TEST(contexts_have_ids_of_their_own)
{
	unsigned long long first, second;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuCtxGetId(context_new(), &first));
	ck_assert_ok(cuCtxGetId(context_new(), &second));
	ck_assert_uint_ne(first, second);
}
END_TEST

START_TEST(limits_can_be_set)
{
	size_t value = 0;

	claims_open();
	ck_assert_ok(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
	ck_assert_ok(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
	ck_assert_uint_ge(value, 4096);
	ck_assert_cu(cuCtxGetLimit(&value, CU_LIMIT_MAX),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuCtxSetLimit(CU_LIMIT_MAX, 1), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(child_of_an_initialised_process_has_no_cuda)
{
	CUdeviceptr ptr;
	int status;
	pid_t pid;

	claims_open();
	pid = fork();
	if (!pid)
		_exit(cuMemAlloc(&ptr, 64) == CUDA_SUCCESS);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

START_TEST(child_forked_before_init_may_use_cuda)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		claims_open();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		nothing_works_before_init,
		version_is_known_before_init,
		init_takes_no_flags,
		devices_are_numbered,
		device_tells_what_it_is,
		a_device_is_no_peer_of_itself,
		thread_starts_without_a_context,
		created_context_is_current,
		contexts_are_stacked,
		set_current_replaces_the_top,
		destroying_gives_back_the_memory,
		contexts_have_ids_of_their_own,
		limits_can_be_set,
		child_of_an_initialised_process_has_no_cuda,
		child_forked_before_init_may_use_cuda,
		NULL,
	};

	return claims_run("context", tests);
}
