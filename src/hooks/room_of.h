/* Finds the devices that a call which is out of memory was for, from its
 * arguments. Any argument may be wrong, or NULL. */
#ifndef MNM_ROOM_OF_H
#define MNM_ROOM_OF_H

#include "cuda/real.h"
#include "mem/room.h"

/* Keeps a function apart, so that the hook saves no registers for it while
 * there is memory. */
#define COLD __attribute__((noinline, cold))

static inline bool room_is_short(CUresult res)
{
	return __builtin_expect(res == CUDA_ERROR_OUT_OF_MEMORY, 0);
}

/* Notes whether the stream captures, and can go on with that. Its device counts
 * only if no other argument has told one. per_thread: stream 0 means the
 * calling thread's own. */
void room_stream(struct room *room, CUstream stream, bool per_thread);
void room_context(struct room *room, CUcontext context);
void room_green(struct room *room, CUgreenCtx green);
void room_pool(struct room *room, CUmemoryPool pool);
void room_physical(struct room *room, CUmemGenericAllocationHandle handle);
void room_location(struct room *room, const CUmemLocation *location,
		   size_t count);
void room_access(struct room *room, const CUmemAccessDesc *access,
		 size_t count);

/* The bytes of that many rows of this width; 0 if a size_t can't hold them. */
size_t room_product(size_t width, size_t rows);

#endif
