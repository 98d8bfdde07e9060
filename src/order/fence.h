/* When a freed block may be handed out again.
 *
 * A program frees memory while work queued before the free may still use it;
 * CUDA's cudaFree waits for that work. Here each free stamps its block with
 * the device's epoch, and a block may be reused once its epoch is below
 * device->safe. How epochs become safe is the level (MNM_FENCE):
 *
 * fence	By a fence: one event recorded behind all work of the context,
 *		one wait of all its later work for that event. The device keeps
 *		the order, no thread waits. There is one in a hundred requests;
 *		between them fresh memory serves, while the bytes that wait are
 *		within the quarantine (MNM_QUARANTINE). The program's own
 *		cuCtxSynchronize does as well.
 *		While the process gives work to one stream only, that stream's
 *		order is enough, without any fence (stream_order.h).
 *		Where the device has several contexts, there is an event in
 *		each, and each waits for all of these. Where contexts of other
 *		devices may use its memory, there is one in each of them, too,
 *		and nothing waits: they are asked (seal.h).
 *		Where events can't reach (a driver before 12.5, or more than
 *		eight contexts of a device), the free in which the quarantine
 *		fills up waits on the host, as CUDA's does. An allocation
 *		never waits, unless memory runs out.
 * sync		Each free waits, as CUDA's does.
 * none		At once, in captures, too. Corrupts memory; for tests.
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

/* Freed bytes of the device that may wait for one fence. SIZE_AUTO: 5 % of
 * the device, at most 512 MiB. Set for all devices. */
void fence_quarantine_set(size_t bytes);

/* Whether a free never waits: at this level, and one fence reaches all contexts
 * that may use the device's memory. What it depends on is followed by
 * tcaches_recompute. */
bool fence_is_plain(const struct device *device);

/* The bytes of blocks that a thread may keep before one of its frees has to ask
 * whether to wait (fence_keep); SIZE_MAX where none does. What it depends on is
 * followed by tcaches_recompute. */
size_t fence_room(const struct device *device);

/* A freed block of span bytes, which has its stamp, is about to be kept: waits
 * where the level or the quarantine asks for it. So what the wait tells of the
 * device is known before it is decided whose the block is. */
void fence_keep(struct device *device, size_t span);

/* It has been kept: unless its epoch is safe it is in the quarantine now. */
void fence_kept(struct device *device, size_t span, uint64_t epoch);

/* An allocation found only blocks that are not safe yet. True: look again.
 * False: take fresh memory. */
bool fence_ready(struct device *device);

/* A fence of so many contexts has been made: it costs its calls, and requests
 * have to be worth it before the next. */
void fence_pay(struct device *device, int contexts);

/* Fresh memory was taken then. */
void fence_fresh_taken(struct device *device, size_t size);

/* As fence_ready, where no fresh memory is to be had; from now on little
 * fresh memory takes the place of fences. */
bool fence_pressed(struct device *device);

/* The program waits for a context itself: what was freed before is safe when
 * that has succeeded, or, beside other contexts, not used by this one's work.
 * The context may be NULL. */
struct fence_sync_part {
	struct device *device;
	uint64_t safe; /* 0: nothing is gained */
	uint64_t bytes;
};
struct fence_sync {
	struct context *context;
	uint64_t over, over_host; /* epochs before which its work is then */
	struct fence_sync_part device, host;
};
struct fence_sync fence_sync_begin(struct context *context);
void fence_sync_end(const struct fence_sync *sync, int res);

/* A new context, which nobody has given work. */
void fence_context_new(struct context *context);

/* The host waits for what may still use memory of the context that has been
 * reused: who gets it now is not ordered by any event of ours. */
void fence_drain(struct context *context);

/* Another context may use the memory of `device` from now on: its work waits
 * for the device's last fence. */
void fence_attach(struct device *device, struct context *other);

/* A part of a context, under another handle, may use from now on what the whole
 * may: its work waits for the last fences of all that is. */
void fence_attach_part(const struct context *whole, struct CUctx_st *part);

/* Another context may use the memory of the device from now on, for good: its
 * work counts as the device's own, and what it does now is behind the last
 * fence. See contexts_using. */
void peer_admit(struct device *device, struct context *peer);

/* All contexts may use the memory of this device, or of all devices (NULL),
 * from now on. For good: work queued while it was so may still run. */
void peer_share(struct device *device);

/* Work of a context, or of any (NULL), is about to be queued that touches
 * memory at addr, by a copy or a fill: those reach memory of other devices
 * without being allowed to. It is admitted then. One load in a program that
 * uses one device. */
void peer_admit_at(struct context *peer, uint64_t addr);

/* Work of any context may touch memory of any device from now on. */
void peer_mingle(void);

/* Where every block was safe, whatever its epoch, none that is idle is now. */
void fence_restart(struct device *device);

/* At whatever level, all work of the device so far comes before all later
 * work, by a fence or else a wait of the host. False: neither was possible. */
bool fence_force(struct device *device);

/* Notes what a CUresult of ours means for the device; returns it. */
int device_check(struct device *device, int res);

#endif
