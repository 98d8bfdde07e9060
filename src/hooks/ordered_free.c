/* Stream-ordered memory: frees in the order of a stream. */
#include "ordered.h"
#include "call.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "foreign_call.h"
#include "hook.h"
#include "mem/mem.h"
#include "order/capture.h"
#include "peer_touch.h"
#include "room_of.h"
#include "record/site.h"
#include "tcache/fast_stream.h"

/* Its address is never device memory: a free of it gets CUDA's own error. */
static char not_device_memory;

bool ordered_stream_is_own(CUstream stream, const struct context *context)
{
	return !stream || stream == CU_STREAM_LEGACY ||
	       stream == CU_STREAM_PER_THREAD ||
	       backing_stream_is_of(stream, context->handle);
}

/* Whether a free in that stream is part of a capture, where CUDA refuses it or
 * makes a node of it. */
static bool free_is_captured(CUstream stream, bool per_thread)
{
	struct room room = {0};

	if (capture_any())
		room_stream(&room, stream, per_thread);
	return room.captured;
}

/* Whether CUDA itself is to see a free in that stream. */
static bool free_is_cudas(CUstream stream, bool per_thread)
{
	const struct context *context;

	if (!mem_serves_streams())
		return true;
	context = context_current();
	if (!context || !ordered_stream_is_own(stream, context))
		return true;
	return free_is_captured(stream, per_thread);
}

static CUresult free_by_cuda(CUdeviceptr ptr, CUstream stream, bool per_thread,
			     struct block *given)
{
	const struct real_driver *real = real_driver();
	/* CUDA takes no pinned memory here, and no document says that it takes
	 * managed memory. */
	bool plain = !given && !capture_any() && foreign_is_borrowed(ptr);
	struct foreign *foreign =
		given ? NULL : foreign_end_begin(FOREIGN_ADDRESS, ptr);
	CUresult res;

	peer_touch_freed(stream, given);
	stream_call_begin(stream, per_thread, false);
	if (plain)
		res = foreign_free(foreign, ptr);
	else
		res = per_thread ? real->cuMemFreeAsync_ptsz(ptr, stream)
				 : real->cuMemFreeAsync(ptr, stream);
	stream_work_end();
	mem_free_end(given, !res);
	foreign_end_finish(foreign, (int)res);
	return res;
}

/* taken: the block that the fast path has already made idle, or NULL. */
COLD static CUresult free_slowly(CUdeviceptr ptr, CUstream stream,
				 bool per_thread, struct block *taken)
{
	struct mem_order order = {.stream = stream, .per_thread = per_thread};
	const struct real_driver *real;
	enum mem_answer answer;
	struct block *given;

	if (taken)
		fast_taken(tcache_verified, taken);
	real = real_driver();
	if (!real)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!(per_thread ? real->cuMemFreeAsync_ptsz : real->cuMemFreeAsync))
		return CUDA_ERROR_NOT_FOUND;
	if (taken)
		answer = mem_free_begin_in_taken(taken, &order, &given);
	else if (free_is_cudas(stream, per_thread))
		answer = mem_free_begin(ptr,
					free_is_captured(stream, per_thread)
						? MEM_FREE_CAPTURED
						: MEM_FREE_ASYNC,
					&given);
	else
		answer = mem_free_begin_in(ptr, &order, &given);
	if (answer == MEM_DONE)
		return CUDA_SUCCESS;
	if (answer != MEM_PASS)
		ptr = (CUdeviceptr)&not_device_memory;
	return free_by_cuda(ptr, stream, per_thread, given);
}

__attribute__((noinline)) static CUresult free_beside(CUdeviceptr ptr,
						      CUstream stream,
						      bool per_thread,
						      enum fast before)
{
	struct tcache *cache = tcache_verified;
	uintptr_t way = stream_way_find(cache, stream_key(stream, per_thread));
	CUresult res = CUDA_SUCCESS;
	struct block *taken;

	switch (tcache_free_beside(cache, way, before, ptr, &taken)) {
	case FAST_DONE:
		break;
	case FAST_TAKEN:
		res = free_slowly(ptr, stream, per_thread, taken);
		break;
	default:
		return free_slowly(ptr, stream, per_thread, NULL);
	}
	stream_way_used(cache, way);
	return res;
}

COLD static CUresult free_recorded(CUdeviceptr ptr, CUstream stream,
				   bool per_thread, const void *site)
{
	NOTES_SITE(site, 0);

	return free_beside(ptr, stream, per_thread, FAST_STREAM);
}

ALWAYS CUresult free_in(CUdeviceptr ptr, CUstream stream, bool per_thread)
{
	struct block *taken;
	enum fast done;

	done = tcache_free_in(tcache_verified, stream_key(stream, per_thread),
			      ptr, &taken);
	switch (done) {
	case FAST_DONE:
		return CUDA_SUCCESS;
	case FAST_TAKEN:
		return free_slowly(ptr, stream, per_thread, taken);
	default:
		return LIKELY(!record_may_be_on())
			       ? free_beside(ptr, stream, per_thread, done)
			       : free_recorded(ptr, stream, per_thread, CALLER);
	}
}

EXPORT CUresult cuMemFreeAsync(CUdeviceptr ptr, CUstream stream)
{
	return free_in(ptr, stream, false);
}

EXPORT CUresult cuMemFreeAsync_ptsz(CUdeviceptr ptr, CUstream stream)
{
	return free_in(ptr, stream, true);
}

CUresult ordered_free_taken(CUdeviceptr ptr, CUstream stream, bool per_thread,
			    struct block *taken)
{
	return free_slowly(ptr, stream, per_thread, taken);
}

__typeof__(cuMemFreeAsync) ordered_free_entry
	__attribute__((alias("cuMemFreeAsync")));
