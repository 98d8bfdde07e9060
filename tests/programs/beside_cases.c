#include <unistd.h>

#include "beside.h"

/* Releases and destroys of what others outlast, or that is idle. */

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

/* What was freed in the context that stays is another's to wait for. */
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

/* The primary context is retained, and held by green ones. */
static void release_with_green_contexts(void)
{
	CUgreenCtx green, last;

	open_first();
	second = context_new(one);
	other = stream_new();
	MUST(cuCtxSetCurrent(first));
	green = green_new();
	last = green_new();
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

static void destroy_idle(void)
{
	open_first();
	second = context_new(one);
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFree(alloc(4096)));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
}

/* A fence has come after what was freed of it, and what is queued now after
 * that. */
static void destroy_after_a_fence(void)
{
	open_first();
	second = context_new(one);
	spare = alloc(8192);
	MUST(cuMemFree(spare));
	MUST(cuMemFree(alloc(4096)));
	block = alloc(4096);
	MUST(cuCtxSetCurrent(first));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
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

/* What another thread does meanwhile. */

static void release_two(void)
{
	MUST(cuDevicePrimaryCtxRelease(two));
}

static void pin_anew(void)
{
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFreeHost(pinned));
	MUST(cuMemHostAlloc(&pinned, MIB, 0));
}

static void alloc_beside_a_release(void)
{
	struct caller releasing = {0}, pinning = {0};

	open_both();
	MUST(cuMemHostAlloc(&pinned, MIB, 0));
	block = alloc(MIB);
	MUST(cuMemsetD8Async(block, 1, 100, stream));
	MUST(cuCtxSynchronize());
	MUST(cuLaunchHostFunc(other, held, NULL));
	caller_start(&releasing, release_two);
	caller_start(&pinning, pin_anew);
	MUST(cuMemFree(block));
	block = alloc(MIB);
	caller_end(&pinning);
	puts("allocated");
	MUST(cuDevicePrimaryCtxRetain(&first, one));
	puts("retained");
	go_on();
	caller_end(&releasing);
}

static void free_mib(void)
{
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFree(block));
}

/* Of a driver without events of contexts. */
static void begin_beside_a_free(void)
{
	struct caller freeing = {0};
	CUgraph graph;

	open_first();
	other = stream_new();
	block = alloc(4 * MIB);
	MUST(cuMemsetD8Async(block, 1, 100, other));
	MUST(cuMemsetD8Async(block, 1, 100, stream));
	MUST(cuMemFree(alloc(MIB)));
	spare = alloc(MIB); /* with the attempt at a fence */
	MUST(cuCtxSynchronize());
	MUST(cuLaunchHostFunc(stream, held, NULL));
	caller_start(&freeing, free_mib);
	MUST(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
	go = true;
	MUST(cuStreamEndCapture(other, &graph));
	MUST(cuGraphDestroy(graph));
	caller_end(&freeing);
	puts("captured");
	MUST(cuCtxSynchronize());
}

/* Of a driver whose records take their time: each begin comes before one or
 * after. */
enum { ROUNDS = 15 };

static atomic_bool enough;

static void reuse(void)
{
	MUST(cuCtxSetCurrent(first));
	while (!enough) { /* not so often that the captures hold all memory */
		MUST(cuMemFree(alloc(MIB)));
		usleep(500);
	}
}

static void captures_beside_fences(void)
{
	struct caller reusing = {0};
	CUgraph graph;

	open_first();
	other = stream_new();
	block = alloc(MIB);
	MUST(cuMemsetD8Async(block, 1, 100, other));
	MUST(cuMemsetD8Async(block, 1, 100, stream));
	caller_start(&reusing, reuse);
	for (int i = 0; i < ROUNDS; i++) {
		MUST(cuStreamBeginCapture(other,
					  CU_STREAM_CAPTURE_MODE_RELAXED));
		MUST(cuMemsetD8Async(block, 1, 100, other));
		usleep(1000);
		MUST(cuStreamEndCapture(other, &graph));
		MUST(cuGraphDestroy(graph));
		usleep(1000);
	}
	enough = true;
	caller_end(&reusing);
	puts("captured");
}

/* Destroys that fail. */

static void export_spare(void)
{
	CUipcMemHandle handle;

	MUST(cuCtxSetCurrent(first));
	MUST(cuIpcGetMemHandle(&handle, spare));
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

/* One of two users of a context. */
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

/* Copies between devices. */
static void free_after_a_visit(void)
{
	CUdeviceptr there;

	open_both();
	MUST(cuCtxSetCurrent(second));
	there = alloc(MIB);
	MUST(cuCtxSetCurrent(first));
	block = alloc(40 * MIB);
	spare = alloc(MIB);
	MUST(cuMemcpyPeerAsync(spare, first, there, second, MIB, other));
	MUST(cuStreamSynchronize(other));
	MUST(cuLaunchHostFunc(other, held, NULL));
	MUST(cuMemFree(block));
	puts("freed");
	go = true;
	MUST(cuStreamSynchronize(other));
	MUST(cuMemFree(alloc(40 * MIB)));
}

/* Full queues. */

static void fill_queue(void)
{
	MUST(cuLaunchHostFunc(stream, held, NULL));
	for (int i = 1; i < 4; i++)
		MUST(cuLaunchHostFunc(stream, nothing, NULL));
}

static void take_again(void)
{
	MUST(cuCtxSetCurrent(first));
	block = alloc(MIB);
}

static void open_full_queue(struct caller *taking)
{
	open_first();
	other = stream_new();
	block = alloc(MIB);
	spare = alloc(2 * MIB);
	MUST(cuMemHostAlloc(&pinned, MIB, 0));
	MUST(cuMemsetD8Async(block, 1, 100, other));
	MUST(cuMemsetD8Async(block, 1, 100, stream));
	MUST(cuCtxSynchronize());
	fill_queue();
	MUST(cuMemFree(block));
	caller_start(taking, take_again); /* its fence stands in the queue */
}

static void alloc_beside_a_full_queue(void)
{
	struct caller taking = {0};

	open_full_queue(&taking);
	MUST(cuMemFree(spare));
	spare = alloc(2 * MIB);
	puts("allocated");
	go_on();
	caller_end(&taking);
}

static void begin_beside_a_full_queue(void)
{
	struct caller taking = {0};
	CUgraph graph;

	open_full_queue(&taking);
	MUST(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
	puts("begun");
	go = true;
	caller_end(&taking);
	MUST(cuStreamEndCapture(other, &graph));
	MUST(cuGraphDestroy(graph));
	puts("captured");
	MUST(cuCtxSynchronize());
}

const struct beside cases[] = {
#define CASE(name) \
	{ \
#name, name \
	}
	CASE(release_one_of_two),
	CASE(release_one_of_two_beside_another),
	CASE(release_with_green_contexts),
	CASE(release_with_pinned_memory),
	CASE(destroy_idle),
	CASE(destroy_after_a_fence),
	CASE(destroy_idle_beside_a_free),
	CASE(alloc_beside_a_release),
	CASE(begin_beside_a_free),
	CASE(captures_beside_fences),
	CASE(visit_beside_a_destroy),
	CASE(meet_beside_a_destroy),
	CASE(detach_one_of_two),
	CASE(free_after_a_visit),
	CASE(alloc_beside_a_full_queue),
	CASE(begin_beside_a_full_queue),
	{NULL, NULL},
};
