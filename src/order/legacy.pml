/* Marks of the legacy stream: legacy.c, and requests in a stream that waits for
 * it (mem/mem.c, mem/look.c, tcache/fast_stream.c).
 *
 * Thread 0 makes requests in the legacy stream, and gives it work, which takes
 * the place of marks. Thread 1 makes requests in a stream that waits for that
 * one, which it may remember. Thread 2 acts in another such stream. There may
 * be two like thread 0. Each request has a bit; work and marks are numbered. A
 * rule is broken
 * - if an action comes before the mark of a request that had returned before;
 * - or if a stream's own mark comes before the mark of such a request, or
 *   before such work, once a request in that stream returns.
 *
 * What a thread does within atomic is one access of memory, or one call of the
 * driver. scripts/check-model leaves out the guards. */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef ASKING
#define ASKING 1          /* threads like thread 0 */
#endif

/* legacy.c */
byte legacy_due;          /* contexts with marks, at least */
byte context_due;         /* context->legacy_due; 0: none, 1: due, 2: being set */
bool due_locked;          /* context->legacy_lock */
byte epoch = 1;           /* the device's */
byte asked, queued;       /* context->legacy_asked, legacy_queued */
byte works, watched, passed;
bool works_locked;
byte changes;             /* streams.h: stream_changes */
byte marked;              /* streams_mark of thread 1's stream, plus 1 */

/* tcache: what thread 1 remembers */
bool busy, remembered;

/* What really is so. */
byte requests;            /* in the legacy stream, so far */
byte taken;               /* those that have a block */
byte returned;            /* those that have returned */
byte placed;              /* those whose place is taken by a mark */
byte worked, worked_returned;
/* What was so before the last mark of thread 1's stream. */
byte placed_before, worked_before;

/* work_noted */
inline legacy_worked()
{
	if
	:: watched > passed ->
		atomic { !works_locked -> works_locked = true }
		if
		:: watched > passed ->
			works++;
#ifdef PASSED_FIRST
			passed = works;
#endif
			changes++;
#ifdef NO_PASS
			remembered = false;
#else
			atomic { !busy -> remembered = false }
#endif
			passed = works
		:: else
		fi;
		works_locked = false
	:: else
	fi
}

inline context_settle()
{
	if
	:: context_due ->
		context_due = 2;
		queued_then = queued;
		if
		:: asked < queued_then -> skip
		:: else ->
			placed = taken;
#ifndef MARK_NO_WORK
			legacy_worked()
#endif
		fi;
#ifdef ALL_CLEARED
		d_step {
			context_due = 0;
			legacy_due--
		}
#else
		d_step {
			settles = (context_due == 2);
			if
			:: settles -> context_due = 0
			:: else
			fi
		}
		if
		:: settles -> legacy_due--
		:: else
		fi
#endif
	:: else
	fi
}

/* settle_in */
inline settle()
{
	if
#ifdef NOT_AWAITED
	:: context_due == 1 ->
#else
	:: context_due ->
#endif
		atomic { !due_locked -> due_locked = true }
		context_settle();
		due_locked = false
	:: else
	fi
}

/* epoch_raise */
inline raise(word, to)
{
	d_step {
		if
		:: word < to -> word = to
		:: else
		fi
	}
}

inline legacy_mark_later()
{
	asked_in = epoch;
#ifndef ASKED_LATE
	raise(asked, asked_in);
#endif
	if
	:: context_due != 1 ->
#ifndef COUNTED_LAST
		legacy_due++;
#endif
		d_step {
			was_due = context_due;
			context_due = 1
		}
#ifdef COUNTED_LAST
		if
		:: !was_due -> legacy_due++
		:: else
		fi
#else
		if
		:: was_due -> legacy_due--
		:: else
		fi
#endif
	:: else
	fi;
#ifdef ASKED_LATE
	raise(asked, asked_in);
#endif
#ifndef REQUEST_NO_WORK
	legacy_worked()
#endif
}

inline epoch_next()
{
	d_step {
		epoch++;
		begun = epoch
	}
}

/* legacy_call_begin, and legacy_work_end */
inline work_queued()
{
	begun = 0;
#ifndef EPOCH_LATE
	if
	:: legacy_due -> epoch_next()
	:: else
	fi;
#endif
	d_step {
		worked++;
		placed = taken
	}
#ifdef EPOCH_LATE
	epoch_next();
#endif
#ifdef QUEUED_FIRST
	raise(queued, begun);
#endif
	legacy_worked();
#ifndef QUEUED_FIRST
	raise(queued, begun);
#endif
	worked_returned++
}

active [ASKING] proctype legacy()
{
	byte rounds, mine, was_due, begun, asked_in, queued_then;

	do
	:: rounds < ROUNDS ->
		rounds++;
		if
		:: true ->
#ifdef DUE_FIRST
			legacy_mark_later();
#endif
			d_step {
				mine = 1 << requests;
				requests++;
				taken = taken | mine
			}
#ifndef DUE_FIRST
			legacy_mark_later();
#endif
			returned = returned | mine
#ifdef WORK
		:: true -> work_queued()
#endif
		fi
	:: else -> break
	od
}

/* mem/mem.c: mem_alloc_in, of a stream that waits */
inline request_slowly()
{
	changes_then = changes;
	settle();
	works_then = works + 1;
#ifndef WATCHED_LATE
	raise(watched, works_then);
#endif
#ifdef DUE_UNASKED
	again = false;
#else
	again = (context_due > 0);
#endif
	if
	:: !again && marked == works_then
	:: else ->
		atomic {
			placed_before = placed;
			worked_before = worked
		}
#ifdef WATCHED_LATE
		raise(watched, works_then);
#endif
		marked = works_then
	fi;
	busy = true;
	if
#ifdef CHANGES_UNASKED
	:: !again -> remembered = true
#else
	:: !again && changes == changes_then -> remembered = true
#endif
	:: else
	fi;
	busy = false
}

active proctype waiting()
{
	byte rounds, changes_then, works_then, asked_before, worked_then,
		queued_then;
	bool settles, again, served;

	do
	:: rounds < ROUNDS ->
		rounds++;
		atomic {
			asked_before = returned;
			worked_then = worked_returned
		}
		busy = true;
		served = remembered;
		busy = false;
		if
		:: served
		:: else -> request_slowly()
		fi;
		assert(!(asked_before & ~placed_before));
		assert(worked_before >= worked_then)
	:: else -> break
	od
}

/* stream_order.h: stream_work_begin, and others */
active proctype acts()
{
	byte asked_before, queued_then;
	bool settles;

	asked_before = returned;
	if
	:: legacy_due -> settle()
	:: else
	fi;
	assert(!(asked_before & ~placed))
}
