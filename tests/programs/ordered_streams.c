#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"

static void in_its_stream(void)
{
	CUstream stream = apart();
	CUdeviceptr block, next;

	mix();
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	next = asked(stream);
	used(next, stream);
	compare(next, block);
}

static void in_another_stream(void)
{
	CUstream stream = apart(), other = apart();

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void in_another_stream_that_is_known(void)
{
	CUstream stream = apart(), other = apart();
	CUdeviceptr block;

	mix();
	used(asked(other), other);
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void in_the_legacy_stream(void)
{
	CUdeviceptr block, next;

	mix();
	block = asked_and_used(NULL);
	MUST(cuMemFreeAsync(over(block), CU_STREAM_LEGACY));
	next = asked(NULL);
	used(next, NULL);
	compare(next, block);
}

static void in_a_stream_after_its_end(void)
{
	CUstream stream = apart(), later;

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuStreamDestroy(stream));
	for (int i = 0; i < 4; i++) {
		later = apart();
		used(asked(later), later);
	}
	puts("used");
}

/* One stream has been alone for a while, so that its order is enough. */
static void alone(CUstream stream)
{
	for (int i = 0; i < 3; i++) {
		CUdeviceptr block;

		MUST(cuMemAlloc(&block, 1));
		MUST(cuMemsetD8Async(begun(block, 1), 1, 1, stream));
		MUST(cuMemFree(over(block)));
	}
	MUST(cuStreamSynchronize(stream));
}

/* The later stream must not get the number of the former one together with what
 * is kept by it. */
static void used_in_a_later_stream(void)
{
	CUstream later = apart();
	CUdeviceptr other;

	MUST(cuMemAllocAsync(&other, 2 * SIZE, later)); /* nothing idle fits */
	begun(other, 2 * SIZE);
	MUST(cuMemsetD8Async(other, 1, 2 * SIZE, later));
	for (int i = 0; i < 4; i++)
		used(asked(later), later);
	puts("used");
}

static void in_a_stream_alone_after_its_end(void)
{
	CUstream stream = apart();

	alone(stream);
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuStreamDestroy(stream));
	used_in_a_later_stream();
}

static void in_the_legacy_stream_alone(void)
{
	alone(NULL);
	MUST(cuMemFreeAsync(over(asked_and_used(NULL)), NULL));
	made(CU_STREAM_DEFAULT);
	used_in_a_later_stream();
}

static void freed_by_the_plain_call(void)
{
	CUstream stream = apart();
	CUdeviceptr block, next;

	mix();
	block = asked(stream);
	MUST(cuMemFree(over(block)));
	MUST(cuMemAlloc(&block, SIZE));
	begun(block, SIZE);
	MUST(cuLaunchHostFunc(stream, held, NULL));
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	next = asked(stream);
	used(next, stream);
	compare(next, block);
}

static void *of_another_thread(void *unused)
{
	CUdeviceptr block, next;

	(void)unused;
	MUST(cuCtxSetCurrent(context));
	block = asked_and_used(CU_STREAM_PER_THREAD);
	MUST(cuMemFreeAsync(over(block), CU_STREAM_PER_THREAD));
	next = asked(CU_STREAM_PER_THREAD);
	used(next, CU_STREAM_PER_THREAD);
	compare(next, block);
	MUST(cuMemFreeAsync(over(next), CU_STREAM_PER_THREAD));
	return NULL;
}

static void in_a_threads_own_stream(void)
{
	pthread_t thread;

	mix();
	pthread_create(&thread, NULL, of_another_thread, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 4; i++)
		used(asked(CU_STREAM_PER_THREAD), CU_STREAM_PER_THREAD);
	puts("used");
}

/* No free of such memory waits, although mnm has memory to give back. */
static void freed_by_the_plain_call_under_work(void)
{
	CUstream stream = apart();
	CUdeviceptr block, plain[8];

	block = asked(stream);
	for (int i = 0; i < 8; i++)
		MUST(cuMemAlloc(&plain[i], (size_t)(i + 1) * 4 * SIZE));
	for (int i = 0; i < 8; i++)
		MUST(cuMemFree(plain[i]));
	MUST(cuLaunchHostFunc(apart(), held, NULL));
	MUST(cuMemFree(over(block)));
	puts("freed");
}

/* The handle of a stream that is gone becomes another one's. What was freed in
 * the first one's order waits for work elsewhere. */
static void in_a_stream_with_a_handle_of_before(void)
{
	CUstream stream = apart(), worker = apart(), before = stream;
	CUevent event = event_new();
	CUdeviceptr block;

	mix();
	block = asked_and_used(worker);
	MUST(cuEventRecord(event, worker));
	MUST(cuStreamWaitEvent(stream, event, 0));
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuStreamDestroy(stream));
	for (int i = 0; i < 4; i++) {
		stream = apart();
		used(asked(stream), stream);
		if (stream == before)
			break;
	}
	puts("used");
}

static void *asks_in_its_own_stream(void *frees)
{
	CUdeviceptr block;

	MUST(cuCtxSetCurrent(context));
	if (frees) {
		block = asked_and_used(CU_STREAM_PER_THREAD);
		MUST(cuMemFreeAsync(over(block), CU_STREAM_PER_THREAD));
	} else {
		used(asked(CU_STREAM_PER_THREAD), CU_STREAM_PER_THREAD);
	}
	return NULL;
}

/* The second thread's memory may lie where the first one's was. */
static void in_a_later_threads_own_stream(void)
{
	pthread_t thread;
	bool frees = true;

	mix();
	for (int i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, asks_in_its_own_stream,
			       frees ? &frees : NULL);
		pthread_join(thread, NULL);
		frees = false;
	}
	puts("used");
}

/* Neither call succeeds, and the block stays the program's. A part of a region
 * is freed all the same. */
static void in_a_stream_that_is_gone(void)
{
	CUstream gone = apart(), stream = apart();
	CUdeviceptr block, next;
	bool stays;

	mix();
	block = asked(stream);
	MUST(cuStreamDestroy(gone));
	printf("%d", cuMemAllocAsync(&next, SIZE, gone) != CUDA_SUCCESS);
	stays = cuMemFreeAsync(block, gone) != CUDA_SUCCESS;
	printf(" %d", stays);
	if (stays) {
		used(block, stream);
		MUST(cuMemFreeAsync(over(block), stream));
	}
	puts(" freed");
}

static void freed_twice(void)
{
	CUstream stream = apart();
	CUdeviceptr block = asked(stream);

	MUST(cuMemFreeAsync(over(block), stream));
	printf("%d", (int)cuMemFreeAsync(over(block), stream));
	printf(" %d", (int)cuMemFree(block));
	printf(" %d", (int)cuMemFreeAsync(0x1000, stream));
	printf(" %d", (int)cuMemAllocAsync(&block, 0, stream));
	printf(" %d\n", (int)cuMemAllocAsync(NULL, SIZE, stream));
}

const struct ordered_case ordered_streams[] = {
	CASE(in_its_stream),
	CASE(in_another_stream),
	CASE(in_another_stream_that_is_known),
	CASE(in_the_legacy_stream),
	CASE(in_a_stream_after_its_end),
	CASE(in_a_stream_alone_after_its_end),
	CASE(in_the_legacy_stream_alone),
	CASE(freed_by_the_plain_call),
	CASE(freed_by_the_plain_call_under_work),
	CASE(in_a_threads_own_stream),
	CASE(in_a_stream_with_a_handle_of_before),
	CASE(in_a_later_threads_own_stream),
	CASE(in_a_stream_that_is_gone),
	CASE(freed_twice),
	{0},
};
