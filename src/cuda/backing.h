/* Where a pool's memory comes from: the driver's own calls. The allocations are
 * made in the program's name, the other calls on our own account. */
#ifndef MNM_BACKING_H
#define MNM_BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Physical memory comes in whole pages of this size, the granularity that the
 * driver has for it. */
#define PAGE_BYTES ((size_t)2 << 20)

struct CUctx_st;
struct CUevent_st;
struct CUmemPoolHandle_st;
struct CUstream_st;

/* Functions that return an int return a CUresult, unless they say otherwise. */

/* Whether the driver has a device of that ordinal, or can't say yet, as it has
 * not been initialized. */
bool backing_may_have_device(int ordinal);

/* Allocates span bytes in the current context. If `capturing`, it uses a mode
 * in which that does not end a capture. */
int backing_alloc(size_t span, bool capturing, uint64_t *addr);

/* From now on, calls of the calling thread that are only unsafe don't end a
 * capture. Returns the mode that was set before, for backing_unrelax. */
unsigned int backing_relax(void);
void backing_unrelax(unsigned int before);

/* Frees memory of a context that is not being destroyed. Waits for the
 * device, as cuMemFree does. */
int backing_free(struct CUctx_st *context, uint64_t addr);

/* The same for pinned host memory; flags are those of cuMemHostAlloc. */
int backing_alloc_host(size_t span, unsigned int flags, bool capturing,
		       uint64_t *addr);
int backing_free_host(struct CUctx_st *context, uint64_t addr);

/* Whether managed memory of a device may be more than the device has: the
 * driver keeps on the host what has no room there. */
bool backing_is_managed_by_page(int ordinal);

/* Allocates managed memory in the current context, in a mode that spares
 * captures. The device of that ordinal is to use it: its preferred place is
 * there, or on the host, where the device then reaches it. */
int backing_alloc_managed(size_t bytes, int ordinal, bool on_device,
			  uint64_t *addr);

/* Allocates host memory that every device reaches by the host's own address, in
 * a mode that spares captures. It is an error if there is no such address. */
int backing_alloc_mapped(size_t bytes, uint64_t *addr);

/* Waits for all work queued in a context so far. backing_wait is an error while
 * a stream of the context captures, and ends the capture. backing_free_wait
 * allocates and frees some memory, which does not end a capture; it is an error
 * if there is no memory. */
int backing_wait(struct CUctx_st *context);
int backing_free_wait(struct CUctx_st *context);

/* Whether mnm knows all entries of the driver: the driver is no newer than the
 * headers that this library was built with. */
bool backing_is_known(void);

/* Whether the driver has events of whole contexts, as it does from 12.5 on. */
bool backing_has_fences(void);

/* Whether the driver is of that version or a later one. */
bool backing_is_since(int version);

/* Makes an event of a context, without timing. */
int backing_event_open(struct CUctx_st *context, struct CUevent_st **event);
void backing_event_close(struct CUevent_st *event);

/* backing_record puts the event behind all work of its context so far.
 * backing_wait_event makes all later work of a context wait for an event of any
 * context. Neither waits itself. Both are errors while a stream of the context
 * captures, and end the capture. */
int backing_record(struct CUctx_st *context, struct CUevent_st *event);
int backing_wait_event(struct CUctx_st *context, struct CUevent_st *event);

/* Waits on the host for an event; allowed during captures. */
int backing_event_wait(struct CUevent_st *event);

/* Asks whether an event is over: CUDA_SUCCESS, else CUDA_ERROR_NOT_READY. It is
 * an error while a stream captures. */
int backing_event_query(struct CUevent_st *event);

/* Whether a stream that the program made has no work left; false if in
 * doubt. */
bool backing_stream_is_idle(struct CUstream_st *stream);

/* Whether a stream that is not the legacy one takes part in a capture; false if
 * in doubt. */
bool backing_stream_captures(struct CUstream_st *stream);

/* Makes all that is queued in a stream of that context from now on wait for all
 * that was queued in it before, also what need not wait by itself. Waits for no
 * other stream, and does nothing in one that captures. per_thread: stream 0
 * means the calling thread's own. */
int backing_stream_bar(struct CUctx_st *context, struct CUstream_st *stream,
		       bool per_thread);

/* The memory of a device, in bytes. The driver is asked once. The second calls
 * nobody, and is 0 as long as nobody has asked. */
int backing_device_bytes(int ordinal, size_t *bytes);
size_t backing_device_bytes_known(int ordinal);

/* The pool that cuMemAllocAsync takes from on a device, and the device's
 * default one. Allowed during captures. */
int backing_mempool(int ordinal, struct CUmemPoolHandle_st **current,
		    struct CUmemPoolHandle_st **standard);

/* Whether a pool allows that memory is reused by events, because its work
 * happens to be over, and by making a stream wait. Allowed during captures. */
void backing_mempool_reuse(struct CUmemPoolHandle_st *pool, bool allowed[3]);

/* How many bytes the pool keeps when the program has waited; 0 if that can't be
 * asked. Allowed during captures. */
uint64_t backing_mempool_threshold(struct CUmemPoolHandle_st *pool);

/* How many bytes of the pool CUDA itself has handed out. As above. */
uint64_t backing_mempool_used(struct CUmemPoolHandle_st *pool);

/* How many bytes CUDA itself holds for the pool, used or idle. Allowed during
 * captures. */
int backing_mempool_reserved(struct CUmemPoolHandle_st *pool, uint64_t *bytes);

/* The pool that CUDA has taken memory at addr from, or NULL. Allowed during
 * captures. */
struct CUmemPoolHandle_st *backing_mempool_of(uint64_t addr);

/* Lets a context reach the memory of another one, on another device; and undoes
 * that. */
int backing_enable_peer(struct CUctx_st *context, struct CUctx_st *owner);
void backing_disable_peer(struct CUctx_st *context, struct CUctx_st *owner);

/* Whether a stream that the program made is of that context; false if in
 * doubt. */
bool backing_stream_is_of(struct CUstream_st *stream, struct CUctx_st *context);

/* Whether a stream that the program made waits for the legacy one; true if in
 * doubt. */
bool backing_stream_waits(struct CUstream_st *stream);

/* Queues something in a stream of that context, so that who waits for the
 * stream also waits for what that comes after. */
int backing_stream_mark(struct CUctx_st *context, struct CUstream_st *stream,
			bool per_thread);

/* Records an event in the legacy stream of the current context and lets it wait
 * for that, in the program's own mode for captures. The event is *mark, or made
 * now if that is NULL. */
int backing_legacy_mark(struct CUevent_st *_Atomic *mark);

/* The same in any context, in a relaxed mode of capture. */
int backing_legacy_mark_of(struct CUctx_st *context,
			   struct CUevent_st *_Atomic *mark);

/* Virtual memory, in pages of PAGE_BYTES. None of these
 * waits for work, which is the caller's to do. All of them are made in a mode
 * in which they don't end a capture.
 *
 * Whether the device has it, in such pages. */
bool backing_has_pages(int ordinal);

/* Addresses without memory, a multiple of a page. */
int backing_addresses(size_t bytes, uint64_t *addr);
int backing_addresses_free(uint64_t addr, size_t bytes);

/* A page of physical memory of a device, which the driver has back once it is
 * released and mapped nowhere. */
int backing_page(int ordinal, uint64_t *page);
int backing_page_release(uint64_t page);

/* A page can be mapped at several addresses. No work can use it there before
 * backing_pages_allow, for devices whose bits are set. Unmap ends whole
 * mappings, one behind the other. */
int backing_page_map(uint64_t addr, uint64_t page);
int backing_pages_allow(uint64_t addr, size_t bytes, uint64_t devices);
int backing_pages_unmap(uint64_t addr, size_t bytes);

/* What the driver says is free on the current context's device, in bytes. */
int backing_free_bytes(size_t *bytes);

/* Returns the ordinal of the device that memory belongs to, or -1 if it is the
 * host's or unknown. */
int backing_device_of(uint64_t addr);

/* Sets the ordinal of a context's device. It is an error if there is no such
 * context. */
int backing_context_device(struct CUctx_st *context, int *ordinal);

/* Whether an error stays: every later call fails with it. */
bool backing_is_lost(int res);

/* Whether an error says that the call has done nothing, and may do it another
 * time: there was no memory, or a capture or a callback forbids it. */
bool backing_is_refused(int res);

#endif
