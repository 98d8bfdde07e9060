/* Requests while memory is short and streams capture. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"

enum { MODES = 3 }; /* of captures: 0, 1, 2 */

static int request(CUdeviceptr *block, size_t size, CUstream stream)
{
	return (int)cuMemAllocAsync(block, size, stream);
}

/* Two idle blocks, beside which there is no room for a request of both. CUDA's
 * own pool has nothing. */
static void leave_idle(CUstream stream)
{
	CUdeviceptr blocks[2];
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuCtxSynchronize());
	MUST(cuMemPoolTrimTo(pool, 0));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	MUST(cuCtxSynchronize());
}

/* A request of both, which is as good as over. */
static int request_both(CUstream stream)
{
	CUdeviceptr block;
	int res = request(&block, 2 * SHORT, stream);

	if (!res)
		MUST(cuMemFreeAsync(block, stream));
	return res;
}

static void begin(CUstream stream, int mode)
{
	MUST(cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
}

static void end_capture(CUstream stream)
{
	CUgraph graph;

	MUST(cuStreamEndCapture(stream, &graph));
	MUST(cuGraphDestroy(graph));
}

/* The work lasts until the request is over. */
static void while_memory_is_short_beside_a_capture(void)
{
	CUstream stream = apart(), busy = apart(), captured = apart();

	for (int mode = 0; mode < MODES; mode++) {
		leave_idle(stream);
		go = false;
		MUST(cuLaunchHostFunc(busy, held, NULL));
		begin(captured, mode);
		printf("%d", request_both(stream));
		end_capture(captured);
		go = true;
		MUST(cuCtxSynchronize());
		printf("%d ", request_both(stream));
	}
	puts("");
}

static void in_a_capture_while_memory_is_short(void)
{
	CUstream stream = apart(), busy = apart(), captured = apart();
	CUdeviceptr block;

	for (int mode = 0; mode < MODES; mode++) {
		leave_idle(stream);
		begin(captured, mode);
		printf("%d", request_both(captured));
		end_capture(captured);
		leave_idle(stream);
		go = false;
		MUST(cuLaunchHostFunc(busy, held, NULL));
		begin(captured, mode);
		printf("%d ", request(&block, 2 * SHORT, captured));
		end_capture(captured);
		go = true;
		MUST(cuCtxSynchronize());
	}
	puts("");
}

static CUstream held_up;
static atomic_int step; /* of the thread that captures */
static int mode_now;

static void *captures(void *unused)
{
	(void)unused;
	MUST(cuCtxSetCurrent(context));
	begin(held_up, mode_now);
	step = 1;
	while (step != 2)
		;
	end_capture(held_up);
	return NULL;
}

static void while_memory_is_short_beside_a_threads_capture(void)
{
	CUstream stream = apart(), busy = apart();
	pthread_t thread;

	held_up = apart();
	for (mode_now = 0; mode_now < MODES; mode_now++) {
		leave_idle(stream);
		go = false;
		MUST(cuLaunchHostFunc(busy, held, NULL));
		step = 0;
		pthread_create(&thread, NULL, captures, NULL);
		while (step != 1)
			;
		printf("%d", request_both(stream));
		go = true;
		MUST(cuStreamSynchronize(stream));
		printf("%d ", request_both(stream));
		step = 2;
		pthread_join(thread, NULL);
	}
	puts("");
}

/* What is captured is no work, in whatever stream it is. */
static void capture_in_two_streams(CUstream first, CUstream second)
{
	CUdeviceptr block;
	CUevent fork = event_new(), joined = event_new();

	MUST(cuMemAlloc(&block, SIZE));
	MUST(cuMemsetD8Async(block, 1, SIZE, first));
	MUST(cuEventRecord(fork, first));
	MUST(cuStreamWaitEvent(second, fork, 0));
	MUST(cuMemsetD8Async(block, 2, SIZE, second));
	MUST(cuEventRecord(joined, second));
	MUST(cuStreamWaitEvent(first, joined, 0));
	MUST(cuMemFree(block));
}

/* Nor is what CUDA has served meanwhile. */
static void beside_a_capture_of_work(void)
{
	CUstream stream = apart(), captured = apart(), second = apart();
	CUdeviceptr small;

	leave_idle(stream);
	begin(captured, CU_STREAM_CAPTURE_MODE_RELAXED);
	capture_in_two_streams(captured, second);
	printf("%d", request(&small, SIZE, stream));
	MUST(cuMemFreeAsync(small, stream));
	printf(" %d\n", request_both(stream));
	end_capture(captured);
}

static void beside_a_capture_and_later_work(void)
{
	CUstream stream = apart(), captured = apart(), busy = apart();

	leave_idle(stream);
	begin(captured, CU_STREAM_CAPTURE_MODE_RELAXED);
	MUST(cuLaunchHostFunc(busy, held, NULL));
	printf("%d", request_both(stream));
	end_capture(captured);
	go = true;
	MUST(cuCtxSynchronize());
	printf(" %d\n", request_both(stream));
}

/* The work ends while the request waits. */
static void beside_a_capture_and_work_of_before(void)
{
	CUstream stream = apart(), captured = apart(), busy = apart();

	leave_idle(stream);
	MUST(cuLaunchHostFunc(busy, lasting, NULL));
	begin(captured, CU_STREAM_CAPTURE_MODE_RELAXED);
	printf("%d\n", request_both(stream));
	end_capture(captured);
}

static void after_a_capture(void)
{
	CUstream stream = apart(), captured = apart();
	CUdeviceptr block = asked(stream);

	begin(captured, CU_STREAM_CAPTURE_MODE_RELAXED);
	end_capture(captured);
	used(block, stream);
	puts("used");
}

const struct ordered_case ordered_captures[] = {
	CASE(after_a_capture),
	CASE(while_memory_is_short_beside_a_capture),
	CASE(in_a_capture_while_memory_is_short),
	CASE(while_memory_is_short_beside_a_threads_capture),
	CASE(beside_a_capture_of_work),
	CASE(beside_a_capture_and_later_work),
	CASE(beside_a_capture_and_work_of_before),
	{0},
};
