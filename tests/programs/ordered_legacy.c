#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"
#include "preload/elf_symbol.h"

/* CUDA's request and free in the legacy stream put the two others in order, as
 * these wait for it. A block that is handed out again has to be in order,
 * too. */
static void in_the_legacy_stream_beside_others_that_wait(void)
{
	CUstream stream = made(CU_STREAM_DEFAULT);
	CUstream other = made(CU_STREAM_DEFAULT);

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), NULL));
	for (int i = 0; i < 4; i++)
		used(asked(NULL), other);
	puts("used");
}

static void in_the_legacy_stream_before_another_waits(void)
{
	CUstream stream, other;
	CUdeviceptr next;

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(NULL)), NULL));
	stream = made(CU_STREAM_DEFAULT);
	next = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(next), NULL));
	other = made(CU_STREAM_DEFAULT);
	for (int i = 0; i < 4; i++)
		used(asked(NULL), other);
	puts("used");
}

/* The legacy stream waits for the thread's own one, which waits for the
 * first. */
static void in_the_legacy_stream_behind_a_threads_own(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUdeviceptr block;
	pthread_t thread;

	mix();
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	block = asked_and_used(stream);
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(CU_STREAM_PER_THREAD, event, 0));
	MUST(cuMemFreeAsync(over(block), NULL));
	pthread_create(&thread, NULL, lets_go, NULL);
	MUST(cuStreamSynchronize(NULL));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	pthread_join(thread, NULL);
	puts("used");
}

/* A stream that waits for the legacy one: what is freed or asked for in it, and
 * then waited for, comes after the work of that one. */
static void behind_the_legacy_stream(bool asks)
{
	CUstream stream = made(CU_STREAM_DEFAULT), other = apart();
	CUdeviceptr block;
	pthread_t thread;

	mix();
	used(asked(stream), stream);
	block = asked_and_used(NULL);
	MUST(cuMemFreeAsync(over(block), stream));
	if (asks)
		block = asked(stream);
	pthread_create(&thread, NULL, lets_go, NULL);
	MUST(cuStreamSynchronize(stream));
	for (int i = 0; i < 4; i++)
		used(asks ? block : asked(other), other);
	pthread_join(thread, NULL);
	puts("used");
}

static void freed_behind_the_legacy_stream(void)
{
	behind_the_legacy_stream(false);
}

static void asked_for_behind_the_legacy_stream(void)
{
	behind_the_legacy_stream(true);
}

/* Another stream's capture changes nothing about that. */
static void asked_for_behind_the_legacy_stream_beside_a_capture(void)
{
	CUstream stream = made(CU_STREAM_DEFAULT), other = apart();
	CUstream captured = apart();
	CUdeviceptr block;
	CUgraph graph;
	pthread_t thread;

	mix();
	used(asked(stream), stream);
	MUST(cuMemFreeAsync(over(asked_and_used(NULL)), stream));
	block = asked(stream);
	MUST(cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
	pthread_create(&thread, NULL, lets_go, NULL);
	MUST(cuStreamSynchronize(stream));
	used(block, other);
	MUST(cuStreamEndCapture(captured, &graph));
	pthread_join(thread, NULL);
	puts("used");
}

/* What the program does with other memory relies on the place that CUDA gives
 * the call. */
static void a_free_in_the_legacy_stream_orders_others(void)
{
	CUstream first = made(CU_STREAM_DEFAULT);
	CUstream second = made(CU_STREAM_DEFAULT);
	CUdeviceptr block, other;

	mix();
	other = asked(NULL);
	block = asked_and_used(first);
	MUST(cuMemFreeAsync(over(other), NULL));
	used(block, second);
	puts("used");
}

static void a_request_in_the_legacy_stream_orders_others(void)
{
	CUstream first = made(CU_STREAM_DEFAULT);
	CUstream second = made(CU_STREAM_DEFAULT);
	CUdeviceptr block;

	mix();
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	block = asked_and_used(first);
	asked(NULL);
	used(block, second);
	puts("used");
}

static void a_request_in_the_legacy_stream_orders_a_threads_own(void)
{
	CUstream second = made(CU_STREAM_DEFAULT);
	CUdeviceptr block;

	mix();
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	block = asked_and_used(CU_STREAM_PER_THREAD);
	asked(NULL);
	used(block, second);
	puts("used");
}

/* The legacy stream comes after what was freed in the others, and they after
 * what was freed in it. */
static void behind_the_legacy_streams_order(void)
{
	CUstream first = made(CU_STREAM_DEFAULT);
	CUstream second = made(CU_STREAM_DEFAULT);
	CUdeviceptr block, next;

	mix();
	used(asked(second), second);
	block = asked_and_used(first);
	MUST(cuMemFreeAsync(over(block), first));
	next = asked(NULL);
	used(next, NULL);
	compare(next, block);
	MUST(cuMemFreeAsync(over(next), NULL));
	next = asked(second);
	used(next, second);
	compare(next, block);
}

/* A request of the legacy stream puts the others in order, whatever serves it.
 * CUDA's own pools need not do that. */
static void behind_a_request_of_the_legacy_stream(void)
{
	CUstream first = made(CU_STREAM_DEFAULT);
	CUstream second = made(CU_STREAM_DEFAULT);
	CUdeviceptr block, other, next;

	mix();
	used(asked(second), second);
	block = asked_and_used(first);
	MUST(cuMemFreeAsync(over(block), first));
	MUST(cuMemAllocAsync(&other, (size_t)64 * SIZE, NULL));
	next = asked(second);
	used(next, second);
	compare(next, block);
}

/* It comes before what is queued in the others after the call, no sooner. */
static void before_the_legacy_streams_order(void)
{
	CUstream first = made(CU_STREAM_DEFAULT), other = apart();
	CUdeviceptr blocks[2];

	mix();
	used(asked(other), other);
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	for (int i = 0; i < 2; i++)
		blocks[i] = asked_and_used(first);
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(over(blocks[i]), first));
	asked(NULL); /* takes one of them */
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

/* CUDA refuses a place in the legacy stream while one that waits for it
 * captures. Nothing is freed then. */
static void in_the_legacy_stream_beside_a_capture(void)
{
	CUstream first = made(CU_STREAM_DEFAULT);
	CUdeviceptr block;
	CUgraph graph;

	mix();
	block = asked(NULL);
	MUST(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_RELAXED));
	printf("%d", (int)cuMemFreeAsync(block, NULL));
	printf(" %d", (int)cuStreamEndCapture(first, &graph));
	used(block, NULL);
	printf(" %d\n", (int)cuMemFreeAsync(over(block), NULL));
}

/* mnm finds out once memory is asked for in such a stream. */
static void in_the_legacy_stream_beside_others_made_unseen(void)
{
	__typeof__(&cuStreamCreate) unseen;
	CUstream first, second;

	mix();
	*(void **)&unseen = elf_symbol("libcuda.so", "cuStreamCreate");
	MUST(unseen(&first, CU_STREAM_DEFAULT));
	MUST(unseen(&second, CU_STREAM_DEFAULT));
	MUST(cuMemFreeAsync(over(asked_and_used(first)), NULL));
	used(asked(NULL), second);
	puts("used");
}

/* A mark in the legacy stream of one device orders nothing on others. */
static void before_another_devices_legacy_streams_order(void)
{
	CUcontext other = device_entered(1);
	CUstream first = made(CU_STREAM_DEFAULT);
	CUstream second = made(CU_STREAM_DEFAULT);

	used(asked(second), second);
	MUST(cuMemFreeAsync(over(asked_and_used(first)), first));
	MUST(cuCtxSetCurrent(context));
	made(CU_STREAM_DEFAULT);
	for (int i = 0; i < 4; i++)
		MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	MUST(cuCtxSetCurrent(other));
	for (int i = 0; i < 4; i++)
		used(asked(second), second);
	puts("used");
	MUST(cuCtxSetCurrent(context));
	go = true;
	MUST(cuCtxSetCurrent(other));
	MUST(cuCtxSynchronize());
}

/* The stream has had memory, and the legacy one gets work that lasts. Who waits
 * for the stream does not wait for that. */
static void waited_for_beside_the_legacy_stream(CUstream stream)
{
	CUdeviceptr block;

	mix();
	block = asked(stream);
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	used(asked(stream), stream);
	MUST(cuLaunchHostFunc(NULL, held, NULL));
	MUST(cuStreamSynchronize(stream));
	puts("no hang");
}

static void a_wait_beside_the_legacy_stream(void)
{
	waited_for_beside_the_legacy_stream(made(CU_STREAM_DEFAULT));
}

static void a_threads_own_wait_beside_the_legacy_stream(void)
{
	waited_for_beside_the_legacy_stream(CU_STREAM_PER_THREAD);
}

/* What is freed behind the legacy stream is not over before that. */
static void a_query_behind_the_legacy_stream(void)
{
	CUstream stream = made(CU_STREAM_DEFAULT);
	CUdeviceptr block;

	mix();
	used(asked(stream), stream);
	MUST(cuStreamSynchronize(stream));
	block = asked_and_used(NULL);
	MUST(cuMemFreeAsync(over(block), stream));
	printf("%d\n", (int)cuStreamQuery(stream));
}

/* Nobody says that the legacy stream waits for a stream that is gone. */
static void in_the_legacy_stream_after_anothers_end(void)
{
	CUstream first = made(CU_STREAM_DEFAULT);
	CUdeviceptr block;

	made(CU_STREAM_DEFAULT);
	mix();
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	block = asked(first);
	used(block, first);
	MUST(cuMemFreeAsync(over(block), first));
	MUST(cuStreamDestroy_v2(first));
	for (int i = 0; i < 4; i++)
		used(asked(NULL), NULL);
	puts("used");
}

/* A request behind one of the legacy stream comes after what that comes
 * after. */
static void a_query_behind_a_request_behind_others(void)
{
	CUstream first = made(CU_STREAM_DEFAULT);
	CUstream second = made(CU_STREAM_DEFAULT);

	CUdeviceptr block;

	mix();
	for (int i = 0; i < 3; i++) {
		MUST(cuMemAllocAsync(&block, 3L * SIZE, NULL));
		MUST(cuMemFreeAsync(block, NULL));
	}
	for (int i = 0; i < 3; i++)
		MUST(cuMemFreeAsync(over(asked(second)), second));
	MUST(cuLaunchHostFunc(first, held, NULL));
	MUST(cuMemAllocAsync(&block, 3L * SIZE, NULL));
	asked(second);
	printf("%d\n", (int)cuStreamQuery(second));
}

static void a_query_behind_a_wait_of_the_legacy_stream(void)
{
	CUstream stream = made(CU_STREAM_DEFAULT), other = apart();
	CUevent event = event_new();

	mix();
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	for (int i = 0; i < 3; i++)
		MUST(cuMemFreeAsync(over(asked(stream)), stream));
	MUST(cuLaunchHostFunc(other, held, NULL));
	MUST(cuEventRecord(event, other));
	MUST(cuStreamWaitEvent(NULL, event, 0));
	asked(stream);
	printf("%d\n", (int)cuStreamQuery(stream));
}

const struct ordered_case ordered_legacy[] = {
	CASE(in_the_legacy_stream_beside_others_that_wait),
	CASE(in_the_legacy_stream_before_another_waits),
	CASE(in_the_legacy_stream_behind_a_threads_own),
	CASE(freed_behind_the_legacy_stream),
	CASE(asked_for_behind_the_legacy_stream),
	CASE(asked_for_behind_the_legacy_stream_beside_a_capture),
	CASE(a_free_in_the_legacy_stream_orders_others),
	CASE(a_request_in_the_legacy_stream_orders_others),
	CASE(a_request_in_the_legacy_stream_orders_a_threads_own),
	CASE(behind_the_legacy_streams_order),
	CASE(behind_a_request_of_the_legacy_stream),
	CASE(before_the_legacy_streams_order),
	CASE(in_the_legacy_stream_beside_a_capture),
	CASE(a_wait_beside_the_legacy_stream),
	CASE(a_threads_own_wait_beside_the_legacy_stream),
	CASE(a_query_behind_the_legacy_stream),
	CASE(a_query_behind_a_request_behind_others),
	CASE(a_query_behind_a_wait_of_the_legacy_stream),
	CASE(in_the_legacy_stream_after_anothers_end),
	CASE(in_the_legacy_stream_beside_others_made_unseen),
	CASE(before_another_devices_legacy_streams_order),
	{0},
};
