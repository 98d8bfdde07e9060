/* How a thread's cache is closed (here: shut), as a model for the checker spin:
 * scripts/check-model searches every interleaving. See src/tcache/tcache.h and
 * src/tcache/fast.h.
 *
 * The owner hands out a block of its cache and takes it back. Another thread
 * moves the blocks of the cache into the pool. A block is in one place at any
 * time.
 *
 * As on x86, the owner's stores wait in a buffer, in order. Others see them at
 * any later time; the owner reads its own. A full barrier, or an atomic step of
 * the owner's, empties the buffer. The other thread closes the cache by atomic
 * steps, and its other stores are followed by one.
 *
 * -D leaves a guard out, which the search has to find. */

#define BLOCKS 2
#define ROUNDS 2

mtype = { busy_is, kept_is };

bool busy, shut; /* shut: the unit and the index are hidden */
byte kept = BLOCKS; /* struct tcache: a magazine */
byte pool, live;
bool owner_is_over;

chan buffer = [4] of { mtype, byte }; /* the owner's */
byte own_kept; /* the last value in it */
byte own_stores;

inline store(what, value)
{
	buffer ! what, value
}

/* The oldest store becomes visible to all. */
inline drain_one()
{
	if
	:: buffer ? busy_is, busy
	:: buffer ? kept_is, kept -> own_stores--
	fi
}

inline drain()
{
	do
	:: nempty(buffer) -> drain_one()
	:: empty(buffer) -> break
	od
}

inline keep(count)
{
	atomic {
		own_kept = count;
		own_stores++;
		store(kept_is, own_kept)
	}
}

#define kept_seen (own_stores > 0 -> own_kept : kept)

/* fast.h: tcache_enter */
inline tcache_enter(open)
{
#ifdef BUSY_LATE
	open = !shut;
	store(busy_is, 1);
#else
	store(busy_is, 1);
#ifdef NO_SHUT
	open = true;
#else
	open = !shut;
#endif
#endif
}

/* fast.h: tcache_leave */
inline tcache_leave()
{
	store(busy_is, 0)
}

/* Others see its stores at any time. */
active proctype memory()
{
end:	do
	:: atomic { nempty(buffer) -> drain_one() }
	od
}

active proctype owner()
{
	byte rounds, found;
	bool open;

	do
	:: rounds < ROUNDS ->
		rounds++;
		/* fast.h: tcache_alloc */
		tcache_enter(open);
		found = kept_seen;
		if
		:: open && found > 0 ->
			keep(found - 1);
			live++;
			tcache_leave();
			/* fast.h: tcache_free, whose step on the word is one
			 * that empties the buffer */
			tcache_enter(open);
			if
			:: open ->
				atomic { drain(); live-- }
				found = kept_seen;
				keep(found + 1)
			:: else ->
				atomic { live--; pool++ } /* mem_free */
			fi
		:: else
		fi;
		tcache_leave()
	:: else -> break
	od;
	owner_is_over = true
}

/* tcache_raids.c: others_raid */
active proctype raider()
{
	byte rounds, found;

	do
	:: rounds < ROUNDS ->
		rounds++;
		shut = true;
#ifndef NO_BARRIER
		/* tcache.c: tcaches_wait */
		atomic { drain() }
#endif
#ifndef NO_WAIT
		!busy;
#endif
		found = kept;
		kept = 0;
		pool = pool + found;
		shut = false
	:: else -> break
	od;
	owner_is_over && empty(buffer);
	assert(kept + pool + live == BLOCKS)
}
