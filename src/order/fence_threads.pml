/* The threads of fence.pml. Two programs are always there. -D adds
 *	WAITS	a thread waits for the context
 *	LEVELS	the level changes
 *	SECOND	a second context appears
 *	PEER	a context of another device gets access
 *	CAPTURE	a thread captures a graph
 *	SWAP	the pool is swapped
 *	OLD_DRIVER	the driver has no events of contexts
 *	CROWD	there are too many contexts for a fence of all
 *	ORDER	one stream's order is used (stream_order.pml)
 *	RETURN	the same, after that order has ended
 * or, alone,
 *	BEGIN	a capture begins while fences are made without end
 * ROUNDS is how many requests the second program makes; the first makes 2.
 * START is the level at the start. */

/* The program queues work on a stream of its choice. */
inline work(t, where, seen, ended, both, yes, res)
{
	atomic {
		if
		:: where = 0
		:: where = 1
		:: present -> where = 2
		fi
	}
#ifdef ORDER
	inside[t] = true;
	work_queued(t, where, seen, ended, both, yes, res);
#endif
	queue(t, where);
#ifdef ORDER
	inside[t] = false;
#endif
	where = 0
}

/* Values that a thread does not need any more don't make states different. */
inline forget(seen, ended, both, yes, res)
{
	d_step {
		seen = 0;
		ended = 0;
		both = false;
		yes = false;
		res = false
	}
}

/* CUDA's own free: the host waits for all work of the device. */
inline driver_free()
{
	atomic {
		done = work_of_a | knows[2];
		state = DRIVER
	}
}

/* reclaim.c: reclaim_run */
inline reclaim_run()
{
	if
	:: atomic { pending && count == 0 -> pending = false };
		atomic {
			if
			:: state == PENDING -> state = FREEING; driver_free()
			:: else
			fi
		}
	:: !pending || count > 0
	fi
}

proctype program(byte me; byte rounds)
{
	byte round, seen, ended, where;
	bool both, yes, res;
	mtype answer;

	do
	:: round == rounds -> break
	:: round < rounds ->
		round++;
		pool_look(me, answer);
		if
		:: answer == UNSAFE ->
			fence_ready(me, seen, ended, both, yes, res);
			if
			:: yes -> pool_look(me, answer)
			:: else
			fi
#ifdef RETURN
		:: answer == MISS -> /* a request for another block */
			fence_ready(me, seen, ended, both, yes, res)
#endif
		:: answer != UNSAFE
		fi;
		if
		:: answer != HIT -> take_fresh(me, answer)
		:: else
		fi;
		forget(seen, ended, both, yes, res);
#ifdef SWAP
		reclaim_run(); /* in the next free */
#endif
		if
		:: answer == HIT ->
			answer = 0;
			work(me, where, seen, ended, both, yes, res);
			mem_free(me, seen, ended, both, yes, res)
		:: else -> /* other memory was used and freed */
#ifdef ORDER
			if
			:: where = 0
			:: where = 1
			fi;
			work_queued(me, where, seen, ended, both, yes, res);
			where = 0;
#endif
			fence_kept(me, seen, ended, both, yes, res)
		fi;
		forget(seen, ended, both, yes, res)
	od
}

/* hooks/contexts.c: cuCtxSynchronize; fence.c: fence_sync_begin, _end */
inline ctx_synchronize(t, seen, ended)
{
	ended = 0;
#ifndef SYNC_LATE
	epoch_end(t, ended);
#endif
	atomic {
		drain(t);
		seen = work_of_a
	}
	done = done | seen;
#ifdef SYNC_LATE
	epoch_end(t, ended);
#endif
	if
#ifdef SYNC_BLIND
	:: ended ->
#else
	:: ended && reaches && alone ->
#endif
		epoch_publish(ended)
	:: else
	fi
}

proctype waiter()
{
	byte seen, ended;

	ctx_synchronize(WAITER, seen, ended)
}

/* A thread's store buffer drains by itself at any time. */
proctype buffers()
{
end:	do
	:: atomic { on[0] != NOWHERE -> drain(0) }
	:: atomic { on[1] != NOWHERE -> drain(1) }
	od
}

/* fence.c: fence_level_set */
proctype levels()
{
	in_none = true;
	level = none;
	safe = EVERYTHING;
	if
	:: level = fence
	:: level = sync
	fi;
#ifndef LEVEL_KEEPS
	safe = 0;
#endif
	in_none = false
}

/* swap.c: swap_publish; pools.c: pools_swap */
proctype swapper()
{
	atomic {
		active_pool++;
		state = (state == IDLE -> PENDING : state)
	}
	pending = true
}

/* context.c: context_register, context_join; observers.c: context_joined;
 * fence.c: peer_share, fence_attach */
proctype second()
{
	byte seen, ended;
	bool both, yes, res;

#ifdef ORDER
	stream_order_break(SECOND_THREAD, seen, ended, both, yes, res); /* context_meet */
#endif
#ifndef NOT_COUNTED
#ifdef PEER
	shared = true;
#else
	contexts++;
#endif
#endif
#ifdef ORDER
	stream_order_break(SECOND_THREAD, seen, ended, both, yes, res);
#endif
#ifndef NO_JOIN
	capture_block(yes);
	if
	:: yes && has_event ->
		atomic {
			assert(!capturing);
			knows[2] = knows[2] | event[0]
		}
	:: else
	fi;
	if
	:: yes -> capture_unblock()
#ifndef JOIN_NO_WAIT
	:: !yes && has_event -> done = done | event[0]
#endif
	:: else
	fi;
#endif
	present = true
}

/* capture.c: capture_expect */
inline capture_expect()
{
#ifdef LATE_COUNT
	atomic { quiet == 0 -> count++ }
#else
	atomic {
		count++;
		hold_is_open = true;
		hold_users++
	}
#ifndef NO_EXPECT_WAIT
	quiet == 0
#endif
#endif
}

/* deferred_free.c: deferred_free_leave, deferred_free_close_if_over; pools.c:
 * pools_take_back */
inline deferred_free_leave(t, yes)
{
	hold_users--;
	if
	:: hold_users == 0 && state == HELD ->
#ifndef HOLD_STAMP_KEPT
		stamp = epoch;
#endif
		pool_push(t, yes);
		if
		:: yes
		:: else -> driver_free()
		fi
	:: else
	fi
}

/* Captures work that uses the block, frees the block in the capture or after
 * the graph's end, and launches the graph, which is work like any other. */
proctype capturer()
{
	byte seen, ended, where, mine;
	bool both, yes, res, has, freed, launched;
	mtype answer;

#ifdef ORDER
	stream_order_bar(CAPTURER, seen, ended, both, yes, res);
#endif
	capture_expect();
#ifdef ORDER
	stream_order_unbar();
#endif
	capturing = true;
	pool_look(CAPTURER, answer);
	if
	:: answer != HIT -> take_fresh(CAPTURER, answer)
	:: else
	fi;
	has = (answer == HIT);
	mine = generation;
	if
	:: has ->
		mem_free(CAPTURER, seen, ended, both, yes, res);
		freed = true
	:: true
	fi;
	capturing = false;
	atomic { /* capture_ended, under its lock */
#ifndef HOLD_ENDS_EARLY
		hold_users++; /* deferred_free_graph */
#endif
		count--;
		hold_is_open = false
	}
	deferred_free_leave(CAPTURER, yes); /* deferred_free_close */
	do
	:: has && !launched ->
		assert(mine == generation);
		work(CAPTURER, where, seen, ended, both, yes,
			res);
		drain(CAPTURER);
		launched = true
	:: break
	od;
#ifndef HOLD_ENDS_EARLY
	deferred_free_leave(CAPTURER, yes); /* graph_ended */
#endif
	if
	:: has && !freed -> mem_free(CAPTURER, seen, ended, both, yes, res)
	:: else
	fi
}

#ifdef BEGIN
/* Fences are made without end. A capture that begins gets its turn
 * nevertheless. */
active [2] proctype fencer()
{
	bool yes;

	do
	:: capture_block(yes);
		if
		:: yes -> capture_unblock()
		:: else
		fi
	od
}

active proctype beginner()
{
	capture_expect();
	capturing = true
}

ltl begun { <> capturing }
#else
init
{
	atomic {
		run program(0, 2);
#if ROUNDS
		run program(1, ROUNDS);
#endif
		run buffers();
#ifdef WAITS
		run waiter();
#endif
#ifdef LEVELS
		run levels();
#endif
#ifdef SWAP
		run swapper();
#endif
#if defined(SECOND) || defined(PEER)
		run second();
#endif
#ifdef CAPTURE
		run capturer();
#endif
	}
}
#endif
