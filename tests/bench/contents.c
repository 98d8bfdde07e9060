/* Plays a trace as a job on a device does: each block is filled in its stream,
 * and read back and compared before its free. Prints what came of it as one
 * line of JSON. The simulated device's checker (MNM_SIM_CHECK=1) is told which
 * block is whose. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda.h>

#include "trace/trace_file.h"
#include "allocator.h"
#include "contender.h"
#include "fail.h"
#include "sim/check.h"

/* Both ends of a block are filled, and a few words at each SPOT_STEP of
 * addresses in between. So any two large blocks that overlap share some. */
enum { WORD = sizeof(uint32_t), END = 64, SPOT = 16, SPOT_STEP = 1 << 20 };
enum { ROOM = 8 << 20, PARTS = 1 << 16 };

struct block {
	CUdeviceptr start; /* 0 if the request was refused */
	size_t size;
	unsigned int stream;
	uint32_t word; /* what it is filled with */
};

/* Words that were read back, and what each has to be. */
struct part {
	uint32_t word;
	size_t first, count;
};

static struct contender who;
static struct block *blocks; /* by the id of the trace */
static uint32_t *room;       /* pinned, of ROOM words */
static struct part parts[PARTS];
static size_t part_count, used;
static unsigned long served, refused, waits, words, wrong;
static void (*own)(unsigned long long addr, size_t size, const char *label);
static void (*disown)(unsigned long long addr);
static unsigned long (*violations)(void);

static void must(int res, const char *what)
{
	char why[32];

	snprintf(why, sizeof(why), "error %d", res);
	if (res)
		fail(what, why);
}

/* An allocator that follows no streams has all its blocks used in one. */
static CUstream stream_of(unsigned int stream)
{
	return who.stream ? who.stream(stream) : NULL;
}

/* Waits for all that was read back, and compares it. */
static void parts_compare(void)
{
	must(cuStreamSynchronize(stream_of(0)), "cuStreamSynchronize");
	for (size_t i = 0; i < part_count; i++) {
		for (size_t at = 0; at < parts[i].count; at++)
			wrong += room[parts[i].first + at] != parts[i].word;
		words += parts[i].count;
	}
	part_count = used = 0;
}

static uint32_t *part_take(uint32_t word, size_t count)
{
	if (used + count > ROOM || part_count == PARTS)
		parts_compare();
	parts[part_count++] = (struct part){word, used, count};
	used += count;
	return &room[used - count];
}

static void words_fill(const struct block *block, CUdeviceptr start,
		       size_t count)
{
	must(cuMemsetD32Async(start, block->word, count,
			      stream_of(block->stream)),
	     "cuMemsetD32Async");
}

static void words_read(const struct block *block, CUdeviceptr start,
		       size_t count)
{
	must(cuMemcpyDtoHAsync(part_take(block->word, count), start,
			       count * WORD, stream_of(0)),
	     "cuMemcpyDtoHAsync");
}

static void spots_fill(const struct block *block, CUdeviceptr start,
		       size_t count)
{
	must(cuMemsetD2D32Async(start, SPOT_STEP, block->word, SPOT, count,
				stream_of(block->stream)),
	     "cuMemsetD2D32Async");
}

static void spots_read(const struct block *block, CUdeviceptr start,
		       size_t count)
{
	CUDA_MEMCPY2D copy = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = start,
		.srcPitch = SPOT_STEP,
		.dstMemoryType = CU_MEMORYTYPE_HOST,
		.dstHost = part_take(block->word, count * SPOT),
		.dstPitch = SPOT * WORD,
		.WidthInBytes = SPOT * WORD,
		.Height = count,
	};

	must(cuMemcpy2DAsync(&copy, stream_of(0)), "cuMemcpy2DAsync");
}

typedef void visit(const struct block *block, CUdeviceptr start, size_t count);

/* Visits both ends of a block, and its spots. */
static void block_visit(const struct block *block, visit *ends, visit *spots)
{
	size_t count = block->size / WORD;
	CUdeviceptr first = block->start + END * WORD, spot;
	CUdeviceptr last = block->start + (count - END) * WORD;

	if (count <= 2 * END) {
		if (count)
			ends(block, block->start, count);
		return;
	}
	ends(block, block->start, END);
	ends(block, last, END);
	spot = (first + SPOT_STEP - 1) / SPOT_STEP * SPOT_STEP;
	if (spot + SPOT * WORD <= last)
		spots(block, spot, (last - SPOT * WORD - spot) / SPOT_STEP + 1);
}

static void *block_ask(const struct block *block)
{
	return who.alloc_in ? who.alloc_in(block->size, block->stream)
			    : who.alloc(block->size);
}

/* A request that is refused is made once more after a wait, as TensorFlow and
 * CuPy do. */
static void block_alloc(struct block *block)
{
	void *ptr = block_ask(block);

	if (!ptr) {
		waits++;
		parts_compare();
		ptr = block_ask(block);
	}
	block->start = (CUdeviceptr)(uintptr_t)ptr;
	if (!ptr) {
		refused++;
		return;
	}
	served++;
	if (own)
		own(block->start, block->size, "the trace");
	block_visit(block, words_fill, spots_fill);
	if (who.order && block->stream)
		who.order(block->stream, 0);
}

/* No event puts the block's own stream behind this: whoever has the memory next
 * is ordered by the allocator alone. */
static void block_free(struct block *block)
{
	void *ptr = (void *)(uintptr_t)block->start;

	if (!ptr)
		return;
	block_visit(block, words_read, spots_read);
	if (disown)
		disown(block->start);
	if (who.free_in)
		who.free_in(ptr, block->size, block->stream, 0);
	else
		who.free(ptr, block->size);
}

static void event_play(const struct trace_event *event)
{
	static int iteration = -1;
	struct block *block = &blocks[event->id];

	if (event->kind == TRACE_FREE) {
		block_free(block);
	} else if (event->kind == TRACE_MALLOC) {
		*block = (struct block){
			.size = event->bytes,
			.stream = event->stream,
			.word = (uint32_t)event->id * 2654435761u | 1};
		block_alloc(block);
	} else if (event->iteration != iteration) {
		/* As where a job looks at its loss now and then. */
		if (event->iteration % 2)
			parts_compare();
		iteration = event->iteration;
	}
}

static void trace_play(const struct trace_file *trace)
{
	if (trace->streams > BENCH_STREAMS)
		fail(trace->path, "has more than two streams");
	blocks = calloc(trace->last_id + 1, sizeof(*blocks));
	if (!blocks)
		fail("blocks", "no memory on the host");
	for (size_t i = 0; i < trace->count; i++)
		event_play(&trace->events[i]);
	parts_compare();
	free(blocks);
}

/* An attribute of the default pool. */
static unsigned long long figure(CUmemPool_attribute attribute)
{
	cuuint64_t value = 0;
	CUmemoryPool pool;

	must(cuDeviceGetDefaultMemPool(&pool, 0), "cuDeviceGetDefaultMemPool");
	must(cuMemPoolGetAttribute(pool, attribute, &value),
	     "cuMemPoolGetAttribute");
	return value;
}

static void results_print(void)
{
	printf("{\"served\": %lu, \"refused\": %lu, \"waits\": %lu, "
	       "\"words\": %lu, \"wrong\": %lu, \"violations\": %lu, "
	       "\"used\": %llu, \"used_high\": %llu}\n",
	       served, refused, waits, words, wrong,
	       violations ? violations() : 0,
	       figure(CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
	       figure(CU_MEMPOOL_ATTR_USED_MEM_HIGH));
}

int main(int argc, char **argv)
{
	struct trace_file trace;

	if (argc != 3) {
		fprintf(stderr, "usage: contents DRIVER.so TRACE\n");
		return 2;
	}
	if (trace_open(&trace, argv[2]))
		return 1; /* trace_open has said why */
	contender_open(&who, argv[1]);
	*(void **)&own = dlsym(RTLD_DEFAULT, "sim_own");
	*(void **)&disown = dlsym(RTLD_DEFAULT, "sim_disown");
	*(void **)&violations = dlsym(RTLD_DEFAULT, "sim_violations");
	must(cuMemHostAlloc((void **)&room, ROOM * (size_t)WORD, 0),
	     "cuMemHostAlloc");
	trace_play(&trace);
	results_print();
	must(cuMemFreeHost(room), "cuMemFreeHost");
	trace_close(&trace);
	return 0;
}
