/* Is a freed block reused while earlier work may still write to it?
 *
 *     reuse streams|threads|contexts|capture ROUNDS
 *
 * In a round a slow kernel on one stream writes to a block. The block is freed,
 * and one of that size asked for. That one is filled on another stream, which
 * must read its own fill back, both at once and when all work is over.
 * Prints one line of counts. Exit status: 0 if all is right, 1 if something was
 * wrong, 2 if a call failed, 77 if the driver can't do it. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reuse_kernels.cuh"

enum { EXIT_WRONG = 1, EXIT_BROKEN = 2, EXIT_SKIPPED = 77 };
enum { BLOCKS = 4, THREADS = 64 };
enum { LATE_NS = 2000000, WORDS_MAX = 1 << 18 };
static const uint32_t FIRST = 0x11111111, LATE = 0xeeeeeeee, NEXT = 0x22222222;
static const size_t sizes[] = {1024, 16 * 1024 + 1, WORDS_MAX}; /* words */

/* Streams of one context, and what the rounds in it share. */
struct place {
	CUcontext ctx; /* NULL for the primary context */
	cudaStream_t before, after, capture;
	unsigned *early; /* counts words written too soon; on the device */
	uint32_t *copy;  /* pinned memory of WORDS_MAX words */
};

struct round {
	struct place *place;
	size_t count;        /* words of a block */
	uint32_t *old, *now; /* the block before the free, and after */
	unsigned wrong;      /* how often the new block did not hold NEXT */
};

struct counts {
	unsigned rounds, wrong, reused;
};

/* A second thread that runs one function at a time. */
struct helper {
	pthread_t thread;
	sem_t go, done;
	void (*work)(struct round *round);
	struct round *round;
};

static struct helper helper;

static void check(int result, const char *call, int line)
{
	if (!result)
		return;
	printf("reuse.cu:%d: %s: error %d\n", line, call, result);
	exit(result == CUDA_ERROR_NOT_SUPPORTED ? EXIT_SKIPPED : EXIT_BROKEN);
}
#define CHECK(call) check((int)(call), #call, __LINE__)

static void *helper_main(void *unused)
{
	(void)unused;
	CHECK(cudaSetDevice(0));
	for (;;) {
		sem_wait(&helper.go);
		if (!helper.work)
			return NULL;
		helper.work(helper.round);
		sem_post(&helper.done);
	}
}

static void helper_start(void)
{
	sem_init(&helper.go, 0, 0);
	sem_init(&helper.done, 0, 0);
	CHECK(pthread_create(&helper.thread, NULL, helper_main, NULL));
}

static void helper_stop(void)
{
	helper.work = NULL;
	sem_post(&helper.go);
	pthread_join(helper.thread, NULL);
}

static void helper_run(void (*work)(struct round *), struct round *round)
{
	helper.work = work;
	helper.round = round;
	sem_post(&helper.go);
	sem_wait(&helper.done);
}

static void place_enter(const struct place *place)
{
	if (place->ctx)
		CHECK(cuCtxSetCurrent(place->ctx));
}

static void place_open(struct place *place, CUcontext ctx)
{
	place->ctx = ctx;
	place_enter(place);
	CHECK(cudaStreamCreateWithFlags(&place->before, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&place->after, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&place->capture,
					cudaStreamNonBlocking));
	CHECK(cudaMalloc((void **)&place->early, sizeof(*place->early)));
	CHECK(cudaMemset(place->early, 0, sizeof(*place->early)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMallocHost((void **)&place->copy,
			     WORDS_MAX * sizeof(*place->copy)));
}

static unsigned place_early(const struct place *place)
{
	unsigned early = 0;

	place_enter(place);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(&early, place->early, sizeof(early),
			 cudaMemcpyDeviceToHost));
	return early;
}

static void words_fill(uint32_t *words, size_t count, uint32_t value,
		       cudaStream_t stream)
{
	write_all<<<BLOCKS, THREADS, 0, stream>>>(words, count, value);
	CHECK(cudaGetLastError());
}

/* The block's first life: it is filled, and then a kernel still writes to
 * it. */
static void round_begin(struct round *round)
{
	struct place *place = round->place;

	place_enter(place);
	CHECK(cudaMalloc((void **)&round->old, round->count * sizeof(FIRST)));
	words_fill(round->old, round->count, FIRST, place->before);
	write_late<<<1, 1, 0, place->before>>>(round->old, round->count, FIRST,
					       LATE, LATE_NS, place->early);
	CHECK(cudaGetLastError());
}

static void round_free(struct round *round)
{
	place_enter(round->place);
	CHECK(cudaFree(round->old));
}

static void round_malloc(struct round *round)
{
	place_enter(round->place);
	CHECK(cudaMalloc((void **)&round->now, round->count * sizeof(NEXT)));
}

static void round_exchange(struct round *round)
{
	round_free(round);
	round_malloc(round);
}

static void round_fill(struct round *round)
{
	place_enter(round->place);
	words_fill(round->now, round->count, NEXT, round->place->after);
}

/* Waits for the work queued so far in the stream `after`. Counts the block if
 * it does not hold NEXT then. */
static void round_compare(struct round *round)
{
	struct place *place = round->place;
	size_t i = 0;

	place_enter(place);
	CHECK(cudaStreamSynchronize(place->after));
	CHECK(cudaMemcpyAsync(place->copy, round->now,
			      round->count * sizeof(NEXT),
			      cudaMemcpyDeviceToHost, place->after));
	CHECK(cudaStreamSynchronize(place->after));
	while (i < round->count && place->copy[i] == NEXT)
		i++;
	round->wrong += i < round->count;
}

static void round_finish(struct round *round)
{
	round_compare(round);
	CHECK(cudaStreamSynchronize(round->place->before));
	round_compare(round);
	CHECK(cudaFree(round->now));
}

static void streams_run(struct round *round)
{
	round_begin(round);
	round_exchange(round);
	round_fill(round);
	round_finish(round);
}

/* The same with the block's second life on another thread. Each thread has a
 * default stream of its own. */
static void next_begin(struct round *round)
{
	round_malloc(round);
	round_fill(round);
	round_compare(round);
}

static void next_end(struct round *round)
{
	round_compare(round);
	CHECK(cudaFree(round->now));
}

static void threads_run(struct round *round)
{
	round_begin(round);
	round_free(round);
	helper_run(next_begin, round);
	CHECK(cudaStreamSynchronize(round->place->before));
	helper_run(next_end, round);
}

/* Ends the capture, runs its graph twice in the stream `after`, and compares
 * the block that it fills. */
static void graph_run(struct round *round)
{
	struct place *place = round->place;
	cudaGraph_t graph;
	CUgraphExec exec;

	CHECK(cudaStreamEndCapture(place->capture, &graph));
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	CHECK(cuGraphLaunch(exec, place->after));
	round_compare(round);
	CHECK(cudaStreamSynchronize(place->before));
	round_compare(round);
	words_fill(round->now, round->count, FIRST, place->after);
	CHECK(cuGraphLaunch(exec, place->after));
	round_compare(round);
	CHECK(cuGraphExecDestroy(exec));
	CHECK(cuGraphDestroy(graph));
}

/* In its second life a captured kernel fills the block. It is freed and asked
 * for on the capturing thread, or on another one, or it is freed just before
 * the capture. */
static void capture_run(struct round *round, unsigned kind)
{
	cudaStream_t stream = round->place->capture;

	round_begin(round);
	if (kind == 2)
		round_free(round);
	CHECK(cudaStreamBeginCapture(
		stream, kind == 1 ? cudaStreamCaptureModeThreadLocal
				  : cudaStreamCaptureModeRelaxed));
	if (kind == 0)
		round_exchange(round);
	else if (kind == 1)
		helper_run(round_exchange, round);
	else
		round_malloc(round);
	words_fill(round->now, round->count, NEXT, stream);
	graph_run(round);
	CHECK(cudaFree(round->now));
}

/* A whole round beside a capture that it has nothing to do with. */
static void beside_run(struct round *round)
{
	struct round captured = {round->place, round->count, NULL, NULL, 0};

	round_malloc(&captured);
	CHECK(cudaStreamBeginCapture(round->place->capture,
				     cudaStreamCaptureModeRelaxed));
	words_fill(captured.now, captured.count, NEXT, round->place->capture);
	streams_run(round);
	graph_run(&captured);
	round->wrong += captured.wrong;
	CHECK(cudaFree(captured.now));
}

static void counts_add(struct counts *counts, const struct round *round)
{
	counts->rounds++;
	counts->wrong += round->wrong > 0;
	counts->reused += round->now == round->old;
}

static void rounds_run(const char *variant, struct place *place,
		       struct counts *counts, unsigned number)
{
	struct round round = {place, sizes[number / 4 % 3], NULL, NULL, 0};

	if (!strcmp(variant, "threads"))
		threads_run(&round);
	else if (!strcmp(variant, "streams"))
		streams_run(&round);
	else if (number % 4 == 3)
		beside_run(&round);
	else
		capture_run(&round, number % 4);
	counts_add(counts, &round);
}

/* A round in each of two contexts, with their work and their blocks
 * interleaved. */
static void contexts_run(struct place places[2], struct counts *counts,
			 unsigned number)
{
	struct round rounds[2] = {};

	for (int i = 0; i < 2; i++) {
		rounds[i].place = &places[i];
		rounds[i].count = sizes[number % 3];
		round_begin(&rounds[i]);
	}
	for (int i = 0; i < 2; i++)
		round_free(&rounds[i]);
	for (int i = 0; i < 2; i++) {
		round_malloc(&rounds[i]);
		round_fill(&rounds[i]);
	}
	for (int i = 0; i < 2; i++) {
		round_finish(&rounds[i]);
		counts_add(counts, &rounds[i]);
	}
}

static void places_open(struct place places[2], const char *variant)
{
	CUdevice device;

	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	if (!strcmp(variant, "contexts")) {
		for (int i = 0; i < 2; i++) {
			CUcontext ctx;

			CHECK(cuCtxCreate(&ctx, NULL, 0, device));
			place_open(&places[i], ctx);
		}
		return;
	}
	CHECK(cudaSetDevice(0));
	place_open(&places[0], NULL);
	if (!strcmp(variant, "threads")) {
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
		places[0].before = places[0].after = 0;
#else
		places[0].before = places[0].after = cudaStreamPerThread;
#endif
	}
}

static int variant_known(const char *variant)
{
	return !strcmp(variant, "streams") || !strcmp(variant, "threads") ||
	       !strcmp(variant, "contexts") || !strcmp(variant, "capture");
}

int main(int argc, char **argv)
{
	const unsigned rounds = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
	struct place places[2] = {};
	struct counts counts = {};
	unsigned early;
	int two;

	if (!rounds || !variant_known(argv[1])) {
		fprintf(stderr, "usage: reuse streams|threads|contexts|capture "
				"ROUNDS\n");
		return EXIT_BROKEN;
	}
	two = !strcmp(argv[1], "contexts");
	places_open(places, argv[1]);
	helper_start();
	for (unsigned number = 0; counts.rounds < rounds; number++) {
		if (two)
			contexts_run(places, &counts, number);
		else
			rounds_run(argv[1], &places[0], &counts, number);
	}
	helper_stop();
	early = place_early(&places[0]) + (two ? place_early(&places[1]) : 0);
	printf("rounds %u wrong %u early %u reused %u\n", counts.rounds,
	       counts.wrong, early, counts.reused);
	return counts.wrong || early ? EXIT_WRONG : 0;
}
