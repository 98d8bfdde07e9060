/* Marks of the legacy stream: legacy.c, and requests in a stream that waits for
 * it (mem/mem.c, mem/look.c, tcache/fast_stream.c).
 *
 * Thread 0 makes requests in the legacy stream, and gives it work. Thread 1
 * makes requests in a stream that waits for that one, which it may remember.
 * Thread 2 acts in another such stream. Requests and work are numbered, and so
 * are marks. A rule is broken
 * - if an action comes before the mark of a request that had returned before;
 * - or if a stream's own mark comes before the mark of such a request, or
 *   before such work, once a request in that stream returns.
 *
 * What a thread does within atomic is one access of memory, or one call of the
 * driver. scripts/check-model leaves out the guards. */
#ifndef ROUNDS
#define ROUNDS 2
#endif

/* legacy.c */
byte legacy_due;          /* 0: none, 1: due, 2: being set */
bool context_due;         /* context->legacy_due */
bool due_locked;
byte works, watched, passed;
bool works_locked;
byte changes;             /* streams.h: stream_changes */
byte marked;              /* streams_mark of thread 1's stream, plus 1 */

/* tcache: what thread 1 remembers */
bool busy, remembered;

/* What really is so. */
byte taken;               /* requests in the legacy stream that have a block */
byte returned;            /* and those that have returned */
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
	d_step {
		settles = context_due;
		context_due = false
	}
	if
	:: settles ->
		placed = taken;
#ifndef MARK_NO_WORK
		legacy_worked()
#endif
	:: else
	fi
}

inline legacy_settle()
{
	if
#ifdef NOT_AWAITED
	:: legacy_due == 1 ->
#else
	:: legacy_due ->
#endif
		atomic { !due_locked -> due_locked = true }
		if
		:: legacy_due ->
			legacy_due = 2;
			context_settle();
#ifdef ALL_CLEARED
			legacy_due = 0
#else
			d_step {
				if
				:: legacy_due == 2 -> legacy_due = 0
				:: else
				fi
			}
#endif
		:: else
		fi;
		due_locked = false
	:: else
	fi
}

inline legacy_mark_later()
{
#ifdef WHERE_LAST
	legacy_due = 1;
	context_due = true;
#else
	context_due = true;
	legacy_due = 1;
#endif
#ifndef REQUEST_NO_WORK
	legacy_worked()
#endif
}

active proctype legacy()
{
	byte rounds;
	bool settles;

	do
	:: rounds < ROUNDS ->
		rounds++;
		if
		:: true ->
#ifdef DUE_FIRST
			legacy_mark_later();
#endif
			taken++;
#ifndef DUE_FIRST
			legacy_mark_later();
#endif
			returned++
#ifdef WORK
		:: true ->
			worked++;
			legacy_worked();
			worked_returned++
#endif
		fi
	:: else -> break
	od
}

/* epoch_raise */
inline watch(count)
{
	d_step {
		if
		:: watched < count -> watched = count
		:: else
		fi
	}
}

/* mem/mem.c: mem_alloc_in, of a stream that waits */
inline request_slowly()
{
	changes_then = changes;
	legacy_settle();
	works_then = works + 1;
#ifndef WATCHED_LATE
	watch(works_then);
#endif
#ifdef DUE_UNASKED
	again = false;
#else
	again = (legacy_due > 0);
#endif
	if
	:: !again && marked == works_then
	:: else ->
		atomic {
			placed_before = placed;
			worked_before = worked
		}
#ifdef WATCHED_LATE
		watch(works_then);
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
	byte rounds, changes_then, works_then, asked_before, queued;
	bool settles, again, served;

	do
	:: rounds < ROUNDS ->
		rounds++;
		atomic {
			asked_before = returned;
			queued = worked_returned
		}
		busy = true;
		served = remembered;
		busy = false;
		if
		:: served
		:: else -> request_slowly()
		fi;
		assert(placed_before >= asked_before);
		assert(worked_before >= queued)
	:: else -> break
	od
}

/* stream_order.h: stream_work_begin, and others */
active proctype acts()
{
	byte asked_before;
	bool settles;

	asked_before = returned;
	legacy_settle();
	assert(placed >= asked_before)
}
