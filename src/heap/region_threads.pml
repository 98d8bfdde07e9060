/* A part of region.pml: what threads do beside the requests of the program. */

/* pages.c: pages_reap */
inline pages_reap(now)
{
	atomic { now = lost; lost = false }
	if
	:: now ->
#ifndef REAP_EARLY
		if
		:: true -> device_wait()
		:: refusals -> refusals--; now = false
		fi;
#endif
		if
		:: now -> pages_close()
		:: else -> lost = true
		fi
	:: else
	fi;
	now = false
}

/* reclaim.c: pending_end; region_driver.c: part_give, for a record of a page.
 * The driver may refuse to wait, and to unmap. */
inline page_give(s, now)
{
	if /* work_is_over */
	:: freed[s] < over -> now = true
#ifdef UNMAP_EARLY
	:: freed[s] >= over -> now = true
#else
	:: freed[s] >= over -> device_wait(); now = true
	:: freed[s] >= over && refusals -> refusals--; now = false
#endif
	fi;
	if
	:: now && refusals ->
		refusals--;
#ifdef REFUSED_GOES
		page[s] = 0;
		used--;
#endif
		now = false
	:: true
	fi;
	if
	:: now ->
		d_step {
			assert(kept);
			page_end(s);
			place[s] = former;
			freed[s] = 0;
			stream[s] = 0
		};
		d_step { /* region.c: region_pages_left */
			assert(kept);
			found = used > 0;
			assert(found);
			used--;
			ends_now(now)
		};
		if
		:: now -> pages_close(); region_free()
		:: else
		fi
	:: else ->
		d_step { /* reclaim.c: pending_keep */
			pending[s] = !dead;
			place[s] = (dead -> former : in_hand)
		}
	fi;
	now = false
}

/* reclaim.c: pending_take, pending_give. All that is idle goes, or only what
 * is pending. A record never comes to a region that has gone: that has pages as
 * long as records have some, or is looked at by the record without any. */
proctype giver()
{
	byte rounds, s;
	bool hand[SLOTS + 1], now;

	do
	:: rounds < GIVES ->
		rounds++;
		pages_reap(now);
		atomic {
			!closing || dead; /* context_enter */
			if
			:: placed_trim()
			:: true
			fi;
			d_step {
				s = 0;
				do
				:: s <= SLOTS ->
					hand[s] = pending[s];
					now = now || pending[s];
					pending[s] = false;
					s++
				:: else -> break
				od;
				busy = busy + now;
				s = 0
			}
		}
		if
		:: now ->
			do
			:: s < SLOTS ->
				if
				:: hand[s] ->
					hand[s] = false;
					page_give(s, now)
				:: else
				fi;
				s++
			:: s == SLOTS && hand[s] ->
				hand[s] = false;
				region_unlook(now)
			:: s == SLOTS && !hand[s] -> break
			od;
			s = 0;
			now = false;
#ifndef USE_KEPT
			busy-- /* context_unuse */
#endif
		:: else
		fi
	:: else -> break
	od;
	rounds = 0
}

/* region_driver.c: regions_allow, heap_allow; region.c: region_look */
proctype shower()
{
	bool now;

	atomic {
		!closing || dead;
		if
		:: !dead && known ->
			assert(kept);
			busy++;
			eyes++;
			now = true
		:: else
		fi
	}
	if
	:: now ->
		assert(kept); /* pages_allow */
		region_unlook(now);
		busy--
	:: else
	fi
}

/* swap.c: swap_publish; pools.c: pools_swap */
proctype swapper()
{
	atomic {
		if
		:: !dead && !retired ->
			placed_trim();
			pool_retire()
		:: else
		fi
	}
}

/* Under the lock. pools_forget.c: heap_forget. A block that another thread is
 * just freeing is forgotten by that thread. */
inline heap_forget()
{
	d_step {
		each = 0;
		do
		:: each < SLOTS ->
			pending[each] = false;
			place[each] = (place[each] == in_hand -> former : place[each]);
#ifndef NOT_MARKED
			place[each] = (place[each] == free -> former : place[each]);
#endif
			place[each] = (place[each] == live -> former : place[each]);
			each++
		:: else -> break
		od;
		each = 0;
		pending[SLOTS] = false;
#ifndef NOT_MARKED
		has_lost = true;
#endif
		if
		:: known -> /* region_drop */
			known = false;
			lost = true;
			region_free()
		:: else
		fi
	}
}

/* hooks/contexts.c: end_begin, end_finish; pools_forget.c: pools_forget. The
 * program has no calls under way there, but may have work. */
proctype closer()
{
	bool now;

	at_work == 0;
#ifdef CLOSED_IN_USE
	closing++;
#else
	atomic { !busy -> closing++ }
#endif
	d_step { /* the work of the context itself is over by then */
		i = 0;
		do
		:: i < SLOTS -> WORK(i, 1) = 0; i++
		:: else -> break
		od
	}
	d_step {
		dead = true;
		heap_forget();
	}
	atomic {
		if
		:: !retired -> retired = true; growing = false
		:: else
		fi
	}
	closing--;
	atomic { out = 0; closed = true } /* block_forget */
	pages_reap(now)
}

/* pools_forget.c: pools_correct. The driver has handed out anew what the region
 * has, as its context ended unseen. A record in hand has to find its region, so
 * this waits as a call does that ends a context. */
proctype corrector()
{
	bool now;

	at_work == 0;
#ifdef CORRECTED_IN_USE
	closing++;
#else
	atomic { !busy -> closing++ }
#endif
	d_step {
		i = 0;
		do
		:: i < SLOTS -> WORK(i, 1) = 0; i++
		:: else -> break
		od;
		heap_forget();
		retired = true;
		growing = false
	}
	closing--;
	atomic { out = 0; closed = true } /* blocks_oust */
	pages_reap(now)
}

/* Each page is somewhere, and the driver has all others. */
inline all_is_found()
{
	d_step {
		p = 0;
		do
		:: p < PAGES ->
			next = 0;
			i = 0;
			do
			:: i < SLOTS ->
				if
				:: page[i] == p + 1 &&
				   (place[i] == live || pending[i] ||
				    (place[i] == free && !closed)) ->
					next++
				:: else
				fi;
				i++
			:: else -> break
			od;
			found = next == taken[p];
			assert(found);
			p++
		:: else -> break
		od;
		found = !(ends && !used && !pending[SLOTS]) || !kept;
		assert(found);
		found = kept == opened;
		assert(found)
	}
}

init
{
	bool now;

	atomic {
		at_work = USERS;
		run user(0);
#if USERS > 1
		run user(1);
#endif
		run giver();
#ifdef SHOWN
		run shower();
#endif
#ifdef SWAP
		run swapper();
#endif
#ifdef ENDS
		run closer();
#endif
#ifdef UNSEEN
		run corrector();
#endif
	}
	_nr_pr == 2;
	refusals = 0;
	pages_reap(now);
	all_is_found()
}
