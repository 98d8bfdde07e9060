/* When a freed block may be handed out again.
 *
 * A program frees memory while work queued before the free may still use it;
 * CUDA's cudaFree waits for that work. Here each free stamps its block with the
 * device's epoch, and a block may be reused once its epoch is below
 * device->safe. The level (MNM_FENCE) says how epochs become safe:
 *
 * fence	By a fence: an event is recorded behind all work of the
 *		context, and all its later work waits for that event. The
 *		device keeps the order; no thread waits. There is one fence
 *		in a hundred requests. Between fences, requests get fresh
 *		memory, while the bytes that wait for a fence are within the
 *		quarantine (MNM_QUARANTINE). The program's own
 *		cuCtxSynchronize makes epochs safe as well.
 *		While the process gives work to one stream only, that stream's
 *		order is enough, without any fence (stream_order.h).
 *		If the device has several contexts, there is an event in each,
 *		and each waits for all of these. If contexts of other devices
 *		may use its memory, there is an event in each of them, too.
 *		Then no work waits: the events are asked whether they are
 *		over (seal.h).
 *		If events can't cover all contexts (a driver before 12.5, or
 *		more than eight contexts of a device), the free that fills the
 *		quarantine waits on the host, as CUDA's does. An allocation
 *		never waits, unless memory runs out.
 * sync		Each free waits, as CUDA's does.
 * none		Freed blocks are safe at once, in captures, too. This corrupts
 *		memory; it is for tests.
 *
 * The protocol is modelled in src/order/fence.pml. */
#ifndef MNM_FENCE_H
#define MNM_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/option.h"

struct CUctx_st;
struct context;
struct device;

/* The level, for all devices. */
enum fence_level fence_level(void);
void fence_level_set(enum fence_level level);

/* Sets for all devices how many freed bytes of a device may wait for one fence.
 * SIZE_AUTO: 5 % of the device, at most 512 MiB. */
void fence_quarantine_set(size_t bytes);

/* Whether no free waits: the level is none, or events cover all contexts that
 * may use the device's memory. When something that this depends on changes,
 * tcaches_recompute is called. */
bool fence_is_plain(const struct device *device);

/* Whether the work of one context is all that may use the device's memory. */
bool context_is_alone(const struct device *device);

/* How many bytes of blocks a thread may keep before one of its frees has to ask
 * whether to wait (fence_keep); SIZE_MAX if none has to. When something that
 * this depends on changes, tcaches_recompute is called. */
size_t fence_room(const struct device *device);

/* A freed block of span bytes has its stamp and is about to be kept: waits if
 * the level or the quarantine asks for it. The wait may show that the device
 * has failed, so it comes before the caller decides whether CUDA frees the
 * block. */
void fence_keep(struct device *device, size_t span);

/* The block has been kept. It is in the quarantine now, unless its epoch is
 * safe. */
void fence_kept(struct device *device, size_t span, uint64_t epoch);

/* An allocation found only blocks that are not safe yet. Returns true if it
 * should look again, and false if it should take fresh memory. */
bool fence_ready(struct device *device);

/* A fence of that many contexts has been made. The next one is not due before
 * enough requests have come to be worth the calls of this one. */
void fence_pay(struct device *device, int contexts);

/* As fence_ready, for a request that is to have fresh memory only if there is
 * no other way. */
bool fence_wanted(struct device *device);

/* For a request that is about to look for a place among free bytes, the last of
 * which were freed in epoch `freed`, or 0 if none ever was: makes a fence if
 * that costs little now. What is not safe yet is no choice for the request, and
 * is not joined with what lies beside it. So without a fence the pool would
 * hold more. */
void fence_ahead(struct device *device, uint64_t freed);

/* Fresh memory was taken after fence_ready had returned false. */
void fence_fresh_taken(struct device *device, size_t size);

/* As fence_ready, for a request that can't get fresh memory. From now on,
 * little fresh memory takes the place of fences. */
bool fence_pressed(struct device *device);

/* Makes the host wait for the work that may still use reused memory of the
 * context. Needed where a block gets users whose work is not ordered by any
 * event of ours. */
void fence_drain(struct context *context);

/* The context is about to end. If its last fence is over, this is noted: then
 * contexts that come meanwhile don't wait for that end, which may wait for
 * them. */
void fence_note_over(struct context *context);

/* Another context may use the memory of `device` from now on: its work waits
 * for the device's last fence. */
void fence_attach(struct device *device, struct context *other);

/* A part of a context, which has a handle of its own, may use from now on
 * whatever memory the whole context may use: its work waits for the last fences
 * of all that memory. */
void fence_attach_part(const struct context *whole, struct CUctx_st *part);

/* From now on and for good, another context may use the memory of the device:
 * its work counts as the device's own, and the work that it queues from now on
 * comes after the last fence. See contexts_using. */
void peer_admit(struct device *device, struct context *peer);

/* From now on and for good, all contexts may use the memory of this device, or
 * of all devices (NULL). It is for good because work that was queued meanwhile
 * may still run. */
void peer_share(struct device *device);

/* A context, or any context (NULL), is about to queue a copy or a fill that
 * touches memory at addr. Copies and fills reach the memory of other devices
 * without being allowed to, so the context is admitted to that memory. */
void peer_admit_at(struct context *peer, uint64_t addr);

/* From now on, work of any context may touch memory of any device. */
void peer_mingle(void);

/* If every block was safe whatever its epoch, no idle block is safe from now
 * on. */
void fence_restart(struct device *device);

/* Puts all work of the device so far before all later work, at any level: by a
 * fence, or else by a wait of the host. Returns false if neither was
 * possible. */
bool fence_force(struct device *device);

/* Notes what the result of a call of ours means for the device; returns it. */
int device_check(struct device *device, int res);

#endif
