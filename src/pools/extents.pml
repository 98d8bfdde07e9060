/* How free bytes are joined, as a model for the checker spin: see extents.h and
 * placing.c. Two threads ask for one unit or two in a region, give work to the
 * device there, and free them, each in the order of a stream of its own; a
 * third one gives back what is free. The rules: no work on a unit runs beside
 * that of another owner, or as the unit goes back; and what may be used stays
 * so, whatever it is joined with.
 *
 * All of it is under the context's lock, so a call of the pool is one step. So
 * are a fence and a wait. Which of the extents that fit serves is left open.
 *
 * Each guard can be left out by -D; the search must then find the fault. */

#define UNITS 3
#define STREAMS 2
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define NO 255
#define ALL 254 /* an epoch that no free has: UINT64_MAX */

#define RUNS 1   /* work that is queued, or at work */
#define FENCED 2 /* such work; all later work comes after it */
byte work[UNITS * STREAMS];

byte epoch = 1, safe = 1, over = 1; /* order/epoch.c */

/* Of each unit that is free: its extent's epoch, stream and state, and whether
 * the next unit is in the same extent. */
bool is_free[UNITS] = true;
byte age[UNITS], stream[UNITS];
bool open[UNITS], joined[UNITS];
byte settled = 1; /* extents.h */

/* Of the unit by itself: whether all could use it at some request since it was
 * freed, and in which stream that was. */
bool usable[UNITS];
byte own_stream[UNITS];

hidden byte i, all, alike, before, idle, pending;

#define WORK(u, t) work[(u) * STREAMS + (t)]

/* What was freed in an epoch, and in which stream, may be used. */
#define READY(a, s, t) (!(a) || (a) < safe || (s) == t + 1)

inline fence()
{
	d_step {
		i = 0;
		do
		:: i < UNITS * STREAMS ->
			work[i] = (work[i] -> FENCED : 0);
			i++
		:: else -> break
		od;
		epoch++;
		safe = epoch
	}
}

/* are_alike, of a unit and the next one */
inline ask_alike(u)
{
	alike = is_free[u] && is_free[u + 1] && !joined[u];
#ifndef JOINS_UNSETTLED
	alike = alike && open[u] == open[u + 1];
#endif
#ifndef JOINS_STREAMS
	alike = alike && (!open[u] || stream[u] == stream[u + 1])
#endif
}

/* extent_age */
inline ask_age(u)
{
#ifdef AGE_OF_LEFT
	age[u + 1] = age[u];
#else
	age[u] = (age[u] > age[u + 1] -> age[u] : age[u + 1]);
	age[u + 1] = age[u];
#endif
#ifdef STREAM_OF_LEFT
	stream[u + 1] = stream[u];
#else
	stream[u] = (stream[u] == stream[u + 1] -> stream[u] : 0);
	stream[u + 1] = stream[u];
#endif
	open[u] = open[u] || open[u + 1];
	open[u + 1] = open[u]
}

/* Joins all that is alike. What is said of one unit of an extent is said of
 * the others: it comes to the last of three in two steps. */
inline join_all()
{
	all = 0;
	do
	:: all < 4 ->
		ask_alike(all % 2);
		joined[all % 2] = joined[all % 2] || alike;
		if
		:: joined[all % 2] -> ask_age(all % 2)
		:: else
		fi;
		all++
	:: else -> break
	od
}

/* extents_settle */
inline settle(to)
{
	settled = to;
	i = 0;
	do
	:: i < UNITS ->
		open[i] = is_free[i] && age[i] >= to;
		usable[i] = is_free[i] && !open[i] && to != ALL;
		i++
	:: else -> break
	od;
	join_all()
}

/* extents_cut */
inline cut(u)
{
	is_free[u] = false;
	age[u] = 0;
	stream[u] = 0;
	open[u] = false;
	usable[u] = false;
	joined[u] = false;
	if
	:: u > 0 -> joined[u - 1] = false
	:: else
	fi
}

/* Whether what the pool knew to be free for this request before it is so. */
inline is_found(u, t)
{
	pending = is_free[u] && !READY(age[u], stream[u], t) &&
		  (usable[u] || (own_stream[u] == t + 1 && open[u]));
	assert(!pending)
}

/* A thread gives work to the device. */
inline work_queue(u, t)
{
	d_step {
		before = WORK(u, 1 - t) != RUNS;
		assert(before);
		WORK(u, t) = RUNS
	}
}

inline free_unit(u, t)
{
	is_free[u] = true;
	age[u] = epoch;
	stream[u] = t + 1;
	own_stream[u] = t + 1;
	open[u] = epoch >= settled
}

#define FITS1(u, t) (is_free[u] && READY(age[u], stream[u], t))
#define FITS2(u, t) (FITS1(u, t) && joined[u])

proctype user(byte t)
{
	byte rounds, u, count;

	do
	:: rounds < ROUNDS ->
		rounds++;
		atomic { /* placing_fit, placing_take */
			d_step {
#ifndef GIVES
				is_found(0, t);
				is_found(1, t);
				is_found(2, t);
#endif
				settle(safe);
				i = 0
			}
			if
			:: FITS2(0, t) -> u = 0; count = 2
			:: FITS2(1, t) -> u = 1; count = 2
			:: FITS1(0, t) -> u = 0; count = 1
			:: FITS1(1, t) -> u = 1; count = 1
			:: FITS1(2, t) -> u = 2; count = 1
			:: else -> count = 0
			fi;
			if
			:: count -> cut(u)
			:: else
			fi;
			if
			:: count == 2 -> cut(u + 1)
			:: else
			fi
		}
		if
		:: count ->
			work_queue(u, t);
			if
			:: count == 2 -> work_queue(u + 1, t)
			:: else
			fi;
			d_step {
				free_unit(u, t);
				if
				:: count == 2 -> free_unit(u + 1, t)
				:: else
				fi;
				join_all();
				all = 0
			}
		:: else -> fence()
		fi
	:: else -> break
	od
}

/* Work ends at any time. */
active proctype device()
{
end:	do
	:: atomic { work[0] -> work[0] = 0 }
	:: atomic { work[1] -> work[1] = 0 }
	:: atomic { work[2] -> work[2] = 0 }
	:: atomic { work[3] -> work[3] = 0 }
	:: atomic { work[4] -> work[4] = 0 }
	:: atomic { work[5] -> work[5] = 0 }
	od
}

/* Takes an extent out and gives it back; placed.c: placed_trim. */
proctype giver()
{
	byte u, last, when;

	atomic {
		d_step { settle(ALL); i = 0 }
		if
		:: is_free[0] -> u = 0
		:: is_free[1] && !joined[0] -> u = 1
		:: is_free[2] && !joined[1] -> u = 2
		:: else -> u = NO
		fi;
		if
		:: u != NO ->
			last = u;
			do
			:: last < UNITS - 1 && joined[last] -> last++
			:: else -> break
			od;
			when = age[u];
			d_step {
				i = u;
				do
				:: i <= last -> cut(i); i++
				:: else -> break
				od;
				i = 0
			}
		:: else
		fi
	}
	if
	:: u != NO && when >= over -> /* work_is_over */
		d_step {
			i = 0;
			do
			:: i < UNITS * STREAMS -> work[i] = 0; i++
			:: else -> break
			od;
			epoch++;
			safe = epoch;
			over = epoch
		}
	:: else
	fi;
	if
	:: u != NO ->
		d_step {
			i = u;
			do
			:: i <= last ->
				idle = !WORK(i, 0) && !WORK(i, 1);
				assert(idle);
				i++
			:: else -> break
			od;
			i = 0
		}
	:: else
	fi
}

init
{
	atomic {
		run user(0);
		run user(1);
#ifdef GIVES
		run giver()
#endif
	}
}
