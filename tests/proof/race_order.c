/* Races about the order of one stream, which ends when another context
 * comes. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "race.h"
#include "schedule.h"

#ifdef __aarch64__
#define OLDEST_LIBC "GLIBC_2.17"
#else
#define OLDEST_LIBC "GLIBC_2.2.5"
#endif

static CUcontext context, other;
static CUdeviceptr block;
static int said, behind; /* the file that gets stderr, and the real stderr */
static atomic_bool begun;

static void block_new(void)
{
	DO(cuMemAlloc_v2, &block, RACE_BLOCK);
	if (race_api.sim_own)
		race_api.sim_own(block, RACE_BLOCK, "a race's");
}

static void block_free(void)
{
	if (race_api.sim_disown)
		race_api.sim_disown(block);
	DO(cuMemFree_v2, block);
}

/* Gives work to one stream. From here on reuse goes by its order, and the work
 * is not over. */
static void work(void)
{
	for (int i = 0; i < 4; i++) {
		block_new();
		DO(cuMemsetD32Async, block, 1, RACE_BLOCK / 4,
		   CU_STREAM_LEGACY);
		block_free();
	}
	block_new();
}

static void order(void)
{
	work();
	behind = dup(STDERR_FILENO);
	said = memfd_create("said", 0);
	dup2(said, STDERR_FILENO);
}

static void created_before(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	order();
}

static void primary_before(void)
{
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	order();
}

static void destroy_first(void)
{
	if (race_api.sim_disown)
		race_api.sim_disown(block);
	race_hold();
	begun = true;
	DO(cuCtxDestroy_v2, context);
	race_pass();
}

static void destroy_in_vain(void)
{
	race_hold();
	begun = true;
	race_expect("destroy", race_api.cuCtxDestroy_v2(context), 999);
	race_pass();
}

static void release_first(void)
{
	if (race_api.sim_disown)
		race_api.sim_disown(block);
	race_hold();
	begun = true;
	DO(cuDevicePrimaryCtxRelease_v2, 0);
	race_pass();
}

static void create_second(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxCreate_v2, &other, 0, 0);
}

static void nothing_was_said(void)
{
	char text[512] = "";
	ssize_t length = pread(said, text, sizeof(text) - 1, 0);

	dup2(behind, STDERR_FILENO);
	fputs(text, stderr);
	race_expect("bytes on stderr", length, 0);
}

/* The context lives on, and only the sole stream has used its block until
 * now. */
static void second_stream(void)
{
	CUstream stream;

	DO(cuCtxSetCurrent, context);
	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	DO(cuMemsetD32Async, block, 2, RACE_BLOCK / 4, stream);
	nothing_was_said();
}

/* Returns the driver's own function, which no hook sees. */
static __typeof__(cuCtxCreate_v2) *create_unseen(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	__typeof__(dlsym) *find;

	find = (__typeof__(find))dlvsym(libc, "dlsym", OLDEST_LIBC);
	return (__typeof__(create_unseen()))find(driver, "cuCtxCreate_v2");
}

/* Two threads at once are the first to use a context that mnm has not seen
 * being made. The second thread has made the other context. */
static void met_before(void)
{
	DO(cuInit, 0);
	race_check("cuCtxCreate_v2", create_unseen()(&other, 0, 0));
}

/* Makes that context current and gives it work on half of a block. */
static void meet(CUdeviceptr half)
{
	race_hold();
	DO(cuCtxSetCurrent, other);
	race_pass();
	DO(cuMemsetD32Async, half, 2, RACE_BLOCK / 8, CU_STREAM_LEGACY);
}

static void met_first(void)
{
	while (!begun)
		schedule_yield();
	meet(block);
}

static void met_second(void)
{
	DO(cuCtxCreate_v2, &context, 0, 0);
	work();
	begun = true;
	meet(block + RACE_BLOCK / 2);
}

static void met_after(void)
{
	DO(cuCtxSetCurrent, context);
	block_free();
	work();
}

const struct race race_order[] = {
	{"order beside its context's end", NULL, NULL, 1, 0, created_before,
	 destroy_first, create_second, nothing_was_said},
	{"order beside its primary context's end", NULL, NULL, 1, 0,
	 primary_before, release_first, create_second, nothing_was_said},
	{"order beside an end that fails", "MNM_SIM_FAIL",
	 "cuCtxDestroy_v2:1:999", 1, 0, created_before, destroy_in_vain,
	 create_second, second_stream},
	{"order beside a context that two threads meet", NULL, NULL, 1, 5,
	 met_before, met_first, met_second, met_after},
	{0},
};
