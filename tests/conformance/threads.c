#include "claims.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 100, COUNT = 3000 };

struct job {
	CUcontext ctx;
	CUfunction add;
	int number;
	CUresult res;
	int wrong; /* how many numbers were wrong */
	CUstream default_stream;
	unsigned flags;
};

static int count_wrong(const int *seen, int want)
{
	int wrong = 0;

	for (int i = 0; i < COUNT; i++)
		wrong += seen[i] != want;
	return wrong;
}

/* Allocates, computes, reads back and frees in a stream of its own. */
static CUresult round_run(struct job *job, CUstream stream, int round)
{
	int want = job->number * 1000 + round;
	int *seen = malloc(COUNT * sizeof(int));
	CUdeviceptr ptr;
	CUresult res = cuMemAlloc(&ptr, (COUNT + round * 64) * sizeof(int));

	if (!res)
		res = cuMemsetD32Async(ptr, want - 1, COUNT, stream);
	if (!res)
		res = claims_add(job->add, ptr, 1, COUNT, stream);
	if (!res)
		res = cuMemcpyDtoHAsync(seen, ptr, COUNT * sizeof(int), stream);
	if (!res)
		res = cuStreamSynchronize(stream);
	if (!res)
		res = cuMemFree(ptr);
	if (!res)
		job->wrong += count_wrong(seen, want);
	free(seen);
	return res;
}

static void *own_stream_job(void *user)
{
	struct job *job = user;
	CUstream stream;

	job->res = cuCtxSetCurrent(job->ctx);
	if (!job->res)
		job->res = cuStreamCreate(&stream, job->flags);
	for (int round = 0; !job->res && round < ROUNDS; round++)
		job->res = round_run(job, stream, round);
	if (!job->res)
		job->res = cuStreamDestroy(stream);
	return NULL;
}

static void *default_stream_job(void *user)
{
	struct job *job = user;

	job->res = cuCtxSetCurrent(job->ctx);
	for (int round = 0; !job->res && round < ROUNDS; round++)
		job->res = round_run(job, job->default_stream, round);
	return NULL;
}

/* Fills and reads back, and learns only from the event that it may look at the
 * result. The first record has nothing to wait for, and must not change
 * that. */
static CUresult event_round(struct job *job, CUstream stream, CUevent event,
			    CUdeviceptr ptr, int *seen, int round)
{
	int want = job->number * 1000 + round;
	CUresult res = cuEventRecord(event, stream);

	if (!res)
		res = cuMemsetD32Async(ptr, want, COUNT, stream);
	if (!res)
		res = cuMemcpyDtoHAsync(seen, ptr, COUNT * sizeof(int), stream);
	if (!res)
		res = cuEventRecord(event, stream);
	while (!res) {
		res = cuEventQuery(event);
		if (res != CUDA_ERROR_NOT_READY)
			break;
		res = CUDA_SUCCESS;
	}
	if (!res)
		job->wrong += count_wrong(seen, want);
	return res;
}

static void *event_job(void *user)
{
	struct job *job = user;
	void *seen = NULL;
	CUdeviceptr ptr = 0;
	CUstream stream;
	CUevent event;

	job->res = cuCtxSetCurrent(job->ctx);
	if (!job->res)
		job->res = cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
	if (!job->res)
		job->res = cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
	if (!job->res)
		job->res = cuMemAlloc(&ptr, COUNT * sizeof(int));
	if (!job->res)
		job->res = cuMemAllocHost(&seen, COUNT * sizeof(int));
	for (int round = 0; !job->res && round < ROUNDS; round++)
		job->res = event_round(job, stream, event, ptr, seen, round);
	return NULL;
}

/* The memory's next user, maybe in another thread, must not be early. */
static CUresult ordered_round(CUstream stream, int want, int *seen)
{
	CUdeviceptr ptr;
	CUresult res = cuMemAllocAsync(&ptr, COUNT * sizeof(int), stream);

	if (!res)
		res = cuMemsetD32Async(ptr, want, COUNT, stream);
	if (!res)
		res = cuMemcpyDtoHAsync(seen, ptr, COUNT * sizeof(int), stream);
	return res ? res : cuMemFreeAsync(ptr, stream);
}

/* Reads back after all rounds, so that rounds of all threads mix. */
static void *ordered_job(void *user)
{
	int(*seen)[COUNT] = NULL;
	struct job *job = user;
	CUstream stream;

	job->res = cuCtxSetCurrent(job->ctx);
	if (!job->res)
		job->res = cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
	if (!job->res)
		job->res =
			cuMemAllocHost((void **)&seen, ROUNDS * sizeof(*seen));
	for (int i = 0; !job->res && i < ROUNDS; i++)
		job->res =
			ordered_round(stream, job->number * 1000 + i, seen[i]);
	if (!job->res)
		job->res = cuStreamSynchronize(stream);
	for (int i = 0; !job->res && i < ROUNDS; i++)
		job->wrong += count_wrong(seen[i], job->number * 1000 + i);
	return NULL;
}

static void jobs_run(void *(*run)(void *), struct job like)
{
	struct job jobs[THREADS];
	pthread_t threads[THREADS];

	like.ctx = claims_open();
	like.add = claims_kernel();
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = like;
		jobs[i].number = i + 1;
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, run, &jobs[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		ck_assert_ok(jobs[i].res);
		ck_assert_int_eq(jobs[i].wrong, 0);
	}
}

START_TEST(threads_compute_apart_in_streams_of_their_own)
{
	jobs_run(own_stream_job, (struct job){.flags = CU_STREAM_NON_BLOCKING});
}
END_TEST

START_TEST(threads_compute_apart_in_blocking_streams)
{
	jobs_run(own_stream_job, (struct job){.flags = CU_STREAM_DEFAULT});
}
END_TEST

START_TEST(threads_share_the_legacy_stream)
{
	jobs_run(default_stream_job,
		 (struct job){.default_stream = CU_STREAM_LEGACY});
}
END_TEST

START_TEST(threads_have_default_streams_of_their_own)
{
	jobs_run(default_stream_job,
		 (struct job){.default_stream = CU_STREAM_PER_THREAD});
}
END_TEST

START_TEST(threads_know_by_events_when_their_work_is_over)
{
	jobs_run(event_job, (struct job){0});
}
END_TEST

START_TEST(threads_share_a_pool)
{
	cuuint64_t used;
	CUmemoryPool pool;

	jobs_run(ordered_job, (struct job){0});
	ck_assert_ok(cuDeviceGetDefaultMemPool(&pool, 0));
	ck_assert_ok(cuMemPoolGetAttribute(
		pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	ck_assert_uint_eq(used, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		threads_compute_apart_in_streams_of_their_own,
		threads_compute_apart_in_blocking_streams,
		threads_share_the_legacy_stream,
		threads_have_default_streams_of_their_own,
		threads_know_by_events_when_their_work_is_over,
		threads_share_a_pool,
		NULL,
	};

	return claims_run("threads", tests);
}
