/* What devices a call is for that is out of memory, by its arguments. Any of
 * them may be wrong, or NULL. */
#ifndef MNM_ROOM_OF_H
#define MNM_ROOM_OF_H

#include "cuda/real.h"
#include "mem/room.h"

/* Kept apart, so that nothing is saved for it where there is memory. */
#define COLD __attribute__((noinline, cold))

static inline bool room_is_short(CUresult res)
{
	return __builtin_expect(res == CUDA_ERROR_OUT_OF_MEMORY, 0);
}

/* A stream counts where nothing else tells; per_thread: 0 means the calling
 * thread's own. */
void room_stream(struct room *room, CUstream stream, bool per_thread);
void room_context(struct room *room, CUcontext context);
void room_green(struct room *room, CUgreenCtx green);
void room_pool(struct room *room, CUmemoryPool pool);
void room_physical(struct room *room, CUmemGenericAllocationHandle handle);
void room_location(struct room *room, const CUmemLocation *location,
		   size_t count);
void room_access(struct room *room, const CUmemAccessDesc *access,
		 size_t count);

/* Bytes of so many rows; 0: more than there can be. */
size_t room_product(size_t width, size_t rows);

#endif
