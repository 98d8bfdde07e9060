#include <unistd.h>

#include "beside.h"
#include "handle_get.h"

/* Releases and destroys that end no context, or end an idle one. */

static void release_one_of_two(void)
{
	open_first();
	MUST(cuDevicePrimaryCtxRetain(&first, one));
	second = context_new(one);
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFree(alloc(4096)));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuDevicePrimaryCtxRelease(one));
	puts("released");
	go_on();
}

/* Another context's work may use what was freed in the context that stays. */
static void release_one_of_two_beside_another(void)
{
	open_first();
	MUST(cuDevicePrimaryCtxRetain(&first, one));
	second = context_new(one);
	other = stream_new();
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFree(alloc(4096)));
	MUST(cuLaunchHostFunc(other, held, NULL));
	MUST(cuDevicePrimaryCtxRelease(one));
	puts("released");
	MUST(cuCtxSetCurrent(second));
	go_on();
}

/* "Resetting the primary context does not release it." */
static void release_one_of_two_after_a_reset(void)
{
	open_first();
	MUST(cuDevicePrimaryCtxRetain(&first, one));
	MUST(cuDevicePrimaryCtxRetain(&first, one));
	MUST(cuDevicePrimaryCtxReset(one));
	MUST(cuDevicePrimaryCtxRelease(one));
	MUST(cuDevicePrimaryCtxRelease(one));
	MUST(cuDevicePrimaryCtxRetain(&first, one));
	second = context_new(one);
	other = stream_new();
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFree(alloc(4096)));
	MUST(cuLaunchHostFunc(other, held, NULL));
	MUST(cuDevicePrimaryCtxRelease(one));
	puts("released");
	MUST(cuCtxSetCurrent(second));
	go_on();
	MUST(cuDevicePrimaryCtxRelease(one));
}

static CUgreenCtx green_new(void)
{
	unsigned int groups = 1;
	CUdevResource all, part;
	CUdevResourceDesc desc;
	CUgreenCtx green;

	MUST(cuDeviceGetDevResource(one, &all, CU_DEV_RESOURCE_TYPE_SM));
	MUST(cuDevSmResourceSplitByCount(&part, &groups, &all, NULL, 0, 8));
	MUST(cuDevResourceGenerateDesc(&desc, &part, 1));
	MUST(cuGreenCtxCreate(&green, desc, one, CU_GREEN_CTX_DEFAULT_STREAM));
	return green;
}

/* The primary context is retained, and green contexts hold it as well. */
static void release_with_green_contexts(void)
{
	CUgreenCtx green, last;

	open_first();
	second = context_new(one);
	other = stream_new();
	MUST(cuCtxSetCurrent(first));
	green = green_new();
	last = green_new();
	MUST(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
	MUST(cuStreamDestroy(stream));
	MUST(cuMemFree(alloc(4096)));
	MUST(cuLaunchHostFunc(other, held, NULL));
	MUST(cuGreenCtxDestroy(green));
	MUST(cuDevicePrimaryCtxRelease(one));
	puts("released");
	go = true;
	MUST(cuGreenCtxDestroy(last));
	MUST(cuCtxSetCurrent(second));
	MUST(cuCtxSynchronize());
}

static void release_with_pinned_memory(void)
{
	open_both();
	MUST(cuDevicePrimaryCtxRetain(&second, two));
	MUST(cuMemHostAlloc(&pinned, 4096, 0));
	MUST(cuMemFreeHost(pinned));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuDevicePrimaryCtxRelease(two));
	puts("released");
	MUST(cuDevicePrimaryCtxRelease(two));
	puts("released for good");
	go_on();
}

/* Under mnm a free returns at once, so the end of the context has to wait. */

static atomic_bool ended;

static void destroy_second(void)
{
	MUST(cuCtxDestroy(second));
	ended = true;
}

static void destroy_and_see(void)
{
	struct caller destroying = {0};

	caller_start(&destroying, destroy_second);
	puts(ended ? "ended under work" : "waits");
	go = true;
	caller_end(&destroying);
}

static void destroy_under_work(void)
{
	free_under_work(true);
	destroy_and_see();
}

/* An entry that mnm does not know may have queued work unseen. */
static void destroy_under_work_beside_a_later_entry(void)
{
	void *entry;

	open_unused();
	MUST(cuGetProcAddress("cuFutureWork", &entry, CUDA_VERSION,
			      CU_GET_PROC_ADDRESS_DEFAULT, NULL));
	second = context_new(one);
	MUST(cuMemFree(alloc(4096)));
	MUST(cuCtxSetCurrent(first));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	destroy_and_see();
}

static void destroy_under_work_after_a_failed_wait(void)
{
	free_under_work(true);
	MUST(cuCtxSetCurrent(first));
	if (cuCtxSynchronize() != CUDA_ERROR_OUT_OF_MEMORY)
		puts("waited");
	destroy_and_see();
}

/* Queues the first work of a thread. */
static void launch_first_call(void)
{
	MUST(cuCtxSetCurrent(second));
	MUST(cuLaunchHostFunc(other, nothing, NULL));
}

static void destroy_under_work_and_anothers(void)
{
	struct caller launching = {0};

	free_under_work(true);
	caller_start(&launching, launch_first_call);
	caller_end(&launching);
	destroy_and_see();
}

/* The block is freed after the wait, and work came in between. */
static void destroy_under_work_since_a_wait(void)
{
	free_under_work(false);
	MUST(cuCtxSetCurrent(first));
	MUST(cuCtxSynchronize());
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxSetCurrent(second));
	MUST(cuMemFree(block));
	destroy_and_see();
}

/* The same for pinned memory. */
static void destroy_under_work_on_pinned_memory(void)
{
	open_first();
	second = context_new(one);
	MUST(cuLaunchHostFunc(stream_new(), nothing, NULL));
	MUST(cuMemHostAlloc(&pinned, 4096, 0));
	MUST(cuCtxSetCurrent(first));
	MUST(cuCtxSynchronize());
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxSetCurrent(second));
	MUST(cuMemFreeHost(pinned));
	destroy_and_see();
}

/* The other context has been waited for, but only on its own device. */
static void destroy_under_work_of_another_device(void)
{
	CUdeviceptr far;

	open_first();
	MUST(cuDeviceGet(&two, 1));
	second = context_new(two);
	far = alloc(4096);
	MUST(cuCtxSetCurrent(first));
	block = alloc(4096);
	MUST(cuMemFree(alloc(8192)));
	for (int i = 0; i < 5; i++) {
		MUST(cuMemFree(alloc(8192)));
		MUST(cuCtxSynchronize());
	}
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuMemcpyDtoDAsync(far, block, 4096, stream));
	MUST(cuCtxSetCurrent(second));
	MUST(cuMemFree(far));
	destroy_and_see();
}

static void free_block(void)
{
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFree(block));
}

/* Another thread's free waits for the work of all contexts. */
static void destroy_idle_beside_a_free(void)
{
	struct caller freeing = {0};

	open_first();
	second = context_new(one);
	MUST(cuCtxSetCurrent(first));
	block = alloc(4096);
	MUST(cuLaunchHostFunc(stream, held, NULL));
	caller_start(&freeing, free_block);
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
	caller_end(&freeing);
}

/* Destroys that fail. */

static void export_spare(void)
{
	CUipcMemHandle handle;

	MUST(cuCtxSetCurrent(first));
	MUST(handle_get(&handle, spare));
}

static CUresult destroyed;

static void destroy_first(void)
{
	destroyed = cuCtxDestroy(first);
}

static void reuse_under_work(void)
{
	CUdeviceptr again;

	block = alloc(4 * MIB);
	spare = alloc(MIB);
	MUST(cuLaunchHostFunc(CU_STREAM_PER_THREAD, nothing, NULL));
	MUST(cuCtxSynchronize());
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuMemsetD8Async(block, 1, 4 * MIB, stream));
	MUST(cuMemFree(block));
	again = alloc(4 * MIB);
	printf("%s\n", again == block ? "the same block" : "another block");
	block = again;
}

static void visit_beside_a_destroy(void)
{
	static unsigned char found[4 * MIB];
	struct caller exporting = {0}, destroying = {0};
	CUdeviceptr source;

	open_both();
	MUST(cuCtxSetCurrent(second));
	source = alloc(4 * MIB);
	MUST(cuMemsetD8(source, 9, 4 * MIB));
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(first));
	reuse_under_work();
	caller_start(&exporting, export_spare);
	caller_start(&destroying, destroy_first);
	MUST(cuMemcpyDtoDAsync(block, source, 4 * MIB, other));
	/* A copy that waits for nothing is over soon. */
	for (int i = 0; i < 50 && cuStreamQuery(other); i++)
		usleep(1000);
	go = true;
	caller_end(&exporting);
	caller_end(&destroying);
	MUST(cuStreamSynchronize(other));
	MUST(cuCtxSynchronize());
	MUST(cuMemcpyDtoH(found, block, sizeof(found)));
	printf("%d after a destroy that failed: %d\n", found[1000],
	       destroyed == CUDA_ERROR_INVALID_CONTEXT);
}

static void take_some(void)
{
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFree(alloc(4096)));
}

static void meet_beside_a_destroy(void)
{
	struct caller exporting = {0}, destroying = {0}, taking = {0};
	size_t before, now, total;

	open_first();
	spare = alloc(MIB);
	block = alloc(32 * MIB);
	MUST(cuMemFree(block));
	MUST(cuMemGetInfo(&before, &total));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	caller_start(&exporting, export_spare);
	caller_start(&destroying, destroy_first);
	caller_start(&taking, take_some);
	go = true;
	caller_end(&taking);
	caller_end(&destroying);
	caller_end(&exporting);
	MUST(cuMemGetInfo(&now, &total));
	printf("%s\n", before - now < 4 * MIB ? "nothing lost" : "memory lost");
	block = alloc(50 * MIB);
}

/* One of the two users of a context detaches from it. */
static void detach_one_of_two(void)
{
	size_t before, now, total;
	CUcontext same;

	MUST(cuInit(0));
	second = context_new(0);
	MUST(cuCtxAttach(&same, 0));
	MUST(cuMemFree(alloc(32 * MIB)));
	MUST(cuMemGetInfo(&before, &total));
	MUST(cuCtxDetach(second));
	MUST(cuMemGetInfo(&now, &total));
	printf("%s\n", before - now < 4 * MIB ? "nothing lost" : "memory lost");
	block = alloc(50 * MIB);
	MUST(cuCtxDetach(second));
}

const struct beside beside_ends[] = {
#define CASE(name) \
	{ \
#name, name \
	}
	CASE(release_one_of_two),
	CASE(release_one_of_two_beside_another),
	CASE(release_one_of_two_after_a_reset),
	CASE(release_with_green_contexts),
	CASE(release_with_pinned_memory),
	CASE(destroy_under_work),
	CASE(destroy_under_work_beside_a_later_entry),
	CASE(destroy_under_work_after_a_failed_wait),
	CASE(destroy_under_work_and_anothers),
	CASE(destroy_under_work_since_a_wait),
	CASE(destroy_under_work_on_pinned_memory),
	CASE(destroy_under_work_of_another_device),
	CASE(destroy_idle_beside_a_free),
	CASE(visit_beside_a_destroy),
	CASE(meet_beside_a_destroy),
	CASE(detach_one_of_two),
	{NULL, NULL},
};
