/* The protocol of epochs, fences and captures, for the model checker spin:
 * scripts/check-model searches every interleaving of it.
 *
 * One block, the only one that is ever reused, goes from owner to owner among
 * two program threads and a thread that captures. Streams 0 and 1 belong to the
 * context that the block belongs to; stream 2 belongs to a second context, or
 * to a peer.
 *
 * Ordering is kept as sets of work, one bit an item: knows[s] is the work that
 * the next work of stream s comes after, and done is the work that the host has
 * seen complete. Apart from that it is left open when an item completes, so an
 * order that is not in these sets is not kept. Others see queued work only once
 * it leaves the thread's store buffer, as on x86: at any time, or by a full
 * barrier.
 *
 * Each step that other threads can see half done is a statement of its own.
 * What a lock or one instruction makes atomic is in an atomic block. Above each
 * step stands the function that it mirrors.
 *
 * The threads, and what else -D adds, are in fence_threads.pml. Each guard can
 * be left out by -D; the search must then find the fault: scripts/check-model
 * lists them. */

mtype = { fence, sync, none }; /* levels */
mtype = { DRIVER, LIVE, FREEING, HELD, IDLE, PENDING }; /* the block */
mtype = { HIT, UNSAFE, MISS }; /* what a look into the pool finds */

#ifndef START
#define START fence
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define EVERYTHING 255
#define NOWHERE    3
#define CAPTURER   2 /* threads, after the programs' 0 and 1 */
#define WAITER     3
#define SECOND_THREAD 3 /* it queues nothing */

/* The device. */
byte knows[3];
byte done;
byte items;              /* queued so far */
bool capturing;          /* the driver's own state */
bool present;            /* stream 2 may be used */

/* Each thread's store buffer, and what its work has to be ordered behind. */
byte on[4] = NOWHERE;
byte item[4];
byte before[4];

/* struct device, struct context, and the one block. */
byte epoch, safe;
mtype level = START;
byte contexts = 1;
bool shared;
bool has_event;
byte event[2];           /* of the first context, and of the second */
mtype state = DRIVER;
byte stamp, owner_pool, active_pool;
byte generation;
bool pending;
bool in_none;            /* reuse that is wrong is asked for */

/* capture.c and deferred_free.c. */
byte quiet;              /* calls of ours that end a capture */
byte count;
bool hold_is_open;
byte hold_users;

#define work_of_a  (knows[0] | knows[1])
#define queued     ((1 << items) - 1)
#define several    (contexts == 2 || shared)
#define alone      (level == fence && !several)
#ifdef OLD_DRIVER
#define reaches    false
#else
#ifdef CROWD /* more contexts than one fence covers */
#define reaches    alone
#else
#define reaches    (level == fence)
#endif
#endif

/* Work leaves the store buffer for the device. */
inline drain(t)
{
	d_step {
		if
		:: on[t] != NOWHERE ->
			assert(!(before[t] & ~(knows[on[t]] | done)));
			knows[on[t]] = knows[on[t]] | (1 << item[t]);
			on[t] = NOWHERE
		:: else
		fi
	}
}

/* The program queues work that uses the block. */
inline queue(t, stream)
{
	atomic {
		drain(t);
		on[t] = stream;
		item[t] = items;
		items++
	}
}

/* The block has a new owner, whose work comes after all that is queued. */
inline own(t)
{
	state = LIVE;
	generation++;
	before[t] = (in_none -> 0 : queued)
}

/* capture.c: capture_block, capture_unblock */
inline capture_block(yes)
{
	atomic {
#ifdef GRANT_ALWAYS
		yes = true;
#else
		yes = (count == 0);
#endif
		quiet = quiet + yes
	}
}

inline capture_unblock()
{
#ifdef NO_QUIET_END
	skip
#else
	quiet--
#endif
}

/* epoch.c: epoch_end */
inline epoch_end(t, ended)
{
	atomic {
		drain(t);
		epoch++;
#ifdef PUBLISH_AHEAD
		ended = epoch + 1
#else
		ended = epoch
#endif
	}
}

/* epoch.c: epoch_publish */
inline epoch_publish(ended)
{
	atomic {
		if
		:: safe < ended -> safe = ended
		:: else
		fi;
		assert(safe <= epoch || safe == EVERYTHING)
	}
}

/* fence_make.c: fence_quietly, backing_record of a context's fence */
inline record(both, yes)
{
	if
	:: yes ->
		capture_block(yes);
		if
		:: yes ->
			atomic {
				assert(!capturing);
				event[0] = work_of_a;
				has_event = true
			}
			capture_unblock()
		:: else
		fi
	:: else
	fi;
	if
	:: yes && both ->
		capture_block(yes);
		if
		:: yes ->
			atomic {
				assert(!capturing);
				event[1] = knows[2]
			}
			capture_unblock()
		:: else
		fi
	:: else
	fi
}

/* fence_make.c: fence_quietly, backing_wait_event: each context waits for all
 * events */
inline gate(both, yes)
{
	if
	:: yes ->
		capture_block(yes);
		if
		:: yes ->
			atomic {
				assert(!capturing);
				knows[0] = knows[0] | event[0] |
					   (both -> event[1] : 0);
				knows[1] = knows[1] | event[0] |
					   (both -> event[1] : 0)
			}
			capture_unblock()
		:: else
		fi
	:: else
	fi;
	if
	:: yes && both ->
		capture_block(yes);
		if
		:: yes ->
			atomic {
				assert(!capturing);
				knows[2] = knows[2] | event[0] | event[1]
			}
			capture_unblock()
		:: else
		fi
	:: else
	fi
}

/* fence_make.c: fence_try, fence_of, group_is_whole; yes: the fence has been
 * made */
inline fence_try(t, ended, both, yes)
{
#ifdef ONE_OF_SEVERAL
	both = false;
#else
	both = (contexts == 2);
#endif
	yes = true;
#ifdef RECORD_FIRST
	record(both, yes);
	epoch_end(t, ended);
#else
	epoch_end(t, ended);
	record(both, yes);
#endif
#ifdef PUBLISH_FIRST
	epoch_publish(ended);
	gate(both, yes)
#else
#ifndef NO_GATE
	gate(both, yes);
#endif
	if
#if !defined(STALE_REACH) && !defined(ONE_OF_SEVERAL)
	:: both != (contexts == 2) || shared -> yes = false
#endif
	:: else
	fi;
	if
	:: yes -> epoch_publish(ended)
	:: else
	fi
#endif
}

/* wait.c: event_wait of one context. With an old driver the wait is a free,
 * which does not end a capture. */
inline context_wait(work, seen, yes, res)
{
#ifdef OLD_DRIVER
	if
	:: count == 0 ->
		seen = work;
		done = done | seen
	:: else -> res = false
	fi
#else
#ifdef WAIT_UNQUIET
	yes = (count == 0);
	quiet = quiet + yes;
#else
	capture_block(yes);
#endif
	if
	:: yes ->
		atomic {
			assert(!capturing);
			seen = work
		}
		capture_unblock();
		done = done | seen
	:: else -> res = false
	fi
#endif
}

/* wait.c: device_wait. The epoch ends before the contexts are listed: a context
 * that comes later has no work from before a free in that epoch. */
inline device_wait(t, seen, ended, both, yes, res)
{
	res = true;
#ifdef LIST_FIRST
	both = several;
	epoch_end(t, ended);
#else
	epoch_end(t, ended);
	both = several;
#endif
	context_wait(work_of_a, seen, yes, res);
	if
	:: res && both -> context_wait(knows[2], seen, yes, res)
	:: else
	fi;
	if
	:: res -> epoch_publish(ended)
	:: else
	fi
}

/* fence.c: fence_ready, with fence_make. It is left open whether a fence is
 * due, and whether another thread makes one. To be told that events are over is
 * modelled as a wait that could be left. */
inline fence_ready(t, seen, ended, both, yes, res)
{
	seen = safe;
	yes = false;
#ifdef ORDER
	if
	:: count == 0 && alone && reaches -> stream_order_try(yes)
	:: else
	fi;
#endif
	if
	:: yes
	:: !yes && count == 0 && reaches && !shared && safe == seen ->
#ifdef ORDER
		stream_order_return_begin(t);
#endif
#ifdef RETURN_NO_FENCE
		yes = true;
#else
		fence_try(t, ended, both, yes);
#endif
#ifdef ORDER
		if
		:: yes -> stream_order_return(t)
		:: else -> back[t] = false
		fi;
#endif
		yes = (safe != seen)
	:: !yes && count == 0 && reaches && shared -> /* seal.c: seal_ready */
		device_wait(t, seen, ended, both, yes, res);
		yes = res
	:: !yes -> yes = (safe != seen) /* not due, or not now */
	fi
}

#ifdef ORDER
#include "stream_order.pml"
#endif

/* fence.c: fence_kept. It is left open how full the quarantine is. */
inline fence_kept(t, seen, ended, both, yes, res)
{
	if
	:: level == none || count > 0
	:: level == fence /* and reaches, or is not full; or all is safe */
	:: count == 0 && (level == sync || (level == fence && !reaches)) ->
		device_wait(t, seen, ended, both, yes, res)
	fi
}

/* mem.c: pool_look */
inline pool_look(t, answer)
{
	atomic {
		drain(t);
		if
		:: state == IDLE && owner_pool == active_pool && stamp < safe ->
			own(t);
			answer = HIT
		:: state == IDLE && owner_pool == active_pool && stamp >= safe ->
			answer = UNSAFE
		:: else -> answer = MISS
		fi
	}
}

/* mem.c: mem_fresh. If the driver does not have the block any more, the request
 * gets memory that is of no interest here. */
inline take_fresh(t, answer)
{
	atomic {
		if
		:: state == DRIVER ->
			own(t);
			owner_pool = active_pool;
			answer = HIT
		:: else -> answer = MISS
		fi
	}
}

/* mem_free.c: pool_keeps; pools.c: pools_take_back */
inline pool_push(t, yes)
{
	atomic {
		drain(t);
		yes = (owner_pool == active_pool);
		state = (yes -> IDLE : state)
	}
}

/* deferred_free.c: deferred_free_keep */
inline deferred_free_keep(yes)
{
	atomic {
		yes = hold_is_open;
		state = (yes -> HELD : state)
	}
}

/* mem_free.c: mem_free. Taking the block from the table is the full barrier. */
inline mem_free(t, seen, ended, both, yes, res)
{
	atomic {
		assert(state == LIVE);
#ifndef NO_BARRIER
		drain(t);
#endif
		state = FREEING
	}
#ifndef STAMP_LATE
	stamp = epoch;
#endif
	if
#ifndef NO_HOLD
	:: count > 0 ->
		deferred_free_keep(yes);
		if
		:: yes
		:: else -> driver_free()
		fi
	:: else ->
#else
	:: true ->
#endif
		pool_push(t, yes);
#ifdef STAMP_LATE
		stamp = epoch;
#endif
		if
		:: yes -> fence_kept(t, seen, ended, both, yes, res)
		:: else -> driver_free()
		fi
	fi
}

#include "fence_threads.pml"
