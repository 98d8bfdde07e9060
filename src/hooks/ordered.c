/* Stream-ordered memory: requests in the order of a stream. */
#include "call.h"
#include "context/context.h"
#include "control/control.h"
#include "cuda/backing.h"
#include "foreign_call.h"
#include "heap/mempool.h"
#include "heap/owed.h"
#include "hook.h"
#include "mem/mem.h"
#include "ordered.h"
#include "order/capture.h"
#include "order/stream_order.h"
#include "order/streams.h"
#include "room_of.h"
#include "record/site.h"
#include "tcache/fast_stream.h"

/* A request: of this pool, or of the current one (NULL). */
struct ordered {
	CUdeviceptr *out;
	size_t size;
	CUmemoryPool pool;
	CUstream stream;
	bool per_thread;
};

/* The caches of both paths are tcache_verified. */
COLD static CUresult ordered_look(CUdeviceptr *out, CUdeviceptr addr)
{
	fast_look_in(tcache_verified);
	*out = addr;
	return CUDA_SUCCESS;
}

/* CUDA's pools serve all contexts of a device. What mnm serves is memory of one
 * context, which others of the device may not reach. */
static bool is_only_context(const struct context *context)
{
	return context->kind == CONTEXT_PRIMARY &&
	       atomic_load(&context->device->contexts) == 1;
}

/* Returns false if the request is CUDA's. While a stream captures, all are:
 * CUDA refuses some then, and makes nodes of others. */
COLD static bool ordered_serve(const struct ordered *request, CUresult *res)
{
	struct mem_order order = {.stream = request->stream,
				  .per_thread = request->per_thread,
				  .pool = request->pool,
				  .changes = atomic_load(&stream_changes)};
	struct context *context;
	uint64_t addr;
	int result;

	if (!request->out || !request->size || !real_driver() ||
	    !mem_serves_streams() || capture_any())
		return false;
	context = context_current();
	if (!context || !is_only_context(context) ||
	    !ordered_stream_is_own(request->stream, context))
		return false;
	order.mempool = request->pool
				? mempool_number(request->pool, context->device)
				: mempool_current(context->device);
	if (!order.mempool ||
	    mem_alloc_in(&addr, request->size, &order, &result) != MEM_DONE)
		return false;
	control_open_once();
	*request->out = result ? 0 : addr; /* as CUDA does */
	*res = (CUresult)result;
	return true;
}

/* The context of a stream, or NULL for the current one. */
static struct context *stream_context(CUstream stream)
{
	CUcontext handle;

	if (context_count() < 2 || !mem_enabled() || !stream ||
	    stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ||
	    REAL_CALL(cuStreamGetCtx, stream, &handle))
		return NULL;
	return context_named(handle);
}

/* The device whose memory a pool hands out, or DEVICE_HOST. CURRENT if it is
 * not known, as with a pool that other processes share. */
static int pool_device(CUmemoryPool pool)
{
	int ordinal = foreign_device(FOREIGN_POOL, (uint64_t)pool);
	struct room room = {0};

	if (ordinal >= 0)
		return ordinal;
	if (device_count() < 2)
		return CURRENT;
	room_pool(&room, pool);
	return room.devices ? __builtin_ctzll(room.devices) : CURRENT;
}

/* Where CUDA writes the address; NULL if it hands out nothing. A request of no
 * bytes succeeds, and yields no address. */
static CUdeviceptr *address_of(const struct ordered *request)
{
	return request->size ? request->out : NULL;
}

/* CUDA's own pool serves the request: its memory is that of the stream's
 * device, or of its pool's device, and goes with the stream's context. */
static bool foreign_ordered_begin(struct foreign_claim *claim,
				  const struct ordered *request)
{
	const struct context *context = stream_context(request->stream);
	int ordinal = request->pool ? pool_device(request->pool) : CURRENT;

	if (ordinal == CURRENT && context)
		ordinal = device_ordinal(context->device);
	if (!foreign_begin(claim, ordinal, address_of(request), request->size))
		return false;
	if (context)
		claim->context = context;
	stream_call_begin(request->stream, request->per_thread, false);
	return true;
}

static CUresult foreign_ordered_end(const struct foreign_claim *claim,
				    const struct ordered *request, CUresult res)
{
	stream_work_end();
	return foreign_end(claim, res, FOREIGN_ASYNC, address_of(request),
			   request->size);
}

/* The number of the pool of a request that CUDA's own pool is to serve, if the
 * program has set it a limit, which then is that of both; else 0. What a graph
 * has is the graph's. */
static unsigned int number_limited(const struct ordered *request)
{
	const struct context *context;
	struct room room = {0};
	unsigned int number;

	if (!mempools_are_limited() || !mem_serves_streams() ||
	    !address_of(request))
		return 0;
	room_stream(&room, request->stream, request->per_thread);
	context = stream_context(request->stream) ?: context_current();
	if (room.captured || !context)
		return 0;
	number = request->pool ? mempool_find(request->pool)
			       : mempool_current(context->device);
	return mempool_is_limited(number) ? number : 0;
}

/* CUDA's own pool serves the request, or refuses it. */
static CUresult ordered_pass_unlimited(const struct ordered *request)
{
	struct foreign_claim claim;
	CUdeviceptr *out = request->out;
	CUstream stream = request->stream;
	CUmemoryPool pool = request->pool;
	size_t size = request->size;
	CUresult res;

	if (!foreign_ordered_begin(&claim, request)) {
		if (out)
			*out = 0;
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (pool)
		res = request->per_thread
			      ? ROOM_CALL(cuMemAllocFromPoolAsync_ptsz, out,
					  size, pool, stream)
			      : ROOM_CALL(cuMemAllocFromPoolAsync, out, size,
					  pool, stream);
	else
		res = request->per_thread
			      ? ROOM_CALL(cuMemAllocAsync_ptsz, out, size,
					  stream)
			      : ROOM_CALL(cuMemAllocAsync, out, size, stream);
	if (room_is_short(res))
		mem_refused();
	return foreign_ordered_end(&claim, request, res);
}

static CUresult ordered_pass(const struct ordered *request)
{
	unsigned int number = number_limited(request);
	bool admitted = number && mempool_admits(number, request->size);
	CUresult res = CUDA_ERROR_OUT_OF_MEMORY;

	/* If not admitted, another pool may have become the current one. */
	if (!number || admitted ||
	    (!request->pool && !mempool_is_current(number)))
		res = ordered_pass_unlimited(request);
	else if (request->out)
		*request->out = 0;
	if (!res && admitted)
		mempool_passed(number);
	if (admitted)
		mempool_admitted(number, request->size);
	return res;
}

/* A wait in a request might be for work that waits for the program. If memory
 * is short, the program is told so, and finds some once it has waited
 * itself. If mnm does not serve such requests, it waits as in any call that
 * lacks what mnm keeps: the program would find that memory free without us. */
COLD static CUresult alloc_slowly(CUdeviceptr *out, size_t size,
				  CUmemoryPool pool, CUstream stream,
				  bool per_thread)
{
	const struct ordered request = {out, size, pool, stream, per_thread};
	CUresult res;

	if (!real_driver() || !mem_serves_streams())
		return ordered_pass(&request);
	waits_forbid();
	if (!ordered_serve(&request, &res))
		res = ordered_pass(&request);
	waits_allow();
	return res;
}

__attribute__((noinline)) static CUresult alloc_beside(
	CUdeviceptr *out, size_t size, CUmemoryPool pool, CUstream stream,
	bool per_thread, enum fast before)
{
	struct tcache *cache = tcache_verified;
	uintptr_t way = stream_way_find(cache, stream_key(stream, per_thread));
	uint64_t addr = 0;

	switch (tcache_alloc_beside(cache, way, before, pool, size, &addr)) {
	case FAST_DONE:
		*out = addr;
		break;
	case FAST_LOOK:
		ordered_look(out, addr);
		break;
	default:
		return alloc_slowly(out, size, pool, stream, per_thread);
	}
	stream_way_used(cache, way);
	return CUDA_SUCCESS;
}

/* Nothing is on the fast path then. */
COLD static CUresult alloc_recorded(CUdeviceptr *out, size_t size,
				    CUmemoryPool pool, CUstream stream,
				    bool per_thread, const void *site)
{
	NOTES_SITE(site, size);

	return alloc_beside(out, size, pool, stream, per_thread, FAST_STREAM);
}

ALWAYS CUresult alloc_in(CUdeviceptr *out, size_t size, CUmemoryPool pool,
			 CUstream stream, bool per_thread)
{
	enum fast done;
	uint64_t addr;

	if (!LIKELY(out))
		return alloc_slowly(out, size, pool, stream, per_thread);
	done = tcache_alloc_in(tcache_verified, stream_key(stream, per_thread),
			       pool, size, &addr);
	switch (done) {
	case FAST_DONE:
		*out = addr;
		return CUDA_SUCCESS;
	case FAST_LOOK:
		return ordered_look(out, addr);
	default:
		return LIKELY(!record_may_be_on())
			       ? alloc_beside(out, size, pool, stream,
					      per_thread, done)
			       : alloc_recorded(out, size, pool, stream,
						per_thread, CALLER);
	}
}

EXPORT CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream)
{
	return alloc_in(out, size, NULL, stream, false);
}

EXPORT CUresult cuMemAllocAsync_ptsz(CUdeviceptr *out, size_t size,
				     CUstream stream)
{
	return alloc_in(out, size, NULL, stream, true);
}

/* CUDA refuses a request that names no pool. */
COLD static CUresult alloc_of_none(CUdeviceptr *out, size_t size,
				   CUstream stream, bool per_thread)
{
	return per_thread ? REAL_CALL(cuMemAllocFromPoolAsync_ptsz, out, size,
				      NULL, stream)
			  : REAL_CALL(cuMemAllocFromPoolAsync, out, size, NULL,
				      stream);
}

EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size,
					CUmemoryPool pool, CUstream stream)
{
	return LIKELY(pool) ? alloc_in(out, size, pool, stream, false)
			    : alloc_of_none(out, size, stream, false);
}

EXPORT CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *out, size_t size,
					     CUmemoryPool pool, CUstream stream)
{
	return LIKELY(pool) ? alloc_in(out, size, pool, stream, true)
			    : alloc_of_none(out, size, stream, true);
}

__typeof__(cuMemAllocAsync) ordered_alloc_entry
	__attribute__((alias("cuMemAllocAsync")));
