/* Pools of CUDA's, what they say, and one after the other. While any stream
 * captures, CUDA serves, and mnm does so otherwise. Peaks are told in blocks.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"

enum { MANY = 32 };

static CUstream stream, capturing;

static CUmemoryPool pool_new(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemoryPool pool;

	MUST(cuMemPoolCreate(&pool, &props));
	return pool;
}

/* The pool that requests are made of from now on. */
static CUmemoryPool pool_begin(void)
{
	CUmemoryPool pool = pool_new();

	stream = apart();
	capturing = apart();
	MUST(cuDeviceSetMemPool(0, pool));
	return pool;
}

static void take(CUdeviceptr *blocks, int count)
{
	for (int i = 0; i < count; i++)
		blocks[i] = asked(stream);
}

static void take_of_cuda(CUdeviceptr *blocks, int count)
{
	CUgraph graph;

	MUST(cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
	take(blocks, count);
	MUST(cuStreamEndCapture(capturing, &graph));
}

static void give(const CUdeviceptr *blocks, int count)
{
	for (int i = 0; i < count; i++)
		MUST(cuMemFreeAsync(over(blocks[i]), stream));
	MUST(cuStreamSynchronize(stream));
}

static void peak_say(CUmemoryPool pool)
{
	printf("%llu ", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) / SIZE);
}

static void peak_reset(CUmemoryPool pool)
{
	cuuint64_t none = 0;

	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &none));
}

/* What was said of a pool is not said of a later one. */
static void of_a_pool_after_one_without_reuse(void)
{
	CUmemoryPool pool = pool_begin();
	CUstream other = apart();
	CUevent event = event_new();
	CUdeviceptr block, next;
	int off = 0;

	for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;
	     i <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; i++)
		MUST(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)i, &off));
	MUST(cuMemPoolDestroy(pool));
	pool = pool_new();
	mix();
	MUST(cuMemAllocFromPoolAsync(&block, SIZE, pool, stream));
	MUST(cuMemsetD8Async(begun(block, SIZE), 1, SIZE, stream));
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	MUST(cuMemAllocFromPoolAsync(&next, SIZE, pool, other));
	compare(next, block);
}

static void used_say(CUmemoryPool pool)
{
	printf("%llu ", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) / SIZE);
}

static CUdeviceptr asked_of(CUmemoryPool pool, CUstream of)
{
	CUdeviceptr block;

	MUST(cuMemAllocFromPoolAsync(&block, SIZE, pool, of));
	return block;
}

/* A pool that nobody has asked of yet is there all the same. */
static void of_two_pools(void)
{
	CUmemoryPool pools[2] = {pool_new(), pool_new()};

	stream = apart();
	for (int i = 0; i < 2; i++) {
		asked_of(pools[i], stream);
		used_say(pools[i]);
	}
}

/* The stream is known by the other pool. */
static void of_a_free_beside_another_pool(void)
{
	CUmemoryPool pools[2] = {pool_new(), pool_new()};
	CUdeviceptr first;

	stream = apart();
	MUST(cuMemFreeAsync(asked_of(pools[1], stream), stream));
	first = asked_of(pools[0], stream);
	asked_of(pools[1], stream);
	MUST(cuMemFreeAsync(first, stream));
	used_say(pools[0]);
	used_say(pools[1]);
}

/* A thread asks for one of the first pool and two of the second, which are
 * ready for it each time but the first. It keeps what was asked for last. */
static void of_pools_by_turns(void)
{
	CUmemoryPool pools[2] = {pool_new(), pool_new()};
	CUstream streams[2] = {apart(), apart()};
	CUdeviceptr one, two[2];

	for (int round = 0; round < MANY; round++) {
		one = asked_of(pools[0], streams[0]);
		two[0] = asked_of(pools[1], streams[1]);
		two[1] = asked_of(pools[1], streams[1]);
		MUST(cuMemFreeAsync(one, streams[0]));
		if (round == MANY - 1)
			break;
		MUST(cuMemFreeAsync(two[0], streams[1]));
		MUST(cuMemFreeAsync(two[1], streams[1]));
	}
	used_say(pools[0]);
	used_say(pools[1]);
	peak_say(pools[0]);
	peak_say(pools[1]);
}

/* Memory stays its pool's, as long as the program has it. */
static void of_a_pool_that_is_gone(void)
{
	CUmemoryPool pool = pool_begin(), later, of = NULL;
	CUdeviceptr block = asked(stream);

	MUST(cuMemPoolDestroy(pool));
	later = pool_begin();
	MUST(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				   block));
	printf("of it %d, later %llu ", of == pool,
	       figure(later, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	MUST(cuMemFreeAsync(over(block), stream));
	asked(stream);
	printf("then %llu\n",
	       figure(later, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) / SIZE);
}

/* There are not as many numbers. */
static void of_as_many_pools(void)
{
	CUmemoryPool pools[2 * MANY], of;
	CUdeviceptr blocks[2 * MANY];
	int right = 0;

	for (int i = 0; i < 2 * MANY; i++) {
		pools[i] = pool_begin();
		blocks[i] = asked(stream);
	}
	for (int i = 0; i < 2 * MANY; i++) {
		MUST(cuPointerGetAttribute(
			&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, blocks[i]));
		right += of == pools[i] &&
			 figure(of, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == SIZE;
	}
	printf("%d\n", right);
}

/* Two at a time; two more when one of CUDA's is there, which are no more than
 * mnm had before; and either one after the other. */
static void peak_of_both(void)
{
	CUmemoryPool pool = pool_begin();
	CUdeviceptr own[4], cudas;

	take(own, 1);
	take_of_cuda(&cudas, 1);
	give(own, 1);
	give(&cudas, 1);
	peak_say(pool);
	take(own, 4);
	give(own + 2, 2);
	take_of_cuda(&cudas, 1);
	take(own + 2, 2);
	give(own, 4);
	give(&cudas, 1);
	peak_say(pool);
	peak_reset(pool);
	peak_say(pool);
	take_of_cuda(&cudas, 1);
	give(&cudas, 1);
	take(own, 2);
	give(own, 2);
	peak_say(pool);
	take_of_cuda(&cudas, 1);
	peak_say(pool);
}

/* The mark is set to what both have then. */
static void peak_since_a_reset(void)
{
	CUmemoryPool pool = pool_begin();
	CUdeviceptr own, cudas;

	take(&own, 1);
	take_of_cuda(&cudas, 1);
	peak_reset(pool);
	give(&cudas, 1);
	give(&own, 1);
	peak_say(pool);
}

/* Who only takes what is idle notices all the same. */
static void peak_in_a_loop(void)
{
	CUmemoryPool pool = pool_begin();
	CUdeviceptr own[3], cudas[2];

	for (int round = 0; round < 3; round++) {
		take(own, 3);
		give(own, 3);
	}
	take_of_cuda(cudas, 2);
	for (int round = 0; round < 3; round++) {
		take(own, 2);
		for (int i = 0; i < 2; i++) /* without a wait */
			MUST(cuMemFreeAsync(over(own[i]), stream));
	}
	give(cudas, 2);
	peak_say(pool);
}

static pthread_barrier_t there;

/* Another thread that counts. */
static void *takes_one(void *unused)
{
	CUdeviceptr block;

	MUST(cuCtxSetCurrent(context));
	take(&block, 1);
	give(&block, 1);
	pthread_barrier_wait(&there);
	pthread_barrier_wait(&there);
	return unused;
}

/* One of several threads may miss some of a peak. What was told stays. */
static void peak_that_was_told(void)
{
	CUmemoryPool pool = pool_begin();
	CUdeviceptr own[MANY], cudas;
	pthread_t thread;

	pthread_barrier_init(&there, NULL, 2);
	pthread_create(&thread, NULL, takes_one, NULL);
	pthread_barrier_wait(&there);
	take(own, MANY);
	give(own, MANY);
	take_of_cuda(&cudas, 1);
	take(own, MANY);
	peak_say(pool);
	give(own, MANY);
	give(&cudas, 1);
	peak_say(pool);
	pthread_barrier_wait(&there);
	pthread_join(thread, NULL);
}

/* A pool has nothing of one that was there before. */
static void peak_of_a_later_pool(void)
{
	CUmemoryPool pool = pool_begin();
	CUdeviceptr own[2], cudas, left;

	take(own, 2);
	take_of_cuda(&cudas, 1);
	give(own, 2);
	give(&cudas, 1);
	peak_say(pool);
	MUST(cuMemPoolDestroy(pool));
	pool = pool_begin();
	take_of_cuda(&cudas, 1);
	give(&cudas, 1);
	take(own, 2);
	give(own, 2);
	peak_say(pool);
	take_of_cuda(&left, 1);
	MUST(cuMemPoolDestroy(pool));
	pool = pool_begin();
	take(own, 1);
	take_of_cuda(&cudas, 1);
	give(&left, 1);
	give(own, 1);
	give(&cudas, 1);
	peak_say(pool);
}

static void reserved_say(CUmemoryPool pool)
{
	printf("%llu ", figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) / MEBI);
}

static CUdeviceptr large(size_t size)
{
	CUdeviceptr block;

	MUST(cuMemAllocAsync(&block, size, stream));
	return block;
}

static CUdeviceptr large_of_cuda(size_t size)
{
	CUdeviceptr block;
	CUgraph graph;

	MUST(cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
	block = large(size);
	MUST(cuStreamEndCapture(capturing, &graph));
	return block;
}

static void give_large(CUdeviceptr block)
{
	MUST(cuMemFreeAsync(block, stream));
	MUST(cuStreamSynchronize(stream));
}

static void reserved_reset(CUmemoryPool pool)
{
	cuuint64_t none = 0;

	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
				   &none));
}

/* Both at a time: CUDA's first, mnm's first, and before a reset. Then one after
 * the other; and a later pool. */
static void peak_of_what_is_reserved(void)
{
	CUmemoryPool pool = pool_begin();
	CUdeviceptr own, cudas = large_of_cuda(8 * MEBI);

	own = large(4 * MEBI);
	give_large(cudas);
	give_large(own);
	reserved_say(pool);
	pool = pool_begin();
	own = large(4 * MEBI);
	cudas = large_of_cuda(8 * MEBI);
	give_large(cudas);
	give_large(own);
	reserved_say(pool);
	own = large(4 * MEBI);
	cudas = large_of_cuda(8 * MEBI);
	reserved_reset(pool);
	give_large(cudas);
	give_large(own);
	reserved_say(pool);
	reserved_reset(pool);
	give_large(large(4 * MEBI));
	reserved_say(pool);
	cudas = large_of_cuda(8 * MEBI);
	reserved_say(pool);
	give_large(cudas);
	give_large(large(10 * MEBI));
	reserved_say(pool);
	cudas = large_of_cuda(8 * MEBI);
	MUST(cuMemPoolDestroy(pool));
	give_large(cudas);
	pool = pool_begin();
	give_large(large(4 * MEBI));
	printf("%d", figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) <
			     8 * MEBI); /* but for a grain */
}

/* What a pool has returned is reserved anew when it is used, whoever sees it.
 */
static void peak_of_what_is_used_again(void)
{
	CUmemoryPool pool = pool_begin();

	give_large(large(4 * MEBI));
	reserved_say(pool);
	reserved_reset(pool);
	reserved_say(pool);
	give_large(large(4 * MEBI));
	reserved_say(pool);
}

const struct ordered_case ordered_figures[] = {
	CASE(of_a_pool_after_one_without_reuse),
	CASE(of_a_pool_that_is_gone),
	CASE(of_two_pools),
	CASE(of_a_free_beside_another_pool),
	CASE(of_pools_by_turns),
	CASE(of_as_many_pools),
	CASE(peak_of_both),
	CASE(peak_since_a_reset),
	CASE(peak_in_a_loop),
	CASE(peak_that_was_told),
	CASE(peak_of_a_later_pool),
	CASE(peak_of_what_is_reserved),
	CASE(peak_of_what_is_used_again),
	{0},
};
