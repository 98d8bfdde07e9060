/* How it is known that a program rests, for the model checker spin:
 * scripts/check-model searches every interleaving. See src/order/calls.h.
 *
 * A worker queues work that ends only by what the worker itself does later: for
 * example, a kernel may wait until the host writes a word. A free in the driver
 * waits for all work. The giver must never make one while there is work: it
 * keeps the worker's next call waiting meanwhile, and both would wait for ever.
 *
 * As on x86, a worker's stores wait in a buffer, in order, and others see them
 * at any later time. A full barrier, or an atomic step of the worker's own,
 * empties the buffer. With -DTWO_GIVERS two threads give memory back, with
 * -DFORCED a thread begins with the pause. With -DUNSEEN the second worker goes
 * through an entry of which nothing is known, after it has said so.
 *
 * Each guard can be left out by -D; the search must then find the fault. */

#define WORKERS 2
#ifndef ROUNDS
#define ROUNDS 2
#endif

bool paused;           /* calls.h: calls_held & CALLS_PAUSED */
bool taken;             /* calls.c: pause_taken */
bool unseen;            /* calls.c: unseen */
byte calls[WORKERS];   /* struct calls: how many began */
bool inside[WORKERS];  /* struct calls: one is under way */
byte pending[WORKERS]; /* work on the device */

mtype = { begin_is, leave_is };

chan buffer[WORKERS] = [4] of { mtype };

inline drain_one(me)
{
	if
	:: buffer[me] ? begin_is ->
		inside[me] = true;
		calls[me]++
	:: buffer[me] ? leave_is ->
		inside[me] = false
	fi
}

inline drain(me)
{
	do
	:: nempty(buffer[me]) -> drain_one(me)
	:: empty(buffer[me]) -> break
	od
}

/* calls.h: calls_enter; calls.c: calls_wait */
inline calls_enter(me, closed)
{
#ifdef COUNT_LATE
	closed = paused;
	buffer[me] ! begin_is;
#else
	buffer[me] ! begin_is;
	closed = paused;
#endif
#ifdef NO_WAIT
	closed = false;
#endif
	do
	:: closed ->
		buffer[me] ! leave_is;
		!paused;
		buffer[me] ! begin_is;
		closed = paused
	:: else -> break
	od
}

/* calls.h: calls_leave */
inline calls_leave(me)
{
	buffer[me] ! leave_is
}

/* Others see a worker's stores at any time. */
proctype memory(byte me)
{
end:	do
	:: atomic { nempty(buffer[me]) -> drain_one(me) }
	od
}

proctype worker(byte me)
{
	byte rounds;
	bool closed;

	do
	:: rounds < ROUNDS ->
		rounds++;
		calls_enter(me, closed);
		pending[me]++;
		calls_leave(me);
		/* The work waits for this call of its worker. */
		calls_enter(me, closed);
		pending[me]--;
		calls_leave(me)
	:: else -> break
	od
}

/* calls.c: calls_unseen, and then an entry that mnm does not see */
proctype stranger(byte me)
{
	atomic { drain(me); unseen = true };
#ifndef STRANGER_GOES_ON
	!paused;
#endif
	pending[me]++;
	pending[me]--
}

#ifdef NO_EVENT
#define EVENT_IS_OVER true
#else
#define EVENT_IS_OVER \
	(!(event[0] && pending[0] > 0) && !(event[1] && pending[1] > 0))
#endif

#ifdef FORCED
/* rest.c: rest_force. The pause comes first; work of calls that began before
 * may end in it. */
proctype giver()
{
	bool event[WORKERS], same, seen_unseen;

	atomic { !taken -> taken = true };
	paused = true;
#ifndef NO_BARRIER
	atomic { drain(0) };
	atomic { drain(1) };
#endif
	seen_unseen = unseen;
	same = true;
	atomic { same = same && !inside[0] };
	atomic { same = same && !inside[1] };
	atomic {
		event[0] = (pending[0] > 0);
		event[1] = (pending[1] > 0)
	};
	if
	:: same && EVENT_IS_OVER && !seen_unseen ->
		/* A free in the driver. */
		assert(pending[0] + pending[1] == 0 /* rests */);
		skip;
		assert(pending[0] + pending[1] == 0 /* rests */)
	:: else
	fi;
	paused = false;
	taken = false
}
#else
/* rest.c: rest_begin; giver.c: give_if_at_rest; owed.c: give_at_rest */
proctype giver()
{
	byte turns, before[WORKERS], i;
	bool event[WORKERS], same, seen_unseen;

	do
	:: turns < ROUNDS ->
		turns++;
		/* calls.c: calls_look */
		same = true;
#ifdef LOOK_LATE
		event[0] = (pending[0] > 0);
		event[1] = (pending[1] > 0);
#endif
		i = 0;
		do
		:: i < WORKERS ->
			atomic {
				before[i] = calls[i];
				same = same && !inside[i];
				i++
			}
		:: else -> break
		od;
		/* One event behind all work so far. */
#ifndef LOOK_LATE
		atomic {
			event[0] = (pending[0] > 0);
			event[1] = (pending[1] > 0)
		};
#endif
		if
		:: !same || !EVENT_IS_OVER -> skip
		:: else ->
#ifdef UNSEEN_READ_FIRST
			seen_unseen = unseen;
#endif
			/* calls.c: calls_pause */
#ifndef NO_TURN
			if
			:: atomic { !taken -> taken = true }
			:: taken -> goto next
			fi;
#endif
			paused = true;
#ifndef NO_BARRIER
			atomic { drain(0) };
			atomic { drain(1) };
#endif
#ifndef UNSEEN_READ_FIRST
			seen_unseen = unseen;
#endif
			i = 0;
			do
			:: i < WORKERS ->
				atomic {
#ifndef NO_SECOND_LOOK
					same = same && !inside[i] &&
					       before[i] == calls[i];
#endif
					i++
				}
			:: else -> break
			od;
			if
			:: same && !seen_unseen ->
				/* A free in the driver. */
				assert(pending[0] + pending[1] == 0 /* rests */);
				skip;
				assert(pending[0] + pending[1] == 0 /* rests */)
			:: else
			fi;
#ifdef STAYS_PAUSED
			paused = paused && !same;
#else
			paused = false;
#endif
			taken = false
		fi;
next:		skip
	:: else -> break
	od
}
#endif

init {
	atomic {
		run memory(0);
		run memory(1);
		run worker(0);
#ifdef UNSEEN
		run stranger(1);
#else
		run worker(1);
#endif
#ifdef TWO_GIVERS
		run giver();
#endif
		run giver()
	}
}
