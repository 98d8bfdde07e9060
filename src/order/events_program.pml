/* The program of events.pml. The first thread makes CALLS calls, of which the
 * first uses the block, and the second CALLS_2. The block is worked with up to
 * ITEMS times. Of streams that differ in nothing yet the lower is used
 * first. */
#ifndef CALLS
#define CALLS 3
#endif
#ifndef CALLS_2
#define CALLS_2 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

bool loosening[STREAMS];
byte users[STREAMS];    /* calls under way in a stream */
bool ending[STREAMS];
bool met;               /* stream 1 has been used */

#define after(s)       (loose[s] -> gated : knows[s])
#define comes_after(s) \
	(device_of(s) == the_device && !ending[s] && \
	 !(before & ~(knows[s] | done)))

/* fence_make.c: fence_try, of a device. Streams that are made later wait as
 * well. */
inline fence_try(d)
{
	d_step {
		epoch[d]++;
		limit = epoch[d]
	}
	seen = (d == the_device -> queued : 0);
	d_step {
		gated = gated | seen;
		i = 0;
		do
		:: i < STREAMS ->
			knows[i] = knows[i] |
				   (device_of(i) == d -> seen : 0);
			i++
		:: else -> break
		od;
		i = 0;
		seen = 0
	}
	d_step { /* epoch.c: epoch_publish */
		if
		:: safe[d] < limit -> safe[d] = limit
		:: else
		fi;
		limit = 0
	}
}

/* hooks/events.c: cuEventRecord */
inline record(s)
{
	event_record_begin(s);
	if
	:: stands = knows[s]
#ifdef FAILS
	:: failed = true
#endif
	fi;
#ifdef EPOCH_LATE
	if
	:: followed -> stream_past_take(s)
	:: else
	fi;
#endif
	event_record_end()
}

/* hooks/events.c: cuIpcGetEventHandle and others, and then a record by another
 * process or by a graph */
inline record_elsewhere(s)
{
#ifndef OPAQUE_LATE
	opaque = true;
#endif
	stands = knows[s];
	opaque = true
}

/* hooks/events.c: cuStreamWaitEvent */
inline wait(s)
{
	event_wait_begin();
#ifdef JOIN_FIRST
	wait_holds();
	stream_past_joins(s);
#endif
	knows[s] = knows[s] | stands;
#ifndef JOIN_FIRST
	wait_holds();
	stream_past_joins(s);
#endif
	d_step { past_drop(mine) }
}

/* hooks/events.c: cuEventSynchronize, cuEventQuery */
inline event_sync()
{
	event_wait_begin();
	done = done | stands;
	wait_holds();
	stream_past_is_over()
}

/* hooks/contexts.c: cuStreamSynchronize */
inline stream_sync(s)
{
#ifndef SYNC_LATE
	stream_past_take(s);
#endif
	done = done | knows[s];
#ifdef SYNC_LATE
	stream_past_take(s);
#endif
	stream_past_is_over()
}

/* pool.h: request_is_behind */
#define is_behind \
	(stamp < limit || \
	 (kept_by && (kept_by == n || \
		      (n && stamp < behind[n].epoch[kept_by]) || \
		      stamp < over.epoch[kept_by])))

/* mem.c: mem_alloc_in; look.c: pool_look, pool_ask; or fast_stream.h:
 * tcache_alloc_in. It is left open whether a fence is due. */
inline request(s)
{
	stream_number(s, n);
	d_step {
		inside[me] = true;
#ifndef REQUEST_UNASKED
		number_check(s, n)
#endif
	}
	limit = safe[the_device];
	d_step {
		if
		:: state == IDLE && is_behind ->
			state = LIVE;
#ifdef LEVELS /* reuse that is wrong is asked for */
			before = (limit == EVERYTHING -> 0 : before);
#endif
			has = true
		:: else
		fi;
		inside[me] = false;
		limit = 0;
		n = 0
	}
#ifdef FENCES
	if
	:: !has && state == IDLE && !capturing -> fence_try(the_device)
	:: true
	fi
#endif
}

/* Work with the block. */
inline work(s)
{
	d_step {
		assert(!(before & ~(after(s) | done)));
		knows[s] = knows[s] | (1 << items);
		before = before | (1 << items);
		items++
	}
}

/* mem_free.c: taken_free, pool_keeps; or fast_stream.h: tcache_free_in, which
 * looks at the stream first */
inline free(s)
{
	state = FREEING;
	if
#ifdef LOOSE
	:: true ->
		d_step {
			inside[me] = true;
			number_find(s, n)
		}
		stamp = epoch[the_device]
#endif
	:: true ->
#ifndef STAMP_FIRST
		stamp = epoch[the_device];
#endif
		stream_number(s, n);
		d_step {
			inside[me] = true;
			number_check(s, n)
		}
	fi;
	d_step {
		kept_by = n;
		state = IDLE;
		inside[me] = false;
		n = 0
	}
}

/* Asks for the block in a stream. Whoever has it works with it and frees it,
 * in that stream or in another. */
inline use(s)
{
	if
	:: has
	:: else -> request(s)
	fi;
	if
	:: has ->
#ifdef STAMP_FIRST
		stamp = epoch[the_device];
#endif
		work(s);
		has = false;
		atomic {
			users[s]--;
			if
			:: comes_after(0) -> s = 0
			:: comes_after(1) -> s = 1
			:: comes_after(STREAMS - 1) -> s = STREAMS - 1
			fi;
			users[s]++
		}
		free(s)
	:: else
	fi
}

/* streams.c: stream_ends; then cuStreamDestroy, and cuStreamCreate of a stream
 * with the same handle */
inline stream_ends(s)
{
	number_find(s, n);
	if
	:: n > 0 -> number_end(n)
	:: else
	fi;
	d_step {
		knows[s] = (device_of(s) == the_device -> gated : 0);
		loose[s] = false;
		loose_noted[s] = false;
		ending[s] = false;
		n = 0
	}
}

/* streams.c: stream_loosens; then such work is queued */
inline stream_loosens(s)
{
	d_step {
		followed = !loose_noted[s];
		loose_noted[s] = true;
		loosening[s] = loosening[s] || followed;
		number_find(s, n)
	}
#ifndef LOOSE_NO_WAIT
	followed || !loosening[s];
#endif
	if
	:: followed && n > 0 ->
		number_end(n);
#ifndef LOOSE_NO_FENCE
		fence_try(the_device)
#endif
	:: else
	fi;
	d_step {
		loosening[s] = loosening[s] && !followed;
		loose[s] = true;
		followed = false;
		n = 0
	}
}

#ifdef DEVICES
#define may_call(s)  (!ending[s])
#define may_end(s)   (users[s] == 1 && s == 0)
#else
#define may_call(s)  (!ending[s] && (!has || s == 0))
#define may_end(s)   (users[s] == 1 && !has)
#endif

/* has: the thread has the block. */
proctype program(byte me; byte most; bool has)
{
	byte calls, s, n, i, limit, seen;
	bool followed, failed;
	past_of mine;

	do
	:: atomic { calls == most -> break }
	:: calls < most ->
		atomic {
			calls++;
			if
			:: may_call(0) -> s = 0
			:: may_call(1) -> s = 1
#if STREAMS > 2
			:: may_call(2) && met -> s = 2
#endif
			fi;
			met = met || s == 1;
			users[s]++
		}
		if
		:: items < ITEMS && device_of(s) == the_device -> use(s)
		:: !has -> record(s)
		:: !has -> wait(s)
#ifdef SYNC
		:: !has -> event_sync()
		:: !has -> stream_sync(s)
#endif
#ifdef OPAQUE
		:: !has -> record_elsewhere(s)
#endif
#ifdef CAPTURE
		:: !has -> capturing = !capturing
#endif
#ifdef LEVELS
		:: !has -> /* fence.c: fence_level_set */
			if
			:: safe[0] == EVERYTHING -> safe[0] = 0
			:: else -> safe[0] = EVERYTHING
			fi
#endif
#ifdef LOOSE
		:: !has -> stream_loosens(s)
#endif
#ifdef ENDS
		:: atomic { may_end(s) -> ending[s] = true };
			stream_ends(s);
#ifdef DEVICES
			fence_try(device_of(s)) /* in some request there */
#endif
#endif
		fi;
		d_step { users[s]--; s = 0 }
	od
}

init
{
	atomic {
#ifdef DEVICES
		key[1] = 0; /* the event was recorded in that stream */
		given[1] = true;
		any_number = true;
		serial[1] = 1;
		epoch[0] = 1;
		last.epoch[1] = 1;
		last.serial[1] = 1;
#endif
		run program(0, CALLS, true);
		run program(1, CALLS_2, false)
	}
}
