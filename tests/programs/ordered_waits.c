#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cuda.h>

#include "ordered.h"

static int request(CUdeviceptr *block, size_t size, CUstream stream)
{
	return (int)cuMemAllocAsync(block, size, stream);
}

/* Another thread's work that ends only once this thread's call is over. */
enum { TURNS = 200, SMALL = 3 * MEBI / 2, SMALLS = 20 };
static atomic_int turn, turns_done;

static void until_done(void *number)
{
	while (turns_done < (int)(uintptr_t)number)
		;
}

static void *works_for_each_turn(void *unused)
{
	CUstream stream;
	unsigned int seed = 1;

	(void)unused;
	MUST(cuCtxSetCurrent(context));
	stream = apart();
	for (int i = 1; i <= TURNS; i++) {
		while (turn < i)
			;
		for (volatile int spin = rand_r(&seed) % 200000; spin; spin--)
			;
		MUST(cuLaunchHostFunc(stream, until_done,
				      (void *)(uintptr_t)i));
		MUST(cuStreamSynchronize(stream));
	}
	return NULL;
}

/* A call that gives memory back does not wait for work, whenever it comes. */
static void beside_work_that_waits_for(void (*call)(CUstream, CUmemoryPool))
{
	CUstream stream = apart();
	CUdeviceptr blocks[SMALLS];
	CUmemoryPool pool;
	pthread_t thread;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	pthread_create(&thread, NULL, works_for_each_turn, NULL);
	for (int i = 1; i <= TURNS; i++) {
		for (int j = 0; j < SMALLS; j++)
			MUST(cuMemAllocAsync(&blocks[j], SMALL, stream));
		for (int j = 0; j < SMALLS; j++)
			MUST(cuMemFreeAsync(blocks[j], stream));
		turn = i;
		call(stream, pool);
		turns_done = i;
		MUST(cuCtxSynchronize());
	}
	pthread_join(thread, NULL);
	puts("no hang");
}

static void wait_for_stream(CUstream stream, CUmemoryPool pool)
{
	(void)pool;
	MUST(cuStreamSynchronize(stream));
}

static void trim(CUstream stream, CUmemoryPool pool)
{
	(void)stream;
	MUST(cuMemPoolTrimTo(pool, 0));
}

static void ask_for_more(CUstream stream, CUmemoryPool pool)
{
	CUdeviceptr block;

	(void)pool;
	if (!request(&block, 2 * SHORT, stream))
		MUST(cuMemFreeAsync(block, stream));
}

static void a_wait_beside_work_that_waits_for_it(void)
{
	cuuint64_t keeps = MEBI;
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &keeps));
	beside_work_that_waits_for(wait_for_stream);
}

static void a_trim_beside_work_that_waits_for_it(void)
{
	beside_work_that_waits_for(trim);
}

/* A request may be refused, as its memory does not come in time. */
static void a_request_beside_work_that_waits_for_it(void)
{
	beside_work_that_waits_for(ask_for_more);
}

/* Another process, whose work of each turn lasts until it is told to end it.
 * What is told goes by its standard input and output. */
static void told(int file, char what)
{
	if (write(file, &what, 1) != 1)
		exit(1);
}

static char heard(int file)
{
	char what;

	if (read(file, &what, 1) != 1)
		exit(1);
	return what;
}

static void until_heard(void *unused)
{
	(void)unused;
	heard(0);
}

static void as_another_process(void)
{
	CUstream stream = apart();
	CUipcEventHandle handle;
	CUevent event;

	MUST(cuEventCreate(&event,
			   CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
	MUST(cuIpcGetEventHandle(&handle, event));
	if (write(1, &handle, sizeof(handle)) != sizeof(handle))
		exit(1);
	for (int i = 0; i < TURNS; i++) {
		heard(0);
		MUST(cuLaunchHostFunc(stream, until_heard, NULL));
		MUST(cuEventRecord(event, stream));
		told(1, 'r');
		MUST(cuStreamSynchronize(stream));
	}
}

/* The ends of two pipes: to the other process, and from it. */
static void process_begin(int ends[2])
{
	char *words[] = {"ordered", "as_another_process", NULL};
	posix_spawn_file_actions_t files;
	int to[2], from[2];
	pid_t process;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		exit(1);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, to[0], 0);
	posix_spawn_file_actions_adddup2(&files, from[1], 1);
	if (posix_spawn(&process, "/proc/self/exe", &files, NULL, words,
			environ))
		exit(1);
	posix_spawn_file_actions_destroy(&files);
	close(to[0]);
	close(from[1]);
	ends[0] = to[1];
	ends[1] = from[0];
}

struct far_event {
	CUevent event;
	CUstream stream; /* waits for it */
};

static void *waits_in_each_turn(void *arg)
{
	struct far_event *far = arg;
	unsigned int seed = 1;

	MUST(cuCtxSetCurrent(context));
	for (int i = 1; i <= TURNS; i++) {
		while (turn < i)
			;
		for (volatile int spin = rand_r(&seed) % 200000; spin; spin--)
			;
		MUST(cuStreamWaitEvent(far->stream, far->event, 0));
		turns_done = i;
	}
	return NULL;
}

/* A trim does not wait for another process, which may wait for this one. */
static void a_trim_beside_a_wait_for_another_process(void)
{
	struct far_event far = {.stream = apart()};
	cuuint64_t most = UINT64_MAX;
	CUstream stream = apart();
	CUdeviceptr blocks[SMALLS];
	CUipcEventHandle handle;
	CUmemoryPool pool;
	pthread_t thread;
	int ends[2];

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	process_begin(ends);
	if (read(ends[1], &handle, sizeof(handle)) != sizeof(handle))
		exit(1);
	MUST(cuIpcOpenEventHandle(&far.event, handle));
	pthread_create(&thread, NULL, waits_in_each_turn, &far);
	for (int i = 1; i <= TURNS; i++) {
		told(ends[0], 'b');
		heard(ends[1]);
		for (int j = 0; j < SMALLS; j++)
			MUST(cuMemAllocAsync(&blocks[j], SMALL, stream));
		for (int j = 0; j < SMALLS; j++)
			MUST(cuMemFreeAsync(blocks[j], stream));
		MUST(cuStreamSynchronize(stream));
		turn = i;
		MUST(cuMemPoolTrimTo(pool, 0));
		while (turns_done < i)
			;
		told(ends[0], 'e');
		MUST(cuStreamSynchronize(far.stream));
	}
	pthread_join(thread, NULL);
	puts("no hang");
}

/* The wait that begins beside a capture is work, and not the capture's. */
static void a_request_beside_a_capture_and_a_wait_for_another_process(void)
{
	struct far_event far = {.stream = apart()};
	CUstream stream = apart(), captured = apart();
	CUdeviceptr blocks[2], block;
	CUipcEventHandle handle;
	CUgraph graph;
	int ends[2];

	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	process_begin(ends);
	if (read(ends[1], &handle, sizeof(handle)) != sizeof(handle))
		exit(1);
	MUST(cuIpcOpenEventHandle(&far.event, handle));
	told(ends[0], 'b');
	heard(ends[1]);
	MUST(cuStreamSynchronize(stream));
	MUST(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_RELAXED));
	MUST(cuStreamWaitEvent(far.stream, far.event, 0));
	printf("%d", request(&block, 2 * SHORT, stream));
	MUST(cuStreamEndCapture(captured, &graph));
	told(ends[0], 'e');
	MUST(cuStreamSynchronize(far.stream));
	printf(" %d\n", request(&block, 2 * SHORT, stream));
}

static atomic_bool asking, answered;

static void *asks_for_more(void *stream)
{
	CUdeviceptr block;

	MUST(cuCtxSetCurrent(context));
	asking = true;
	request(&block, 2 * SHORT, stream);
	answered = true;
	return NULL;
}

/* A thread is not cancelled in a request, which CUDA's would be no place for.
 * Otherwise mnm would take memory to be short from then on. */
static void in_a_thread_that_is_cancelled(void)
{
	CUstream stream = apart(), busy = apart();
	CUdeviceptr blocks[2];
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	MUST(cuLaunchHostFunc(busy, lasting, NULL));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	pthread_create(&thread, NULL, asks_for_more, stream);
	while (!asking)
		;
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	puts(answered ? "answered" : "cancelled");
}

static atomic_int awaiting; /* 1: a request waits for memory; 2: it is over */

static void *waits_in_vain(void *stream)
{
	CUdeviceptr block;

	MUST(cuCtxSetCurrent(context));
	awaiting = 1;
	request(&block, 2 * SHORT, stream);
	awaiting = 2;
	return NULL;
}

/* Meanwhile another thread uses again what it frees. */
static void beside_a_request_that_waits(void)
{
	CUstream stream = apart(), other = apart();
	CUdeviceptr blocks[2], block, next;
	int rounds = 0, same = 0;
	pthread_t thread;

	mix();
	MUST(cuMemFreeAsync(over(asked(other)), other));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	pthread_create(&thread, NULL, waits_in_vain, stream);
	while (!awaiting)
		;
	while (awaiting == 1) {
		block = asked(other);
		MUST(cuMemFreeAsync(over(block), other));
		next = asked(other);
		MUST(cuMemFreeAsync(over(next), other));
		rounds++;
		same += next == block;
	}
	pthread_join(thread, NULL);
	puts(2 * same >= rounds ? "the same" : "others");
}

const struct ordered_case ordered_waits[] = {
	CASE(beside_a_request_that_waits),
	CASE(a_wait_beside_work_that_waits_for_it),
	CASE(a_trim_beside_work_that_waits_for_it),
	CASE(a_request_beside_work_that_waits_for_it),
	CASE(as_another_process),
	CASE(a_trim_beside_a_wait_for_another_process),
	CASE(a_request_beside_a_capture_and_a_wait_for_another_process),
	CASE(in_a_thread_that_is_cancelled),
	{0},
};
