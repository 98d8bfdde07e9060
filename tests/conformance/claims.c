#include "claims.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool released, held;

/* What nvcc makes of
 * extern "C" __global__ void add(int *numbers, int step, unsigned count),
 * written by hand. The simulated device takes only its name. */
const char claims_ptx[] =
	".version 6.4\n.target sm_50\n.address_size 64\n"
	".visible .entry add(.param .u64 numbers, .param .u32 step,\n"
	"                    .param .u32 count)\n"
	"{\n"
	"  .reg .pred %outside;\n"
	"  .reg .b32 %i, %block, %size, %count, %step, %number;\n"
	"  .reg .b64 %at, %offset;\n"
	"  mov.u32 %block, %ctaid.x;\n"
	"  mov.u32 %size, %ntid.x;\n"
	"  mov.u32 %i, %tid.x;\n"
	"  mad.lo.s32 %i, %block, %size, %i;\n"
	"  ld.param.u32 %count, [count];\n"
	"  setp.ge.u32 %outside, %i, %count;\n"
	"  @%outside ret;\n"
	"  ld.param.u64 %at, [numbers];\n"
	"  cvta.to.global.u64 %at, %at;\n"
	"  mul.wide.u32 %offset, %i, 4;\n"
	"  add.s64 %at, %at, %offset;\n"
	"  ld.param.u32 %step, [step];\n"
	"  ld.global.u32 %number, [%at];\n"
	"  add.s32 %number, %number, %step;\n"
	"  st.global.u32 [%at], %number;\n"
	"  ret;\n"
	"}\n";

const char *claims_name(CUresult res)
{
	const char *name = NULL;

	cuGetErrorName(res, &name);
	return name ? name : "a code without a name";
}

CUcontext claims_open(void)
{
	CUcontext ctx;
	CUdevice dev;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuDeviceGet(&dev, 0));
	ck_assert_ok(cuDevicePrimaryCtxRetain(&ctx, dev));
	ck_assert_ok(cuCtxSetCurrent(ctx));
	return ctx;
}

int claims_run(const char *name, const TTest *const *tests)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	if (!getenv("CK_DEFAULT_TIMEOUT"))
		tcase_set_timeout(tcase, 60);
	for (; *tests; tests++)
		tcase_add_test(tcase, *tests);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

CUfunction claims_kernel(void)
{
	CUmodule module;
	CUfunction add;

	ck_assert_ok(cuModuleLoadData(&module, claims_ptx));
	ck_assert_ok(cuModuleGetFunction(&add, module, "add"));
	return add;
}

CUresult claims_add(CUfunction add, CUdeviceptr numbers, int step,
		    unsigned count, CUstream stream)
{
	void *args[] = {&numbers, &step, &count};

	return cuLaunchKernel(add, (count + 127) / 128, 1, 1, 128, 1, 1, 0,
			      stream, args, NULL);
}

void claims_step_init(struct claims_step *step, CUfunction add,
		      CUdeviceptr numbers, int by)
{
	*step = (struct claims_step){
		.numbers = numbers, .step = by, .count = CLAIMS_COUNT};
	step->args[0] = &step->numbers;
	step->args[1] = &step->step;
	step->args[2] = &step->count;
	step->params = (CUDA_KERNEL_NODE_PARAMS){.func = add,
						 .gridDimX = 8,
						 .gridDimY = 1,
						 .gridDimZ = 1,
						 .blockDimX = 128,
						 .blockDimY = 1,
						 .blockDimZ = 1,
						 .kernelParams = step->args};
}

CUdeviceptr claims_numbers(void)
{
	CUdeviceptr numbers;

	ck_assert_ok(cuMemAlloc(&numbers, CLAIMS_COUNT * sizeof(int)));
	ck_assert_ok(cuMemsetD32(numbers, 0, CLAIMS_COUNT));
	ck_assert_ok(cuCtxSynchronize());
	return numbers;
}

int claims_number(CUdeviceptr numbers, int at)
{
	int number;

	ck_assert_ok(
		cuMemcpyDtoH(&number, numbers + at * sizeof(int), sizeof(int)));
	return number;
}

CUstream claims_stream(unsigned flags)
{
	CUstream stream;

	ck_assert_ok(cuStreamCreate(&stream, flags));
	return stream;
}

CUevent claims_event(void)
{
	CUevent event;

	ck_assert_ok(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	return event;
}

CUstreamCaptureStatus claims_capturing(CUstream stream)
{
	CUstreamCaptureStatus status;

	ck_assert_ok(cuStreamIsCapturing(stream, &status));
	return status;
}

static void wait_for_release(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	held = true;
	pthread_cond_broadcast(&changed);
	while (!released)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

void claims_hold(CUstream stream)
{
	pthread_mutex_lock(&lock);
	released = held = false;
	pthread_mutex_unlock(&lock);
	ck_assert_ok(cuLaunchHostFunc(stream, wait_for_release, NULL));
}

void claims_release(void)
{
	pthread_mutex_lock(&lock);
	released = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

CUresult claims_work(CUdeviceptr numbers, CUstream stream)
{
	return cuMemsetD32Async(numbers, 1, CLAIMS_COUNT, stream);
}

enum { LATER_US = 100000 };

static void *release_run(void *unused)
{
	(void)unused;
	usleep(LATER_US);
	claims_release();
	return NULL;
}

void claims_release_later(void)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, release_run, NULL), 0);
	ck_assert_int_eq(pthread_detach(thread), 0);
}

void claims_held(void)
{
	pthread_mutex_lock(&lock);
	while (!held)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}
