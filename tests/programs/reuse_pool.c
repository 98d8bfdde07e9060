/* reuse_pool CASE: memory of a pool has two lives under the checker of the
 * simulated device. Prints the number of violations. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4 << 20, PART = 4096 };

static CUstream first, second; /* non-blocking */
static atomic_int over;

static void check(CUresult res)
{
	if (!res)
		return;
	fprintf(stderr, "CUDA error %d\n", res);
	exit(1);
}

static void fill(CUdeviceptr to, CUstream in)
{
	check(cuMemsetD8Async(to, 1, PART, in));
}

static void note(void *unused)
{
	(void)unused;
	over = 1;
}

/* Sees that the stream's work is over, but not by a call of CUDA. */
static void look(CUstream stream)
{
	CUcontext any;

	check(cuLaunchHostFunc(stream, note, NULL));
	while (!over)
		/* With a seed, queued work runs only inside calls. */
		check(cuCtxGetCurrent(&any));
}

/* A pool that may hold so many bytes; 0 for no limit. */
static CUmemoryPool pool_new(size_t most)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = most};
	CUmemoryPool pool;

	check(cuMemPoolCreate(&pool, &props));
	return pool;
}

static void forbid(CUmemoryPool pool, CUmemPool_attribute policy)
{
	int none = 0;

	check(cuMemPoolSetAttribute(pool, policy, &none));
}

static CUdeviceptr block_new(CUmemoryPool pool, CUstream stream)
{
	CUdeviceptr block;

	check(cuMemAllocFromPoolAsync(&block, SIZE, pool, stream));
	return block;
}

/* A block that the first stream has used and freed. */
static CUdeviceptr freed_in_first(CUmemoryPool pool)
{
	CUdeviceptr block = block_new(pool, first);

	fill(block, first);
	check(cuMemFreeAsync(block, first));
	return block;
}

/* The pool has to give that block to the stream, which uses it. */
static void again(CUmemoryPool pool, CUdeviceptr former, CUstream stream)
{
	CUdeviceptr block = block_new(pool, stream);

	fill(block, stream);
	if (block != former)
		fprintf(stderr, "other memory\n");
}

/* The pool has to give the stream another block. */
static void apart(CUmemoryPool pool, CUdeviceptr former, CUstream stream)
{
	CUdeviceptr block = block_new(pool, stream);

	fill(block, stream);
	if (block == former)
		fprintf(stderr, "the same memory\n");
}

static void order(CUstream before, CUstream after)
{
	CUevent event;

	check(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	check(cuEventRecord(event, before));
	check(cuStreamWaitEvent(after, event, 0));
}

static void in_one_stream(void)
{
	CUmemoryPool pool = pool_new(0);

	again(pool, freed_in_first(pool), first);
}

static void after_an_event(void)
{
	CUmemoryPool pool = pool_new(0);
	CUdeviceptr former = freed_in_first(pool);

	order(first, second);
	again(pool, former, second);
}

static void by_luck(void)
{
	CUmemoryPool pool = pool_new(0);
	CUdeviceptr former = freed_in_first(pool);

	look(first);
	again(pool, former, second);
}

static void by_luck_where_that_is_off(void)
{
	CUmemoryPool pool = pool_new(0);
	CUdeviceptr former = freed_in_first(pool);

	forbid(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC);
	look(first);
	apart(pool, former, second);
}

static void by_a_wait_of_the_stream(void)
{
	CUmemoryPool pool = pool_new(SIZE);

	again(pool, freed_in_first(pool), second);
}

/* Other streams come behind that wait by an event, as usual. */
static void behind_a_wait_of_the_stream(void)
{
	CUmemoryPool pool = pool_new(SIZE);
	CUdeviceptr block;

	freed_in_first(pool);
	block = block_new(pool, second);
	check(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	order(second, first);
	fill(block, first);
}

/* The first of the block's two lives may not be over yet. */
static void freed_by_the_host(void)
{
	CUmemoryPool pool = pool_new(0);
	CUdeviceptr former = freed_in_first(pool);

	check(cuMemFree(block_new(pool, first)));
	again(pool, former, first);
}

static void freed_by_the_host_with_the_rest_to_come(void)
{
	CUmemoryPool pool = pool_new(0);
	CUdeviceptr former = freed_in_first(pool);

	check(cuMemFree(block_new(pool, first)));
	forbid(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC);
	apart(pool, former, second);
}

static void of_a_destroyed_pool(void)
{
	CUmemoryPool pool = pool_new(0);
	CUdeviceptr other;

	freed_in_first(pool);
	check(cuMemPoolDestroy(pool));
	look(first);
	check(cuMemAlloc(&other, SIZE));
	fill(other, second);
}

/* Room for what does not fit: a free that happens to be complete. */
static void of_another_size(void)
{
	CUmemoryPool pool = pool_new(2 * SIZE);
	CUdeviceptr block;

	freed_in_first(pool);
	look(first);
	check(cuMemAllocFromPoolAsync(&block, 2 * SIZE, pool, second));
	fill(block, second);
}

static void in_a_stream_of_no_order(void)
{
	CUmemoryPool pool = pool_new(0);

	freed_in_first(pool);
	fill(block_new(pool, first), second);
}

static void beside_a_wait_of_the_stream(void)
{
	CUmemoryPool pool = pool_new(SIZE);
	CUstream third;

	check(cuStreamCreate(&third, CU_STREAM_NON_BLOCKING));
	freed_in_first(pool);
	fill(block_new(pool, second), third);
}

static void freed_by_the_host_too_early(void)
{
	CUdeviceptr block = block_new(pool_new(0), first);

	fill(block, first);
	check(cuMemFree(block));
}

/* clang-format off */
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(name) {#name, name}
	CASE(in_one_stream), CASE(after_an_event), CASE(by_luck),
	CASE(by_luck_where_that_is_off), CASE(by_a_wait_of_the_stream),
	CASE(behind_a_wait_of_the_stream), CASE(freed_by_the_host),
	CASE(freed_by_the_host_with_the_rest_to_come),
	CASE(of_a_destroyed_pool), CASE(of_another_size),
	CASE(in_a_stream_of_no_order), CASE(beside_a_wait_of_the_stream),
	CASE(freed_by_the_host_too_early),
};
/* clang-format on */

static void start(void)
{
	CUcontext ctx;

	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&ctx, 0));
	check(cuCtxSetCurrent(ctx));
	check(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	check(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
}

int main(int argc, char **argv)
{
	unsigned long (*violations)(void) =
		dlsym(RTLD_DEFAULT, "sim_violations");

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (argc != 2 || strcmp(argv[1], cases[i].name))
			continue;
		start();
		cases[i].run();
		check(cuCtxSynchronize());
		printf("%lu\n", violations());
		return 0;
	}
	return 2;
}
