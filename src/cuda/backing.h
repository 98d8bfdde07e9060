/* Where a pool's memory comes from: the driver's own allocation calls, in the
 * name of the program (take) or on our own account (the others). */
#ifndef MNM_BACKING_H
#define MNM_BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;

/* All return a CUresult. */

/* Allocates span bytes in the current context; while a stream captures, in a
 * mode in which that does not end the capture. */
int backing_alloc(size_t span, bool capturing, uint64_t *addr);

/* From now on no call of the calling thread's that is only unsafe ends a
 * capture; returns what it was before, for the way back. */
unsigned int backing_relax(void);
void backing_unrelax(unsigned int before);

/* Frees memory of a context that is not being destroyed. Waits for the
 * device, as cuMemFree does. */
int backing_free(struct CUctx_st *context, uint64_t addr);

/* The same of pinned host memory; flags are those of cuMemHostAlloc. */
int backing_alloc_host(size_t span, unsigned int flags, bool capturing,
		       uint64_t *addr);
int backing_free_host(struct CUctx_st *context, uint64_t addr);

/* Waits for all work queued in a context so far. The first is an error while a
 * stream of the context captures, and the end of the capture. The second is a
 * free of some memory, which a capture bears, and an error where there is
 * none. */
int backing_wait(struct CUctx_st *context);
int backing_free_wait(struct CUctx_st *context);

/* Whether we know all entries of the driver: it's no newer than the headers
 * that this library was built with. */
bool backing_is_known(void);

/* Whether the driver has events of whole contexts, as from 12.5 on. */
bool backing_has_fences(void);

/* An event of a context; without timing. */
int backing_event_open(struct CUctx_st *context, struct CUevent_st **event);
void backing_event_close(struct CUevent_st *event);

/* The event stands behind all work of its context so far; all later work of a
 * context waits for an event, of any context. Neither waits; both are errors
 * while a stream of the context captures, and end the capture. */
int backing_record(struct CUctx_st *context, struct CUevent_st *event);
int backing_wait_event(struct CUctx_st *context, struct CUevent_st *event);

/* Waits on the host for an event; allowed during captures. */
int backing_event_wait(struct CUevent_st *event);

/* Asks whether an event is over: CUDA_SUCCESS, else CUDA_ERROR_NOT_READY. An
 * error while a stream captures. */
int backing_event_query(struct CUevent_st *event);

/* Whether a stream that the program made has no work left; false if in
 * doubt. */
bool backing_stream_is_idle(struct CUstream_st *stream);

/* The memory of a device, bytes. */
int backing_device_bytes(int ordinal, size_t *bytes);

/* What the driver says is free on the current context's device, bytes. */
int backing_free_bytes(size_t *bytes);

/* The ordinal of the device that memory belongs to, or -1: it is the host's,
 * or unknown. */
int backing_device_of(uint64_t addr);

/* The ordinal of a context's device. An error: there is no such context. */
int backing_context_device(struct CUctx_st *context, int *ordinal);

/* Whether an error stays: every later call fails with it. */
bool backing_is_lost(int res);

/* Whether it says that the call has done nothing, and may do it another time:
 * there was no memory, or a capture or a callback forbids it. */
bool backing_is_refused(int res);

#endif
