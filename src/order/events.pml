/* What streams are known to come after (streams.c, stream_past.c,
 * event_order.c), for the model checker spin: scripts/check-model searches
 * every interleaving.
 *
 * Two threads of a program make calls of any kind, in any stream
 * (events_program.pml). One block, the only one that is ever reused, is asked
 * for, worked with and freed in streams. The program keeps to CUDA's rules: it
 * frees the block in a stream that comes after all work with it, and ends no
 * stream that is in use.
 *
 * Order is kept as sets of work, as in fence.pml: knows[s] is what the next
 * work of stream s comes after, and what an event comes after that is recorded
 * there; done is what the host has seen the end of. The rule: who was given the
 * block may queue work only if that comes after all work with the block before.
 *
 * What a lock makes atomic is one step here. Above each step stands the
 * function that it mirrors. Instead of an event's version each wait under way
 * has a flag, which a record of the event clears. -D adds
 *	FENCES	a request may make a fence
 *	ENDS	streams end, and others get their handles and numbers
 *	DEVICES	the first stream is of another device, where the block is not
 *	LOOSE	a stream is given work that does not wait for its earlier work
 *	SYNC	the host waits for the event, and for streams
 *	FAILS	a record may fail
 *	OPAQUE	the event may be recorded by calls that are not followed
 *	CAPTURE	captures begin and end
 *	LEVELS	the level is none for a time
 *
 * Each guard can be left out by -D; the search must then find the fault. */

#ifndef STREAMS
#define STREAMS 3
#endif
#define NUMBERS 4 /* 0: none */
#define NOBODY  9
#define EVERYTHING 255

mtype = { LIVE, FREEING, IDLE }; /* the block */

typedef past_of { /* by numbers */
	byte epoch[NUMBERS];
	byte serial[NUMBERS];
}

typedef epochs_of {
	byte epoch[NUMBERS];
}

/* The devices. Work is queued on one of them only. */
byte knows[STREAMS];
byte gated;             /* what all later work there waits for */
byte done;
byte items;             /* queued so far */
byte stands;            /* what the event's last record comes after */
bool loose[STREAMS];    /* later work does not wait for earlier work */

/* The block, which the first thread has at the start. */
mtype state = LIVE;
byte before;            /* all work with it */
byte stamp, kept_by;    /* its epoch, and the number it is kept by */

/* The epochs of the devices; streams.c; stream_past.c */
byte epoch[2], safe[2];
byte key[NUMBERS] = NOBODY;
bool given[NUMBERS];
byte device[NUMBERS];
byte ended[NUMBERS];
byte serial[NUMBERS];
bool loose_noted[STREAMS];
epochs_of behind[NUMBERS];
epochs_of over;
bool inside[2];         /* calls that have seen a number */

/* event_order.c and capture.c */
byte recording;
bool mixed;
past_of last;           /* the event's past */
bool unchanged[2];      /* the version is that of the thread's wait */
bool opaque, capturing;
bool any_number;
byte strange;           /* records under way that are not followed */

#define queued ((1 << items) - 1)
#ifdef DEVICES
#define device_of(s) ((s) > 0)
#define LAST_NUMBER  2
#else
#define device_of(s) 0
#define LAST_NUMBER  STREAMS
#endif
#define the_device  device_of(1) /* the block's */
#define is_followed (!opaque && !capturing && any_number)

/* A past that nobody needs any more does not make states different. */
inline past_drop(past)
{
	i = 0;
	do
	:: i < NUMBERS ->
		past.epoch[i] = 0;
		past.serial[i] = 0;
		i++
	:: else -> break
	od;
	i = 0
}

inline past_copy(to, from)
{
	i = 0;
	do
	:: i < NUMBERS ->
		to.epoch[i] = from.epoch[i];
		to.serial[i] = from.serial[i];
		i++
	:: else -> break
	od;
	i = 0
}

/* streams.c: number_find */
inline number_find(s, n)
{
	n = NUMBERS - 1;
	do
	:: n > 0 && key[n] != s -> n--
	:: else -> break
	od
}

/* streams.c: stream_has_number; 0 if the stream's number is another one */
inline number_check(s, n)
{
	if
	:: n > 0 && key[n] != s -> n = 0
	:: else
	fi
}

/* streams.c: number_is_free. At level none all is safe for a time only. */
#ifdef NONE_COUNTS
#define has_passed(n) (ended[n] <= safe[device[n]])
#else
#define has_passed(n) \
	(safe[device[n]] != EVERYTHING && ended[n] <= safe[device[n]])
#endif
#ifdef NOT_SAFE_YET
#define number_is_free(n) (key[n] == NOBODY)
#else
#define number_is_free(n) \
	(key[n] == NOBODY && (!given[n] || (ended[n] && has_passed(n))))
#endif

/* stream_past.c: stream_past_clear */
inline stream_past_clear(n)
{
	i = 0;
	do
	:: i < NUMBERS ->
#ifndef BEHIND_STAYS
		behind[n].epoch[i] = 0;
#endif
#ifndef AHEAD_STAYS
		behind[i].epoch[n] = 0;
#endif
		i++
	:: else -> break
	od;
#ifndef OVER_STAYS
	over.epoch[n] = 0;
#endif
	i = 0
}

/* streams.c: stream_number, has_order, number_give */
inline stream_number(s, n)
{
	d_step {
		number_find(s, n);
		if
		:: n == 0 && !loose_noted[s] ->
			n = 1;
			do
			:: n <= LAST_NUMBER && !number_is_free(n) -> n++
			:: else -> break
			od;
			if
			:: n <= LAST_NUMBER ->
				stream_past_clear(n);
				any_number = true;
				given[n] = true;
				device[n] = device_of(s);
				ended[n] = 0;
#ifdef ENDS
				serial[n]++;
#endif
				key[n] = s
			:: else -> n = 0
			fi
		:: else
		fi
	}
}

/* streams.c: number_end, calls_pass */
inline number_end(n)
{
	key[n] = NOBODY;
#ifndef NO_PASS
	!inside[0];
	!inside[1];
#endif
	d_step {
		epoch[device[n]]++;
		ended[n] = epoch[device[n]]
	}
}

/* stream_past.c: stream_past_take */
inline stream_past_take(s)
{
	d_step {
		number_find(s, n);
		if
		:: n > 0 ->
			epoch[device_of(s)]++;
			i = 1;
			do
			:: i < NUMBERS ->
				mine.epoch[i] = (i == n -> epoch[device_of(s)] :
						 behind[n].epoch[i]);
				mine.serial[i] = (mine.epoch[i] -> serial[i] :
						  0);
				i++
			:: else -> break
			od;
			i = 0;
			n = 0
		:: else
		fi
	}
}

#ifdef SERIAL_UNASKED
#define is_same(i) true
#else
#define is_same(i) (mine.serial[i] == serial[i])
#endif

/* stream_past.c: past_note */
inline past_note(known)
{
	i = 0;
	do
	:: i < NUMBERS ->
		if
		:: is_same(i) && known.epoch[i] < mine.epoch[i] ->
			known.epoch[i] = mine.epoch[i]
		:: else
		fi;
		i++
	:: else -> break
	od;
	i = 0
}

/* stream_past.c: stream_past_joins */
inline stream_past_joins(s)
{
	stream_number(s, n);
	d_step {
		number_find(s, n);
		if
		:: n > 0 -> past_note(behind[n])
		:: else
		fi;
		n = 0
	}
}

/* stream_past.c: stream_past_is_over */
inline stream_past_is_over()
{
	d_step {
		past_note(over);
		past_drop(mine)
	}
}

/* event_order.c: event_record_begin. The second look is under the lock. */
inline event_record_begin(s)
{
	followed = is_followed;
	if
#ifndef EPOCH_LATE
	:: followed -> stream_past_take(s)
#else
	:: followed
#endif
	:: else -> strange++
	fi;
	d_step {
		if
#ifndef STRANGE_UNASKED
		:: followed && strange > 0 ->
			followed = false;
			strange++
#endif
		:: else
		fi;
		if
#ifdef NOT_FORGOTTEN
		:: followed ->
#else
		:: followed || any_number ->
#endif
#ifndef MIXED_COUNTS
			mixed = mixed || recording > 0;
#endif
			recording = recording + followed;
#ifndef VERSION_LATE
			unchanged[0] = false;
			unchanged[1] = false;
#endif
#ifndef PAST_KEPT
			past_drop(last)
#endif
		:: else
		fi;
		if
		:: !followed -> past_drop(mine)
		:: else
		fi
	}
}

/* event_order.c: event_record_end */
inline event_record_end()
{
	d_step {
		if
		:: followed && recording > 0 ->
			recording--;
			if
#ifndef FAILURE_COUNTS
			:: failed
#endif
			:: recording > 0 || mixed
			:: else -> past_copy(last, mine)
			fi;
			mixed = mixed && recording > 0
		:: else
		fi;
		if
#ifdef VERSION_LATE
		:: followed ->
			unchanged[0] = false;
			unchanged[1] = false
#else
		:: followed
#endif
		:: else -> strange--
		fi;
		past_drop(mine);
		followed = false;
		failed = false
	}
}

/* event_order.c: event_wait_begin */
inline event_wait_begin()
{
	d_step {
		if
		:: is_followed ->
			past_copy(mine, last);
			unchanged[me] = true
		:: else
		fi
	}
}

/* event_order.c: wait_holds. What does not hold is an empty past. */
inline wait_holds()
{
	d_step {
		if
#ifndef VERSION_UNASKED
		:: !unchanged[me] -> past_drop(mine)
#endif
		:: else
		fi;
		unchanged[me] = false
	}
#ifndef OPAQUE_UNASKED
	d_step {
		if
		:: opaque -> past_drop(mine)
		:: else
		fi
	}
#endif
}

#include "events_program.pml"
