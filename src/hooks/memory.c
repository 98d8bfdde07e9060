/* The memory calls of the driver and of a shared runtime. */
#include "binding.h"
#include "call.h"
#include "control/control.h"
#include "tcache/pass_through.h"
#include "entry.h"
#include "heap/pools.h"
#include "heap/region.h"
#include "hook.h"
#include "mem/mem.h"
#include "mem/passed.h"
#include "cuda/real.h"
#include "foreign_call.h"
#include "peer_touch.h"
#include "record/site.h"
#include "order/stream_order.h"

/* Keeps a function apart, so that the fast path saves no registers for it. */
#define COLD __attribute__((noinline, cold))

/* Its address is never device memory: a free of it gets CUDA's own error. */
static char not_device_memory;

COLD static CUresult alloc_slowly(CUdeviceptr *out, size_t size)
{
	const struct real_driver *real = real_driver();
	uint64_t addr;
	int res;

	if (!real)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!out || !size)
		return ROOM_CALL(cuMemAlloc_v2, out, size);
	if (mem_alloc(&addr, size, &res) != MEM_DONE) {
		record_did_begin();
		res = ROOM_CALL(cuMemAlloc_v2, out, size);
		passed_note(out, size, res);
		record_took();
		return (CUresult)res;
	}
	control_open_once();
	*out = res ? 0 : addr; /* as CUDA does */
	return (CUresult)res;
}

/* What has come from the driver may lie where a region was whose context has
 * ended unseen. */
COLD static CUresult alloc_corrects(CUdeviceptr addr, size_t size)
{
	pools_correct_over(addr, size);
	return CUDA_SUCCESS;
}

/* For a pool that keeps nothing: little is done here besides the driver's
 * call. */
__attribute__((noinline)) static CUresult alloc_directly(CUdeviceptr *out,
							 size_t size)
{
	struct tcache *cache = tcache_verified;
	CUdeviceptr addr;
	uint64_t idle;
	struct pool *pool;
	CUresult res;

	if (tcache_alloc_planned(cache, size, &idle)) {
		*out = idle;
		return CUDA_SUCCESS;
	}
	pool = out && size ? pass_through_begin(cache, size) : NULL;

	if (!pool && (tcache_alloc_divided(cache, size, &idle) ||
		      tcache_alloc_roomy(cache, size, &idle))) {
		*out = idle;
		return CUDA_SUCCESS;
	}
	if (!pool)
		return alloc_slowly(out, size);
	record_did_begin();
	res = real_driver()->cuMemAlloc_v2(&addr, size);
	if (!pass_through_end(cache, pool, addr, size, (int)res))
		return alloc_slowly(out, size);
	record_took();
	*out = LIKELY(!res) ? addr : 0;
	if (!LIKELY(!res))
		return res;
	return LIKELY(!regions_exist()) ? CUDA_SUCCESS
					: alloc_corrects(addr, size);
}

COLD static CUresult alloc_recorded(CUdeviceptr *out, size_t size,
				    const void *site)
{
	NOTES_SITE(site, size);

	return alloc_directly(out, size);
}

/* The cache that has served is tcache_current: where the other two are not
 * known to be the same, they are a cache that is always closed. */
COLD static int look(void *out, uint64_t addr)
{
	fast_look(tcache_current);
	*(uint64_t *)out = addr;
	return 0;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
	uint64_t addr;

	if (!out)
		return alloc_slowly(out, size);
	switch (tcache_alloc(tcache_verified, size, &addr)) {
	case FAST_DONE:
		*out = addr;
		return CUDA_SUCCESS;
	case FAST_LOOK:
		return (CUresult)look(out, addr);
	default:
		return LIKELY(!record_may_be_on())
			       ? alloc_directly(out, size)
			       : alloc_recorded(out, size, CALLER);
	}
}

/* taken: the block that the fast path has already made idle, or NULL. */
COLD static CUresult free_slowly(CUdeviceptr ptr, struct block *taken)
{
	const struct real_driver *real;
	struct block *given;
	struct foreign *foreign;
	CUresult res;

	if (taken)
		fast_taken(tcache_current, taken);
	real = real_driver();
	if (!real)
		return CUDA_ERROR_NOT_INITIALIZED;
	switch (taken ? mem_free_begin_taken(taken, &given)
		      : mem_free_begin(ptr, MEM_FREE_DEVICE, &given)) {
	case MEM_DONE:
		return CUDA_SUCCESS;
	case MEM_INVALID:
	case MEM_UNBOUND:
		return real->cuMemFree_v2((CUdeviceptr)&not_device_memory);
	default:
		foreign =
			given ? NULL : foreign_end_begin(FOREIGN_ADDRESS, ptr);
		record_did_begin();
		res = foreign_free(foreign, ptr);
		if (!given && !foreign && !res && ptr)
			passed_note_free(ptr);
		record_took();
		mem_free_end(given, !res);
		foreign_end_finish(foreign, (int)res);
		return res;
	}
}

/* The address whose block the runtime's hook has already taken. The runtime,
 * which is to free it, calls the driver's hook. */
static __thread CUdeviceptr passing;

static CUresult free_marked(struct tcache *cache, CUdeviceptr ptr)
{
	struct block *taken;

	switch (tcache_free_marked(cache, ptr, &taken)) {
	case FAST_DONE:
		return CUDA_SUCCESS;
	case FAST_TAKEN:
		return free_slowly(ptr, taken);
	default:
		return free_slowly(ptr, NULL);
	}
}

__attribute__((noinline)) static CUresult free_directly(CUdeviceptr ptr)
{
	struct tcache *cache = tcache_current;
	struct block *taken;
	CUresult res;

	if (ptr && ptr == passing)
		return real_driver()->cuMemFree_v2(ptr);
	if (tcache_keeps_any(cache))
		return free_marked(cache, ptr);
	taken = pass_through_free_begin(cache, ptr);
	if (!taken)
		return free_slowly(ptr, NULL);
	record_did_begin();
	res = real_driver()->cuMemFree_v2(ptr);
	record_took();
	pass_through_free_end(cache, taken, !res);
	return res;
}

COLD static CUresult free_recorded(CUdeviceptr ptr, const void *site)
{
	NOTES_SITE(site, 0);

	return free_directly(ptr);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr ptr)
{
	struct block *taken;

	switch (tcache_free(tcache_current, ptr, &taken)) {
	case FAST_DONE:
		return CUDA_SUCCESS;
	case FAST_TAKEN:
		return free_slowly(ptr, taken);
	default:
		return LIKELY(!record_may_be_on()) ? free_directly(ptr)
						   : free_recorded(ptr, CALLER);
	}
}

/* The runtime's call normally ends in the driver's hook, which corrects the
 * figures. If it does not, the runtime's hook corrects them. */
static __thread bool info_corrected;

EXPORT CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
	const struct real_driver *real = real_driver();
	CUresult res;

	if (!real)
		return CUDA_ERROR_NOT_INITIALIZED;
	res = real->cuMemGetInfo_v2(free, total);
	if (!res)
		mem_info(free, total);
	info_corrected = true;
	return res;
}

EXPORT cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
	const struct real_runtime *real = real_runtime();
	cudaError_t res;

	if (!real)
		return cudaErrorInitializationError;
	info_corrected = false;
	res = real->cudaMemGetInfo(free, total);
	if (!res && !info_corrected)
		mem_info(free, total);
	return res;
}

/* The driver's entries, to be looked at as bytes. A tool that has patched one,
 * such as UCX, is to see what the program asks of the runtime as well. So the
 * runtime is called then, which calls the driver's entry. */
static __typeof__(cuMemAlloc_v2) alloc_entry
	__attribute__((alias("cuMemAlloc_v2")));
static __typeof__(cuMemFree_v2) free_entry
	__attribute__((alias("cuMemFree_v2")));

COLD static cudaError_t runtime_alloc_seen(void **out, size_t size,
					   const void *site)
{
	NOTES_SITE(site, size);
	const struct real_runtime *real = real_runtime();

	return real ? real->cudaMalloc(out, size)
		    : cudaErrorInitializationError;
}

COLD static cudaError_t runtime_free_seen(void *ptr, const void *site)
{
	NOTES_SITE(site, 0);
	const struct real_runtime *real = real_runtime();

	return real ? real->cudaFree(ptr) : cudaErrorInitializationError;
}

/* Serves only what needs no driver call. Everything else goes through the
 * runtime, to the driver's hook and back, so that the runtime's state is the
 * same as without us. */
COLD static cudaError_t runtime_alloc_slowly(void **out, size_t size)
{
	const struct real_runtime *real = real_runtime();
	uint64_t addr;

	if (!real)
		return cudaErrorInitializationError;
	if (!runtime_binds_at_once(real) || !size ||
	    mem_hit(&addr, size) != MEM_DONE)
		return real->cudaMalloc(out, size);
	*out = (void *)addr;
	return cudaSuccess;
}

/* If the pool keeps nothing, the runtime is asked at once. */
__attribute__((noinline)) static cudaError_t runtime_alloc_directly(void **out,
								    size_t size)
{
	const struct real_runtime *real;
	uint64_t addr;

	if (pass_through_pool(tcache_current) && (real = real_runtime()))
		return real->cudaMalloc(out, size);
	if (!tcache_alloc_planned(tcache_runtime, size, &addr) &&
	    !tcache_alloc_divided(tcache_runtime, size, &addr) &&
	    !tcache_alloc_roomy(tcache_runtime, size, &addr))
		return runtime_alloc_slowly(out, size);
	*out = (void *)addr;
	return cudaSuccess;
}

COLD static cudaError_t runtime_alloc_recorded(void **out, size_t size,
					       const void *site)
{
	NOTES_SITE(site, size);

	return runtime_alloc_directly(out, size);
}

EXPORT cudaError_t cudaMalloc(void **out, size_t size)
{
	uint64_t addr;

	if (!out || entry_is_patched((const void *)alloc_entry))
		return runtime_alloc_seen(out, size, CALLER);
	switch (tcache_alloc(tcache_runtime, size, &addr)) {
	case FAST_DONE:
		*out = (void *)addr;
		return cudaSuccess;
	case FAST_LOOK:
		return (cudaError_t)look(out, addr);
	default:
		return LIKELY(!record_may_be_on())
			       ? runtime_alloc_directly(out, size)
			       : runtime_alloc_recorded(out, size, CALLER);
	}
}

COLD static cudaError_t runtime_free_slowly(void *ptr, struct block *taken)
{
	const struct real_runtime *real;
	struct block *given;
	cudaError_t res;

	/* This comes first: the runtime may have to be looked for, and a thread
	 * that holds the loader's lock may wait until this thread's cache is
	 * not busy. */
	if (taken)
		fast_taken(tcache_current, taken);
	real = real_runtime();
	if (!real)
		return cudaErrorInitializationError;
	switch (taken ? mem_free_begin_taken(taken, &given)
		      : mem_free_begin((uint64_t)ptr, MEM_FREE_DEVICE,
				       &given)) {
	case MEM_DONE:
		return cudaSuccess;
	case MEM_INVALID:
		return real->cudaFree(&not_device_memory);
	default:
		record_did_begin();
		passing = given ? (CUdeviceptr)ptr : 0;
		res = real->cudaFree(ptr);
		passing = 0;
		record_took();
		mem_free_end(given, !res);
		return res;
	}
}

static cudaError_t runtime_free_marked(struct tcache *cache, void *ptr)
{
	struct block *taken;

	switch (tcache_free_marked(cache, (uint64_t)ptr, &taken)) {
	case FAST_DONE:
		return cudaSuccess;
	case FAST_TAKEN:
		return runtime_free_slowly(ptr, taken);
	default:
		return runtime_free_slowly(ptr, NULL);
	}
}

__attribute__((noinline)) static cudaError_t runtime_free_directly(void *ptr)
{
	const struct real_runtime *real = real_runtime();
	struct tcache *cache = tcache_current;
	struct block *taken = NULL;
	cudaError_t res;

	if (tcache_keeps_any(cache))
		return runtime_free_marked(cache, ptr);
	if (real)
		taken = pass_through_free_begin(cache, (uint64_t)ptr);
	if (!taken)
		return runtime_free_slowly(ptr, NULL);
	record_did_begin();
	passing = (CUdeviceptr)ptr;
	res = real->cudaFree(ptr);
	passing = 0;
	record_took();
	pass_through_free_end(cache, taken, !res);
	return res;
}

COLD static cudaError_t runtime_free_recorded(void *ptr, const void *site)
{
	NOTES_SITE(site, 0);

	return runtime_free_directly(ptr);
}

EXPORT cudaError_t cudaFree(void *ptr)
{
	struct block *taken;

	if (entry_is_patched((const void *)free_entry))
		return runtime_free_seen(ptr, CALLER);
	switch (tcache_free(tcache_current, (uint64_t)ptr, &taken)) {
	case FAST_DONE:
		return cudaSuccess;
	case FAST_TAKEN:
		return runtime_free_slowly(ptr, taken);
	default:
		return LIKELY(!record_may_be_on())
			       ? runtime_free_directly(ptr)
			       : runtime_free_recorded(ptr, CALLER);
	}
}
