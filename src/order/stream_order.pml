/* One stream's order instead of fences (stream_order.c), for fence.pml; added
 * by -DORDER. With -DRETURN it has ended, and may come back. */
#define NO_STREAM 3
#define MANY      4

#ifdef RETURN
byte sole = MANY;        /* sole_stream */
#else
byte sole = NO_STREAM;
#endif
bool mixing;
bool ordered;
bool trial;
byte barred;
bool inside[4];          /* calls.c: calls under way */
bool back[2];            /* what stream_order_return_begin has answered */

#define may_return (!barred && count == 0 && !several)

/* stream_order.c: order_end; fence.c: fence_restart, fence_force */
inline order_end(t, seen, ended, both, yes, res)
{
#ifndef ORDER_STAYS_SAFE
	if
	:: level != none ->
		atomic {
			if
			:: safe == EVERYTHING -> safe = 0
			:: else
			fi
		}
	:: else
	fi;
#endif
#ifdef OLD_DRIVER
	device_wait(t, seen, ended, both, yes, res)
#else
#ifndef ORDER_NO_FENCE
	fence_try(t, ended, both, yes);
	if
	:: yes
	:: else -> device_wait(t, seen, ended, both, yes, res)
	fi
#endif
#endif
}

/* stream_order.c: stream_order_break */
inline stream_order_break(t, seen, ended, both, yes, res)
{
	if
	:: sole != MANY ->
		atomic {
			!mixing;
			mixing = (sole != MANY && !trial);
			yes = mixing;
			if
			:: !yes ->
#ifndef TRIAL_STAYS
				trial = false;
				sole = MANY
#endif
			:: else
			fi
		}
		if
		:: yes ->
#ifdef MANY_FIRST
			sole = MANY;
#endif
			if
			:: ordered ->
				ordered = false;
				order_end(t, seen, ended, both, yes, res)
			:: else
			fi;
			atomic {
				sole = MANY;
				mixing = false
			}
		:: else
		fi
	:: else
	fi
}

/* stream_order.h: stream_work_begin; stream_order.c: stream_order_first */
inline work_queued(t, stream, seen, ended, both, yes, res)
{
	atomic {
		if
		:: sole == NO_STREAM -> sole = stream
		:: else
		fi;
		yes = (sole != stream && sole != MANY)
	}
	if
	:: yes -> stream_order_break(t, seen, ended, both, yes, res)
	:: else
	fi
}

/* fence.c: order_is_enough; stream_order.c: stream_order_try, order_begin. The
 * caller has looked before at which contexts events cover. */
inline stream_order_try(yes)
{
#ifdef ORDER_UNLOCKED
	yes = (!mixing && !trial && sole != MANY);
	if
	:: yes ->
		ordered = true;
		safe = EVERYTHING
	:: else
	fi
#else
	atomic {
		yes = (!mixing && !trial && sole != MANY);
		if
		:: yes ->
			ordered = true;
			safe = EVERYTHING
		:: else
		fi
	}
#endif
}

/* stream_order.c: stream_order_bar, stream_order_unbar */
inline stream_order_bar(t, seen, ended, both, yes, res)
{
	barred++;
	stream_order_break(t, seen, ended, both, yes, res)
}

inline stream_order_unbar()
{
	barred--
}

/* calls.c: calls_are_over. If a thread is seen to have left its call, its work
 * is queued. */
inline look(t)
{
	d_step {
#ifndef CALLS_UNSEEN
		back[t] = !inside[0] && !inside[1] && !inside[2] && !inside[3];
#else
		back[t] = true;
#endif
		if
		:: back[t] -> drain(0); drain(1); drain(2)
		:: else
		fi
	}
}

/* stream_order.c: stream_order_return_begin. It is left open for how long a
 * stream is alone. */
inline stream_order_return_begin(t)
{
	back[t] = false;
#ifdef RETURN
	atomic {
		if
		:: sole == MANY && may_return ->
			trial = true;
#ifndef TRIALS_ALIKE
			back[0] = false; /* the new trial has another number */
			back[1] = false;
#endif
			sole = NO_STREAM
		:: else
		fi
	}
	if
	:: trial -> look(t)
	:: true
	fi
#endif
}

/* stream_order.c: stream_order_return */
inline stream_order_return(t)
{
	atomic {
		if
		:: back[t] && trial && may_return ->
			trial = false;
			ordered = true;
			safe = EVERYTHING
		:: else
		fi;
		back[t] = false
	}
}
