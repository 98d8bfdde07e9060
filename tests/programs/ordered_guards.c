/* What few programs do with pools, and with memory that is asked for in the
 * order of a stream. */
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>

#include <cuda.h>

#include "ordered.h"

static CUmemoryPool default_pool(void)
{
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	return pool;
}

/* What was freed by the plain call, and is asked for by it, is no pool's. */
static void of_no_pool_any_more(void)
{
	CUmemoryPool pool = default_pool();
	cuuint64_t most = UINT64_MAX;
	CUstream stream = apart();
	CUdeviceptr block, plain;

	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	MUST(cuMemAlloc(&plain, SIZE));
	MUST(cuMemFree(plain)); /* the next ones take the fast path */
	MUST(cuCtxSynchronize());
	block = asked(stream);
	MUST(cuCtxSynchronize());
	MUST(cuMemFree(over(block)));
	MUST(cuCtxSynchronize());
	MUST(cuMemAlloc(&plain, SIZE));
	printf("reserved %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
	compare(plain, block);
}

/* CUDA refuses that. */
static void of_the_default_pool_after_its_end(void)
{
	CUmemoryPool pool = default_pool();
	CUstream stream = apart();

	asked(stream);
	printf("%d", (int)cuMemPoolDestroy(pool));
	printf(" used %llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
}

/* CUDA refuses to set a peak to anything but 0. */
static void peak_after_a_reset_that_is_refused(void)
{
	CUmemoryPool pool = default_pool();
	CUstream stream = apart();
	CUdeviceptr block;
	cuuint64_t one = 1;

	asked(stream);
	block = asked(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	printf("%d", (int)cuMemPoolSetAttribute(
			     pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &one));
	printf(" %llu", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH));
	printf(" %d\n", (int)cuMemPoolGetAttribute(
				pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, NULL));
}

/* A peak below one of before, on the fast path. */
static void peak_after_a_reset_in_a_loop(void)
{
	CUmemoryPool pool = default_pool();
	CUstream stream = apart();
	CUdeviceptr blocks[4];
	cuuint64_t none = 0;

	for (int most = 4; most > 1; most -= 2)
		for (int round = 0; round < 4; round++) {
			if (round == 3)
				MUST(cuMemPoolSetAttribute(
					pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH,
					&none));
			for (int i = 0; i < most; i++)
				blocks[i] = asked(stream);
			for (int i = 0; i < most; i++)
				MUST(cuMemFreeAsync(over(blocks[i]), stream));
		}
	printf("%llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) / SIZE);
}

/* As cuDeviceSetMemPool. */
static void of_a_pool_chosen_for_a_place(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUstream stream = apart();
	CUmemoryPool pool;

	asked(stream);
	MUST(cuMemPoolCreate(&pool, &props));
	MUST(cuMemSetMemPool(&props.location, CU_MEM_ALLOCATION_TYPE_PINNED,
			     pool));
	asked(stream);
	printf("%llu %llu\n",
	       figure(default_pool(), CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
}

/* The other device's stream has had more epochs than this one. What an event
 * of there stands behind says nothing of memory of here. */
static void freed_in_a_stream_of_another_device(void)
{
	CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 1},
				  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUstream stream = apart(), own = apart(), far;
	CUevent event;
	CUdeviceptr block;
	CUcontext second;

	MUST(cuMemPoolSetAccess(default_pool(), &access, 1));
	mix();
	used(asked(stream), stream);
	block = asked(own);
	MUST(cuCtxSynchronize());
	second = device_entered(1);
	far = apart();
	mix();
	used(asked(far), far);
	event = event_new();
	for (int i = 0; i < 50; i++)
		MUST(cuEventRecord(event, far));
	MUST(cuLaunchHostFunc(far, held, NULL));
	used(block, far);
	MUST(cuStreamWaitEvent(stream, event, 0));
	MUST(cuMemFreeAsync(over(block), far));
	MUST(cuCtxSetCurrent(context));
	for (int i = 0; i < 4; i++)
		used(asked(stream), stream);
	puts("used");
	go = true;
	MUST(cuCtxSetCurrent(second));
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(context));
}

static atomic_bool asking;

static void *waits_for_room(void *unused)
{
	CUdeviceptr block;

	(void)unused;
	MUST(cuCtxSetCurrent(context));
	asking = true;
	MUST(cuMemAlloc(&block, 2 * SHORT));
	return NULL;
}

enum { ROUNDS = 2000 };

/* A plain request waits for the device, as it gives back what is idle. What
 * others free in a stream meanwhile serves them again. */
static void beside_a_plain_request_that_waits(void)
{
	CUstream stream = apart(), other = apart();
	CUdeviceptr blocks[2], block, next;
	pthread_t thread;
	int same = 0;

	mix();
	MUST(cuMemFreeAsync(over(asked(other)), other));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	pthread_create(&thread, NULL, waits_for_room, NULL);
	while (!asking)
		;
	for (int i = 0; i < ROUNDS; i++) {
		block = asked(other);
		MUST(cuMemFreeAsync(over(block), other));
		next = asked(other);
		MUST(cuMemFreeAsync(over(next), other));
		same += next == block;
	}
	go = true;
	pthread_join(thread, NULL);
	puts(same > ROUNDS / 2 ? "the same" : "others");
}

/* Nobody else gets access by this. */
static void shared_with_nobody_else(void)
{
	CUmemAccessDesc own = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
			       CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemAccessDesc other = {{CU_MEM_LOCATION_TYPE_DEVICE, 1},
				 CU_MEM_ACCESS_FLAGS_PROT_NONE};
	CUstream stream = apart();

	asked(stream);
	device_entered(1);
	MUST(cuCtxSetCurrent(context));
	MUST(cuMemPoolSetAccess(default_pool(), &own, 1));
	MUST(cuMemPoolSetAccess(default_pool(), &other, 1));
	asked(stream);
	puts("asked");
}

/* The driver is told to refuse the mark of the free, and the free itself. The
 * block is the program's as before. */
static void freed_where_that_is_refused(void)
{
	CUmemoryPool pool = default_pool(), of = NULL;
	CUdeviceptr block;
	CUresult res;

	forbid(SYS_membarrier, SECCOMP_RET_ERRNO | ENOSYS);
	made(CU_STREAM_DEFAULT);
	mix();
	block = asked(NULL);
	res = cuMemFreeAsync(block, NULL);
	printf("%d used %llu", (int)res,
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	if (!res) { /* it is a part of a region, which CUDA can't free */
		puts("");
		return;
	}
	MUST(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				   block));
	printf(" of the pool %d", of == pool);
	MUST(cuLaunchHostFunc(apart(), held, NULL));
	MUST(cuMemFree(over(block))); /* does not wait either */
	printf(" then %llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
}

/* The driver is told to refuse the mark of the free, which is CUDA's then. */
static void freed_by_cuda(void)
{
	CUmemoryPool pool = default_pool();
	CUdeviceptr block;

	forbid(SYS_membarrier, SECCOMP_RET_ERRNO | ENOSYS);
	made(CU_STREAM_DEFAULT);
	block = asked(NULL);
	MUST(cuMemFreeAsync(over(block), NULL));
	printf("reserved %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
}

/* A request has waited in vain. Once the program has waited itself, the next
 * one waits for the end of the work again. */
static void after_a_request_in_vain(void)
{
	CUstream stream = apart(), busy = apart();
	CUdeviceptr blocks[2], large;
	CUresult res;

	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 2; i++)
			MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
		MUST(cuLaunchHostFunc(busy, turn ? lasting : held, NULL));
		for (int i = 0; i < 2; i++)
			MUST(cuMemFreeAsync(blocks[i], stream));
		res = cuMemAllocAsync(&large, 2 * SHORT, stream);
		printf("%d\n", (int)res);
		if (!res)
			MUST(cuMemFreeAsync(large, stream));
		go = true;
		MUST(cuStreamSynchronize(busy));
	}
}

const struct ordered_case ordered_guards[] = {
	CASE(freed_by_cuda),
	CASE(shared_with_nobody_else),
	CASE(freed_where_that_is_refused),
	CASE(of_no_pool_any_more),
	CASE(of_the_default_pool_after_its_end),
	CASE(peak_after_a_reset_that_is_refused),
	CASE(peak_after_a_reset_in_a_loop),
	CASE(of_a_pool_chosen_for_a_place),
	CASE(freed_in_a_stream_of_another_device),
	CASE(beside_a_plain_request_that_waits),
	CASE(after_a_request_in_vain),
	{0},
};
