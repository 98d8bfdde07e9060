/* Stream-ordered memory, as programs ask a shared runtime for it. What the fast
 * path does not serve goes through the runtime, to the driver's hook. */
#include "binding.h"
#include "call.h"
#include "entry.h"
#include "hook.h"
#include "ordered.h"
#include "room_of.h"
#include "record/site.h"
#include "tcache/fast_stream.h"

COLD static cudaError_t look(void **out, uint64_t addr)
{
	fast_look_in(tcache_runtime);
	*out = (void *)addr;
	return cudaSuccess;
}

/* The runtime, unless it is so old that it lacks these calls. A program finds
 * ours all the same, and may call them. */
static const struct real_runtime *runtime_of(cudaError_t *res)
{
	const struct real_runtime *real = real_runtime();

	*res = real ? cudaErrorNotSupported : cudaErrorInitializationError;
	return real && real->cudaMallocAsync && real->cudaMallocAsync_ptsz &&
			       real->cudaMallocFromPoolAsync &&
			       real->cudaMallocFromPoolAsync_ptsz &&
			       real->cudaFreeAsync && real->cudaFreeAsync_ptsz
		       ? real
		       : NULL;
}

/* pool: NULL for the current one. */
COLD static cudaError_t alloc_behind(void **out, size_t size,
				     cudaMemPool_t pool, cudaStream_t stream,
				     bool per_thread, const void *site)
{
	NOTES_SITE(site, size);
	cudaError_t res;
	const struct real_runtime *real = runtime_of(&res);

	if (!real)
		return res;
	runtime_binds_at_once(real);
	if (pool)
		return per_thread ? real->cudaMallocFromPoolAsync_ptsz(
					    out, size, pool, stream)
				  : real->cudaMallocFromPoolAsync(out, size,
								  pool, stream);
	return per_thread ? real->cudaMallocAsync_ptsz(out, size, stream)
			  : real->cudaMallocAsync(out, size, stream);
}

__attribute__((noinline)) static cudaError_t alloc_beside(
	void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream,
	bool per_thread, enum fast before)
{
	struct tcache *cache = tcache_runtime;
	uintptr_t way = stream_way_find(cache, stream_key(stream, per_thread));
	uint64_t addr = 0;

	switch (tcache_alloc_beside(cache, way, before, pool, size, &addr)) {
	case FAST_DONE:
		*out = (void *)addr;
		break;
	case FAST_LOOK:
		look(out, addr);
		break;
	default:
		return alloc_behind(out, size, pool, stream, per_thread, NULL);
	}
	stream_way_used(cache, way);
	return cudaSuccess;
}

/* Nothing is on the fast path then. */
COLD static cudaError_t alloc_recorded(void **out, size_t size,
				       cudaMemPool_t pool, cudaStream_t stream,
				       bool per_thread, const void *site)
{
	NOTES_SITE(site, size);

	return alloc_beside(out, size, pool, stream, per_thread, FAST_STREAM);
}

ALWAYS cudaError_t alloc_in(void **out, size_t size, cudaMemPool_t pool,
			    cudaStream_t stream, bool per_thread)
{
	enum fast done;
	uint64_t addr;

	if (!LIKELY(out) || entry_is_patched((const void *)ordered_alloc_entry))
		return alloc_behind(out, size, pool, stream, per_thread,
				    CALLER);
	done = tcache_alloc_in(tcache_runtime, stream_key(stream, per_thread),
			       pool, size, &addr);
	switch (done) {
	case FAST_DONE:
		*out = (void *)addr;
		return cudaSuccess;
	case FAST_LOOK:
		return look(out, addr);
	default:
		return LIKELY(!record_may_be_on())
			       ? alloc_beside(out, size, pool, stream,
					      per_thread, done)
			       : alloc_recorded(out, size, pool, stream,
						per_thread, CALLER);
	}
}

EXPORT cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
	return alloc_in(out, size, NULL, stream, false);
}

EXPORT cudaError_t cudaMallocAsync_ptsz(void **out, size_t size,
					cudaStream_t stream)
{
	return alloc_in(out, size, NULL, stream, true);
}

/* The runtime refuses a request that names no pool. */
COLD static cudaError_t alloc_of_none(void **out, size_t size,
				      cudaStream_t stream, bool per_thread)
{
	cudaError_t res;
	const struct real_runtime *real = runtime_of(&res);

	if (!real)
		return res;
	return per_thread
		       ? real->cudaMallocFromPoolAsync_ptsz(out, size, NULL,
							    stream)
		       : real->cudaMallocFromPoolAsync(out, size, NULL, stream);
}

EXPORT cudaError_t cudaMallocFromPoolAsync(void **out, size_t size,
					   cudaMemPool_t pool,
					   cudaStream_t stream)
{
	return LIKELY(pool) ? alloc_in(out, size, pool, stream, false)
			    : alloc_of_none(out, size, stream, false);
}

EXPORT cudaError_t cudaMallocFromPoolAsync_ptsz(void **out, size_t size,
						cudaMemPool_t pool,
						cudaStream_t stream)
{
	return LIKELY(pool) ? alloc_in(out, size, pool, stream, true)
			    : alloc_of_none(out, size, stream, true);
}

COLD static cudaError_t free_behind(void *ptr, cudaStream_t stream,
				    bool per_thread, const void *site)
{
	NOTES_SITE(site, 0);
	cudaError_t res;
	const struct real_runtime *real = runtime_of(&res);

	if (!real)
		return res;
	return per_thread ? real->cudaFreeAsync_ptsz(ptr, stream)
			  : real->cudaFreeAsync(ptr, stream);
}

__attribute__((noinline)) static cudaError_t free_otherwise(enum fast done,
							    void *ptr,
							    cudaStream_t stream,
							    bool per_thread,
							    struct block *taken)
{
	struct tcache *cache = tcache_runtime;
	cudaError_t res = cudaSuccess;
	uintptr_t way = WAY_NONE;

	if (done != FAST_TAKEN) {
		way = stream_way_find(cache, stream_key(stream, per_thread));
		done = tcache_free_beside(cache, way, done, (uint64_t)ptr,
					  &taken);
	}
	if (done == FAST_TAKEN)
		res = (cudaError_t)ordered_free_taken((CUdeviceptr)ptr, stream,
						      per_thread, taken);
	else if (done != FAST_DONE)
		return free_behind(ptr, stream, per_thread, NULL);
	stream_way_used(cache, way);
	return res;
}

COLD static cudaError_t free_recorded(enum fast done, void *ptr,
				      cudaStream_t stream, bool per_thread,
				      struct block *taken, const void *site)
{
	NOTES_SITE(site, 0);

	return free_otherwise(done, ptr, stream, per_thread, taken);
}

ALWAYS cudaError_t free_in(void *ptr, cudaStream_t stream, bool per_thread)
{
	struct block *taken = NULL;
	enum fast done;

	if (entry_is_patched((const void *)ordered_free_entry))
		return free_behind(ptr, stream, per_thread, CALLER);
	done = tcache_free_in(tcache_runtime, stream_key(stream, per_thread),
			      (uint64_t)ptr, &taken);
	if (LIKELY(done == FAST_DONE))
		return cudaSuccess;
	return LIKELY(!record_may_be_on())
		       ? free_otherwise(done, ptr, stream, per_thread, taken)
		       : free_recorded(done, ptr, stream, per_thread, taken,
				       CALLER);
}

EXPORT cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream)
{
	return free_in(ptr, stream, false);
}

EXPORT cudaError_t cudaFreeAsync_ptsz(void *ptr, cudaStream_t stream)
{
	return free_in(ptr, stream, true);
}
