#include <unistd.h>

#include "beside.h"

/* Calls of another thread meanwhile. */

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
	MUST(cuMemsetD8Async(block + 512, 1, 100, stream));
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

/* For a driver without events of contexts. */
static void begin_beside_a_free(void)
{
	struct caller freeing = {0};
	CUgraph graph;

	open_first();
	other = stream_new();
	block = alloc(4 * MIB);
	MUST(cuMemsetD8Async(block, 1, 100, other));
	MUST(cuMemsetD8Async(block + 512, 1, 100, stream));
	MUST(cuMemFree(alloc(MIB)));
	spare = alloc(MIB); /* this tries to make a fence */
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

/* For a driver whose records take long: each capture begins before a record or
 * after one. */
enum { ROUNDS = 15 };

static atomic_bool enough;

static void reuse(void)
{
	MUST(cuCtxSetCurrent(first));
	/* Not so often that the captures hold all memory. */
	while (!enough) {
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
	MUST(cuMemsetD8Async(block + 512, 1, 100, stream));
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

/* Cases with a full queue. */

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
	MUST(cuMemsetD8Async(block + 512, 1, 100, stream));
	MUST(cuCtxSynchronize());
	fill_queue();
	MUST(cuMemFree(block));
	caller_start(taking, take_again); /* its fence is in the queue */
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

static void destroy_second(void)
{
	MUST(cuCtxDestroy(second));
}

/* A context with fences, whose work so far is over, but for what it is about to
 * be destroyed under. */
static void destroy_fenced(struct caller *destroying)
{
	second = context_new(one);
	other = stream_new();
	MUST(cuLaunchHostFunc(stream_new(), nothing, NULL));
	for (int i = 0; i < 2000; i++) {
		block = alloc(65536);
		MUST(cuMemsetD8Async(block, 1, 65536, other));
		MUST(cuMemFree(block));
	}
	MUST(cuCtxSynchronize());
	MUST(cuLaunchHostFunc(other, held, NULL));
	MUST(cuCtxSetCurrent(first));
	caller_start(destroying, destroy_second);
}

static void create_beside_a_destroy(void)
{
	struct caller destroying = {0};

	open_first();
	destroy_fenced(&destroying);
	MUST(cuCtxDestroy(context_new(one)));
	puts("created");
	go = true;
	caller_end(&destroying);
}

static void retain_beside_a_destroy(void)
{
	struct caller destroying = {0};

	MUST(cuInit(0));
	destroy_fenced(&destroying);
	MUST(cuDevicePrimaryCtxRetain(&first, one));
	MUST(cuCtxSetCurrent(first));
	puts("retained");
	go = true;
	caller_end(&destroying);
}

static void visit_beside_anothers_destroy(void)
{
	struct caller destroying = {0};
	CUdeviceptr far;

	open_first();
	spare = alloc(4096);
	MUST(cuDeviceGet(&two, 1));
	MUST(cuDevicePrimaryCtxRetain(&second, two));
	MUST(cuCtxSetCurrent(second));
	far = alloc(4096);
	first = second;
	destroy_fenced(&destroying);
	MUST(cuMemcpyDtoD(far, spare, 4096));
	puts("copied");
	go = true;
	caller_end(&destroying);
}

const struct beside beside_waits[] = {
#define CASE(name) \
	{ \
#name, name \
	}
	CASE(alloc_beside_a_release),        CASE(begin_beside_a_free),
	CASE(captures_beside_fences),        CASE(free_after_a_visit),
	CASE(alloc_beside_a_full_queue),     CASE(begin_beside_a_full_queue),
	CASE(create_beside_a_destroy),       CASE(retain_beside_a_destroy),
	CASE(visit_beside_anothers_destroy), {NULL, NULL},
};
