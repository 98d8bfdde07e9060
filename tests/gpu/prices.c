/* What calls of the driver cost the host on this machine. Prints one JSON
 * object of {"call": {"least": NS, "median": NS, "p90": NS}}. The device is
 * idle before each call that is timed. If the driver lacks a call or refuses
 * it, the value is the error code.
 *
 *     prices [COUNT]    samples of each call, by default 2000 */
#include "prices.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LARGE = 64 << 20, LARGE_COUNT = 100 };

static const char ptx[] = ".version 6.4\n.target sm_75\n.address_size 64\n"
			  ".visible .entry nothing()\n{\n  ret;\n}\n";

static CUresult block_alloc(struct world *world)
{
	return cuMemAlloc(&world->block, world->size);
}

static CUresult block_free(struct world *world)
{
	return cuMemFree(world->block);
}

/* No wait comes between these two: a wait would give the pool's memory back,
 * and the next request would be the price of mapping it anew. */
static CUresult async_alloc(struct world *world)
{
	return cuMemAllocAsync(&world->block, world->size, world->stream);
}

static CUresult async_free(struct world *world)
{
	return cuMemFreeAsync(world->block, world->stream);
}

static CUresult synchronize(struct world *world)
{
	(void)world;
	return cuCtxSynchronize();
}

static CUresult current(struct world *world)
{
	CUcontext ctx;

	(void)world;
	return cuCtxGetCurrent(&ctx);
}

static CUresult info(struct world *world)
{
	size_t unused, total;

	(void)world;
	return cuMemGetInfo(&unused, &total);
}

static CUresult launch(struct world *world)
{
	return cuLaunchKernel(world->nothing, 1, 1, 1, 32, 1, 1, 0,
			      world->stream, NULL, NULL);
}

static CUresult fill(struct world *world)
{
	return cuMemsetD8Async(world->keep, 1, 4 * KIB, world->stream);
}

static CUresult event_record(struct world *world)
{
	return cuEventRecord(world->event, world->stream);
}

static CUresult event_query(struct world *world)
{
	return cuEventQuery(world->event);
}

static CUresult stream_wait(struct world *world)
{
	return cuStreamWaitEvent(world->stream, world->event, 0);
}

static CUresult stream_synchronize(struct world *world)
{
	return cuStreamSynchronize(world->stream);
}

static CUresult context_record(struct world *world)
{
	return cuCtxRecordEvent(world->ctx, world->event);
}

static CUresult context_wait(struct world *world)
{
	return cuCtxWaitEvent(world->ctx, world->event);
}

/* Makes a fence as its two calls, after work was queued. */
static CUresult fence(struct world *world)
{
	CUresult res = context_record(world);

	return res ? res : context_wait(world);
}

/* Queues work and waits for it. */
static CUresult launch_synchronize(struct world *world)
{
	CUresult res = launch(world);

	return res ? res : cuCtxSynchronize();
}

static CUresult record_synchronize(struct world *world)
{
	CUresult res = event_record(world);

	return res ? res : cuCtxSynchronize();
}

static const struct price prices[] = {
	{"cuCtxGetCurrent", current, NULL, NULL},
	{"cuMemGetInfo", info, NULL, NULL},
	{"cuLaunchKernel", launch, NULL, synchronize},
	{"cuMemsetD8Async", fill, NULL, synchronize},
	{"cuEventRecord", event_record, NULL, synchronize},
	{"cuEventQuery", event_query, record_synchronize, NULL},
	{"cuStreamWaitEvent", stream_wait, record_synchronize, synchronize},
	{"cuStreamSynchronize", stream_synchronize, NULL, NULL},
	{"cuCtxSynchronize", synchronize, NULL, NULL},
	{"cuCtxRecordEvent", context_record, NULL, synchronize},
	{"cuCtxWaitEvent", context_wait, record_synchronize, synchronize},
	{"fence after a launch", fence, launch, synchronize},
	{"launch and cuCtxSynchronize", launch_synchronize, NULL, NULL},
};

static const struct price memory[] = {
	{"cuMemAlloc", block_alloc, NULL, block_free},
	{"cuMemFree", block_free, block_alloc, NULL},
	{"cuMemAllocAsync", async_alloc, NULL, async_free},
	{"cuMemFreeAsync", async_free, async_alloc, NULL},
};

static const size_t page_sizes_kib[] = {2 * KIB, 64 * KIB, KIB *KIB};
static const size_t many_kib[] = {MANY * PAGE / KIB};

static const size_t sizes_kib[] = {4,        64,       1 * KIB,  2 * KIB,
				   16 * KIB, 64 * KIB, 256 * KIB};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static CUresult price_sample(const struct price *price, struct world *world,
			     double *ns)
{
	CUresult res = price->before ? price->before(world) : CUDA_SUCCESS;
	double start;

	if (res)
		return res;
	start = now();
	res = price->call(world);
	*ns = now() - start;
	if (!res && price->after)
		res = price->after(world);
	return res;
}

/* Measures one call. The first tenth of the samples only warms it up. */
static void price_print(const struct price *price, struct world *world,
			int count, bool first)
{
	double *ns = calloc((size_t)count, sizeof(*ns));
	CUresult res = ns ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

	for (int i = -count / 10; !res && i < count; i++)
		res = price_sample(price, world, &ns[i < 0 ? 0 : i]);
	printf("%s\n  \"%s", first ? "{" : ",", price->name);
	if (world->size)
		printf(" %zu KiB", world->size / KIB);
	if (res) {
		printf("\": %d", res);
	} else {
		qsort(ns, (size_t)count, sizeof(*ns), ascending);
		printf("\": {\"least\": %.0f, \"median\": %.0f, "
		       "\"p90\": %.0f}",
		       ns[0], ns[count / 2], ns[count * 9 / 10]);
	}
	free(ns);
}

static CUresult world_open(struct world *world)
{
	CUmodule module;
	CUdevice dev;
	CUresult res = cuInit(0);

	if (!res)
		res = cuDeviceGet(&dev, 0);
	if (!res)
		res = cuDevicePrimaryCtxRetain(&world->ctx, dev);
	if (!res)
		res = cuCtxSetCurrent(world->ctx);
	if (!res)
		res = cuStreamCreate(&world->stream, CU_STREAM_NON_BLOCKING);
	if (!res)
		res = cuEventCreate(&world->event, CU_EVENT_DISABLE_TIMING);
	if (!res)
		res = cuModuleLoadData(&module, ptx);
	if (!res)
		res = cuModuleGetFunction(&world->nothing, module, "nothing");
	if (!res)
		res = cuMemAlloc(&world->keep, 4 * KIB);
	if (!res)
		res = cuMemAddressReserve(&world->place, PLACE_BYTES, 0, 0, 0);
	return res;
}

/* Each size with each of the calls. Large ones are tried less often. */
static void prices_of_sizes(const struct price *rows, size_t row_count,
			    const size_t *kib, size_t kib_count,
			    struct world *world, int count)
{
	for (size_t i = 0; i < kib_count; i++) {
		world->size = kib[i] * KIB;
		for (size_t k = 0; k < row_count; k++)
			price_print(&rows[k], world,
				    world->size >= LARGE && count > LARGE_COUNT
					    ? LARGE_COUNT
					    : count,
				    false);
	}
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 2000;
	struct world world = {0};
	CUresult res;

	if (count < 10 || argc > 2) {
		fprintf(stderr, "usage: prices [COUNT], 10 or more\n");
		return 2;
	}
	res = world_open(&world);
	if (res) {
		fprintf(stderr, "prices: no device: error %d\n", res);
		return 1;
	}
	for (size_t i = 0; i < sizeof(prices) / sizeof(*prices); i++)
		price_print(&prices[i], &world, count, !i);
	prices_of_sizes(memory, sizeof(memory) / sizeof(*memory), sizes_kib,
			sizeof(sizes_kib) / sizeof(*sizes_kib), &world, count);
	prices_of_sizes(page_prices, PAGE_PRICES, page_sizes_kib,
			sizeof(page_sizes_kib) / sizeof(*page_sizes_kib),
			&world, count);
	prices_of_sizes(many_prices, MANY_PRICES, many_kib, 1, &world, count);
	printf("\n}\n");
	return 0;
}
