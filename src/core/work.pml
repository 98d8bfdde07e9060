/* One stream's order instead of fences (work.c), for fence.pml; by -DORDER. */
#define NO_STREAM 3
#define MANY      4

byte sole = NO_STREAM;   /* work_sole */
bool mixing;
bool ordered;

/* work.c: order_end; fence.c: fence_restart, fence_force */
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

/* work.c: work_mixed */
inline work_mixed(t, seen, ended, both, yes, res)
{
	if
	:: sole != MANY ->
		atomic {
			!mixing;
			mixing = (sole != MANY);
			yes = mixing
		}
		if
		:: yes ->
#ifdef MANY_FIRST
			sole = MANY;
#endif
			if
			:: ordered ->
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

/* work.h: work_queued; work.c: work_first */
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
	:: yes -> work_mixed(t, seen, ended, both, yes, res)
	:: else
	fi
}

/* fence.c: order_is_enough; work.c: work_order, order_begin. What it reaches
 * was looked at before. */
inline work_order(yes)
{
#ifdef ORDER_UNLOCKED
	yes = (!mixing && sole != MANY);
	if
	:: yes ->
		ordered = true;
		safe = EVERYTHING
	:: else
	fi
#else
	atomic {
		yes = (!mixing && sole != MANY);
		if
		:: yes ->
			ordered = true;
			safe = EVERYTHING
		:: else
		fi
	}
#endif
}
