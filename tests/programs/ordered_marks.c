/* Marks of the legacy stream, which tests/behaviour/test_ordered.py counts. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "ordered.h"

static CUstream waits, apart_from_it;
static CUevent event;

/* A request and a free in the legacy stream, each before an action. First they
 * are new to mnm, and then they are not. */
static void before_each(void (*act)(void))
{
	CUdeviceptr block;

	waits = made(CU_STREAM_DEFAULT);
	apart_from_it = apart();
	event = event_new();
	mix();
	MUST(cuEventRecord(event, apart_from_it));
	for (int i = 0; i < 2; i++) {
		block = asked(NULL);
		act();
		MUST(cuMemFreeAsync(over(block), NULL));
		act();
	}
}

static void work_in(CUstream stream)
{
	MUST(cuLaunchHostFunc(stream, nothing, NULL));
}

#define BEFORE(what, call) \
	static void what(void) \
	{ \
		call; \
	} \
	static void before_##what(void) \
	{ \
		before_each(what); \
	}

BEFORE(work, work_in(waits))
BEFORE(work_of_a_threads_own, work_in(CU_STREAM_PER_THREAD))
BEFORE(work_apart, work_in(apart_from_it))
BEFORE(work_of_the_legacy_stream, work_in(NULL))
BEFORE(an_event, MUST(cuEventRecord(event, waits)))
BEFORE(an_event_apart, MUST(cuEventRecord(event, apart_from_it)))
BEFORE(an_event_of_the_legacy_stream,
       MUST(cuEventRecordWithFlags(event, NULL, 0)))
BEFORE(a_wait_of_the_stream, MUST(cuStreamWaitEvent(waits, event, 0)))
BEFORE(a_wait, MUST(cuStreamSynchronize(waits)))
BEFORE(a_wait_for_the_legacy_stream, MUST(cuStreamSynchronize(NULL)))
BEFORE(a_wait_apart, MUST(cuStreamSynchronize(apart_from_it)))
BEFORE(a_query, MUST(cuStreamQuery(waits)))
BEFORE(a_query_of_the_legacy_stream, MUST(cuStreamQuery(NULL)))
BEFORE(a_streams_end, MUST(cuStreamDestroy_v2(made(CU_STREAM_DEFAULT))))

/* Kernels and host functions take the place of marks. */
static void work_in_both(void)
{
	work_in(NULL);
	work_in(waits);
}

static void work_after_refused_work(void)
{
	if (!cuLaunchHostFunc(NULL, NULL, NULL))
		puts("not refused");
	work_in(waits);
}

static void work_after_an_empty_copy(void)
{
	MUST(cuMemsetD8Async(0, 0, 0, NULL));
	work_in(waits);
}

static void work_before_a_free(void)
{
	work_in_both();
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	work_in(waits);
}

static void before_work_before_a_free(void)
{
	before_each(work_before_a_free);
}

static void before_work_in_both(void)
{
	before_each(work_in_both);
}

static void before_work_after_refused_work(void)
{
	before_each(work_after_refused_work);
}

static void before_work_after_an_empty_copy(void)
{
	before_each(work_after_an_empty_copy);
}

static void a_capture(void)
{
	CUgraph graph;

	MUST(cuStreamBeginCapture_v2(apart_from_it,
				     CU_STREAM_CAPTURE_MODE_RELAXED));
	MUST(cuStreamEndCapture(apart_from_it, &graph));
}

static void before_a_capture(void)
{
	before_each(a_capture);
}

/* Entries of the interop headers may do anything. */
static void an_unseen_call(void)
{
	CUresult (*unseen)(void);

	*(void **)&unseen = dlsym(RTLD_DEFAULT, "cuGLInit");
	if (unseen)
		unseen();
}

static void before_an_unseen_call(void)
{
	before_each(an_unseen_call);
}

static void nothing_follows(void)
{
}

static void before_nothing(void)
{
	before_each(nothing_follows);
}

/* Requests in a stream that waits for the legacy one, of which each is new to
 * mnm. */
static void twice_in_a_stream_that_waits(void)
{
	CUdeviceptr block;

	waits = made(CU_STREAM_DEFAULT);
	mix();
	for (int i = 1; i < 4; i++)
		MUST(cuMemAllocAsync(&block, (size_t)i * SIZE, waits));
	puts("asked");
}

/* Work of the legacy stream orders what was freed before it. */
static void behind_work_in_a_marks_place(void)
{
	CUdeviceptr block, next;

	waits = made(CU_STREAM_DEFAULT);
	mix();
	used(asked(waits), waits);
	block = asked_and_used(NULL);
	MUST(cuMemFreeAsync(over(block), NULL));
	work_in_both();
	next = asked(waits);
	used(next, waits);
	compare(next, block);
}

/* Work that was queued before the request does not. */
static void behind_work_before_the_free(void)
{
	CUdeviceptr blocks[2];

	waits = made(CU_STREAM_DEFAULT);
	mix();
	used(asked(waits), waits);
	for (int i = 0; i < 2; i++)
		blocks[i] = asked(NULL);
	work_in(NULL);
	for (int i = 0; i < 2; i++)
		used(blocks[i], NULL);
	MUST(cuLaunchHostFunc(NULL, lasting, NULL));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(over(blocks[i]), NULL));
	work_in(waits);
	used(asked(waits), waits);
	puts("used");
}

/* The legacy stream has no room for a mark, and its work waits for the
 * caller. */
static void beside_a_full_legacy_stream(void)
{
	pthread_t later;

	waits = made(CU_STREAM_DEFAULT);
	mix();
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	pthread_create(&later, NULL, lets_go, NULL);
	MUST(cuLaunchHostFunc(NULL, held, NULL));
	for (int i = 1; i < 16; i++)
		work_in(NULL);
	cuStreamQuery(waits);
	work_in(waits);
	cuStreamQuery(CU_STREAM_PER_THREAD);
	puts(go ? "later" : "at once");
	pthread_join(later, NULL);
}

/* The legacy stream of another device has no room for the mark that is due
 * there, and its work waits for the caller. */
static void beside_a_full_legacy_stream_of_another_device(void)
{
	CUcontext other = device_entered(1);
	CUdeviceptr block;

	made(CU_STREAM_DEFAULT);
	mix();
	block = asked(NULL);
	MUST(cuLaunchHostFunc(NULL, held, NULL));
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	for (int i = 1; i < 16; i++)
		MUST(cuMemsetD8Async(block, 0, 1, NULL));
	MUST(cuCtxSetCurrent(context));
	waits = made(CU_STREAM_DEFAULT);
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	work_in(waits);
	MUST(cuStreamQuery(CU_STREAM_PER_THREAD));
	MUST(cuStreamSynchronize(waits));
	MUST(cuStreamDestroy_v2(waits));
	puts("at once");
	go = true;
	MUST(cuCtxSetCurrent(other));
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(context));
}

/* What was due there is no concern of others. */
static void after_the_end_of_a_context_with_a_mark(void)
{
	device_entered(1);
	made(CU_STREAM_DEFAULT);
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	MUST(cuDevicePrimaryCtxReset(1));
	MUST(cuCtxSetCurrent(context));
	waits = made(CU_STREAM_DEFAULT);
	work_in(waits);
	puts("worked");
}

/* A mark that is refused is not set again, but the next one is set at once. */
static void before_marks_that_are_refused(void)
{
	CUdeviceptr block;

	waits = made(CU_STREAM_DEFAULT);
	mix();
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	work_in(waits);
	for (int i = 0; i < 3; i++) {
		block = asked(NULL);
		MUST(cuMemFreeAsync(over(block), NULL));
	}
	puts("freed");
}

/* A mark of the legacy stream orders nothing in a stream that does not wait for
 * it. */
static void beside_a_stream_that_does_not_wait(void)
{
	CUdeviceptr block;

	waits = made(CU_STREAM_DEFAULT);
	apart_from_it = apart();
	mix();
	used(asked(waits), waits);
	used(asked(NULL), NULL);
	block = asked_and_used(apart_from_it);
	MUST(cuMemFreeAsync(over(block), apart_from_it));
	MUST(cuMemAllocAsync(&block, (size_t)64 * SIZE, NULL));
	work_in(waits);
	used(asked(NULL), NULL);
	puts("used");
}

static void twice_in_the_legacy_stream(void)
{
	CUdeviceptr blocks[2];

	made(CU_STREAM_DEFAULT);
	mix();
	for (int i = 0; i < 2; i++)
		blocks[i] = asked(NULL);
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(over(blocks[i]), NULL));
	puts("freed");
}

/* The tables of NVIDIA's runtime make no streams that the program uses. */
static void in_the_legacy_stream_before_a_table(void)
{
	CUuuid which = {{1}};
	const void *table;
	CUdeviceptr block;

	mix();
	block = asked_and_used(NULL);
	cuGetExportTable(&table, &which);
	MUST(cuMemFreeAsync(over(block), NULL));
	compare(asked(NULL), block);
	cuStreamQuery(NULL);
}

static void in_the_legacy_stream_before_unseen_calls(void)
{
	CUdeviceptr block;

	mix();
	block = asked_and_used(NULL);
	an_unseen_call();
	MUST(cuMemFreeAsync(over(block), NULL));
	compare(asked(NULL), block);
	cuStreamQuery(NULL);
}

/* The driver is told to refuse a record of an event. Where mnm can't see all
 * calls, each request and free is marked at once. */
static void in_the_legacy_stream_where_a_place_is_refused(void)
{
	CUdeviceptr block;
	CUresult res;

	forbid(SYS_membarrier, SECCOMP_RET_ERRNO | ENOSYS);
	made(CU_STREAM_DEFAULT);
	mix();
	MUST(cuMemAllocAsync(&block, SIZE, NULL));
	res = cuMemFreeAsync(block, NULL);
	if (res)
		MUST(cuMemFreeAsync(block, NULL));
	printf("%d\n", (int)res);
}

const struct ordered_case ordered_marks[] = {
	CASE(twice_in_the_legacy_stream),
	CASE(in_the_legacy_stream_before_a_table),
	CASE(in_the_legacy_stream_before_unseen_calls),
	CASE(in_the_legacy_stream_where_a_place_is_refused),
	CASE(before_work),
	CASE(before_work_of_a_threads_own),
	CASE(before_work_apart),
	CASE(before_work_of_the_legacy_stream),
	CASE(before_an_event),
	CASE(before_an_event_apart),
	CASE(before_an_event_of_the_legacy_stream),
	CASE(before_a_wait_of_the_stream),
	CASE(before_a_wait),
	CASE(before_a_wait_for_the_legacy_stream),
	CASE(before_a_wait_apart),
	CASE(before_a_query),
	CASE(before_a_query_of_the_legacy_stream),
	CASE(before_a_streams_end),
	CASE(before_a_capture),
	CASE(before_an_unseen_call),
	CASE(before_nothing),
	CASE(before_marks_that_are_refused),
	CASE(beside_a_stream_that_does_not_wait),
	CASE(before_work_in_both),
	CASE(before_work_before_a_free),
	CASE(before_work_after_refused_work),
	CASE(before_work_after_an_empty_copy),
	CASE(behind_work_in_a_marks_place),
	CASE(behind_work_before_the_free),
	CASE(beside_a_full_legacy_stream),
	CASE(beside_a_full_legacy_stream_of_another_device),
	CASE(twice_in_a_stream_that_waits),
	CASE(after_the_end_of_a_context_with_a_mark),
	{0},
};
