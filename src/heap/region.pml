/* The life of a region and of what is placed in it, as a model for the checker
 * spin: scripts/check-model searches every interleaving. See region.h, pages.h
 * and region_driver.h.
 *
 * There is one region of virtual memory, in a context of a device with PAGES
 * pages. Each block takes one page, so an address is a slot. Threads of the
 * program ask for blocks, give work to the device there, and free them, each in
 * the order of a stream of its own. The first one's stream is of another
 * context, so its work goes on when the region's context ends. If no slot is
 * free and ready, the region grows: by a fresh page, or by a free one that
 * moves. A thread gives back; others are there if they are named by -D: SHOWN,
 * which looks at the region for another device, SWAP, which swaps the pool out,
 * ENDS, which ends the context, and UNSEEN, which finds that it ended long ago.
 *
 * What is done under the context's lock is one step. So is a fence, and a wait
 * of the host for all work, see order/fence.pml. Work that has been queued ends
 * at any later time. Which pages go back or move is left open. That the host
 * may lack memory for records is left out. extents.pml and whole.pml are parts
 * of this model.
 *
 * Each guard can be left out by -D; the search must then find the fault. */

#define PAGES 2
#define STREAMS 2
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef USERS
#define USERS 2
#endif
#ifndef GIVES
#define GIVES 2
#endif
#ifndef FENCES
#define FENCES 1
#endif
#ifndef REFUSALS
#define REFUSALS 0
#endif
#define NO 255

/* The device. */
byte mapped[SLOTS]; /* the page behind an address, and one more; or 0 */
bool taken[PAGES];  /* from the driver */
/* What may be running, by address and stream. All later work comes after what
 * is behind a fence. */
#define RUNS 1
#define FENCED 2
byte work[SLOTS * STREAMS];

/* order/epoch.c */
byte epoch = 1, safe = 1, over = 1;
byte fences = FENCES;
byte refusals = REFUSALS; /* of the driver, that may come yet */

/* struct slot, and what the pool or a record says of it. */
mtype = { former, live, free, in_hand };
byte page[SLOTS];   /* and one more; or 0 */
byte older[SLOTS];  /* and one more; or 0 */
mtype place[SLOTS] = former;
byte freed[SLOTS];  /* in that epoch; 0: never */
byte stream[SLOTS]; /* in that one, and one more; 0: in none */

/* struct heap_region, struct pages */
bool opened; /* it has addresses */
bool kept;   /* struct heap_region has not been freed */
bool known, ends, region_lost;
byte claimed, used, eyes;
bool lost; /* pages.c: it is in the list */

/* struct pool, struct heap */
bool growing, retired, has_lost, closed;
byte out;                /* what is checked out */
bool pending[SLOTS + 1]; /* records; the last one is the one without bytes */

/* struct context */
bool dead;
byte closing, busy;

byte at_work; /* threads of the program */

hidden byte i, p, next;
hidden byte before, idle, found, at, each;

#define WORK(s, t) work[(s) * STREAMS + (t)]

#include "region_pages.pml"

/* region.c: region_free */
inline region_free()
{
	assert(kept);
	kept = false
}

/* Under the lock. region.c: ends_now */
inline ends_now(now)
{
	assert(kept);
#ifdef EYES_UNASKED
	now = ends && !used;
#else
#ifdef ENDS_UNASKED
	now = !used && !eyes;
#else
	now = ends && !used && !eyes;
#endif
#endif
	if
	:: now -> known = false
	:: else
	fi
}

/* region_driver.c: region_unlook */
inline region_unlook(now)
{
	d_step {
		assert(kept);
		found = eyes > 0;
		assert(found);
		eyes--;
		ends_now(now)
	}
	if
	:: now ->
		pages_close();
		region_free()
	:: else
	fi
}

/* Under the lock. placed.c: placed_trim. What goes is a record's from then
 * on. */
inline trim_one(s)
{
	if
	:: place[s] == free ->
		assert(kept); /* part_record */
		place[s] = in_hand;
		pending[s] = true
	:: else
	fi
}

inline placed_trim()
{
	d_step {
		each = 0;
		do
		:: each < SLOTS && !has_lost -> trim_one(each); each++
		:: else -> break
		od;
		each = 0
	}
}

/* Under the lock. pools.c: pool_close_if_over. Its extents end with it, and its
 * record may soon be another heap's: so no region may take that for its pool
 * which would end with it. */
inline pool_close_if_over()
{
	d_step {
		closed = retired && !out;
		i = 0;
		do
		:: i < SLOTS ->
			found = !closed || place[i] != free;
			assert(found);
			i++
		:: else -> break
		od;
		found = !closed || !known || ends;
		assert(found)
	}
}

/* Under the lock. placed.c: placed_leave, region_leave */
inline pool_retire()
{
	d_step {
		growing = false;
		retired = true;
		if
		:: known && !ends ->
			assert(kept);
			ends = true;
			if
			:: !used && !eyes ->
				pending[SLOTS] = true;
#ifndef LEAVE_UNSEEN
				eyes++
#endif
			:: else
			fi
		:: else
		fi
	}
	pool_close_if_over()
}

/* A slot that is free, and ready for a stream; or NO. */
#define READY(s, t) (place[s] == free && \
	(!freed[s] || freed[s] < safe || stream[s] == t + 1))

inline block_take(s, t)
{
	atomic {
		if
		:: !retired && READY(0, t) -> s = 0
		:: !retired && READY(1, t) -> s = 1
#if SLOTS > 2
		:: !retired && READY(2, t) -> s = 2
#endif
		:: else -> s = NO
		fi;
		if
		:: s != NO -> place[s] = live; out++
		:: else
		fi
	}
}

inline block_free(s, t)
{
	atomic {
		place[s] = free;
		freed[s] = epoch;
		stream[s] = t + 1;
		if
		:: retired -> placed_trim()
		:: else
		fi;
		out--;
		pool_close_if_over();
		s = NO
	}
}

/* Under the lock. What is free at the end of the region does not move. */
#define MOVES(s) (place[s] == free && s + 1 < claimed)

/* grow_pages.c: growth_begin */
inline growth_begin(to, from)
{
	atomic {
		from = NO;
		if
		:: growing && claimed < SLOTS ->
			assert(kept);
			if
			:: true
			:: MOVES(0) -> from = 0
#if SLOTS > 2
			:: MOVES(1) -> from = 1
#endif
			fi;
			if
			:: from != NO -> place[from] = in_hand
			:: else
			fi;
			to = claimed;
			claimed++;
			eyes++
		:: growing && claimed == SLOTS -> /* region_leave_full */
			growing = false;
			placed_trim()
		:: else
		fi
	}
}

/* region_open. The driver is called between the two steps. */
inline region_open()
{
	atomic {
		if
#ifdef OPEN_RETIRED
		:: !opened && !dead ->
#else
		:: !opened && !dead && !retired ->
#endif
			opened = true;
			kept = true;
			known = true;
			growing = true
		:: else
		fi
	}
}

/* pages.c: pages_map. If the driver refuses, all is as it was. */
inline pages_map(to, from, done)
{
	atomic {
		assert(kept);
		done = true;
		if
		:: from != NO ->
			mapped[to] = page[from];
			page[to] = page[from];
			older[to] = from + 1;
			page[from] = 0
		:: from == NO && !taken[0] ->
			taken[0] = true;
			mapped[to] = 1;
			page[to] = 1
		:: from == NO && taken[0] && !taken[1] ->
			taken[1] = true;
			mapped[to] = 2;
			page[to] = 2
		:: from == NO && taken[0] && taken[1] -> done = false
		:: from != NO && refusals -> refusals--; done = false
		fi
	}
}

/* growth_end; parts_return and slots_unclaim if the driver refused. */
inline growth_end(to, from, done)
{
	d_step {
		assert(kept);
		if
		:: done ->
			place[to] = free;
#ifndef MOVE_FORGETS
			freed[to] = (from != NO -> freed[from] : 0);
			stream[to] = (from != NO -> stream[from] : 0);
#endif
			used = used + (from == NO)
		:: else -> claimed = claimed - (to + 1 == claimed)
		fi;
		if
		:: from != NO ->
			place[from] = (done -> former : free);
			freed[from] = (done -> 0 : freed[from]);
			stream[from] = (done -> 0 : stream[from])
		:: else
		fi
	}
}

/* mem/grow.c: pool_held, pool_let; grow_pages.c: grow_in, growth_make */
inline grow(to, from, done)
{
	atomic {
		done = !retired && !dead;
		out = out + done;
		busy = busy + done
	}
	if
	:: done ->
		to = NO;
		growth_begin(to, from);
		if
		:: to == NO ->
			region_open();
			growth_begin(to, from)
		:: else
		fi;
		if
		:: to != NO ->
			pages_map(to, from, done);
			growth_end(to, from, done);
			region_unlook(done)
		:: else
		fi;
		to = NO;
		from = NO;
		atomic {
			busy--;
			if
			:: retired -> placed_trim()
			:: else
			fi;
			out--;
			pool_close_if_over()
		}
	:: else
	fi;
	done = false
}

/* A thread of the program. It may leave its last block for the context's
 * end. */
proctype user(byte t)
{
	byte rounds, s = NO, from = NO;
	bool done;

	do
	:: rounds < ROUNDS ->
		rounds++;
		block_take(s, t);
		if
		:: s == NO && fences -> fences--; fence(); block_take(s, t)
		:: s == NO -> grow(s, from, done); block_take(s, t)
		:: else
		fi;
		if
		:: s != NO -> work_queue(s, t)
		:: else
		fi;
		if
		:: s != NO -> block_free(s, t)
		:: s == NO || rounds == ROUNDS -> break
		fi
	:: else -> break
	od;
	s = NO;
	rounds = 0;
	at_work--
}

#include "region_threads.pml"
