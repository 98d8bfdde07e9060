/* Calls that use a context and calls that may end it (context_use.c,
 * context.c), for the model checker spin: a destroy that fails, one that
 * succeeds, a thread that only looks whether it may use the context, and one
 * that needs it. Guards can be left out by -D, as in fence.pml. */

bool ended;       /* the driver has ended it */
bool listed = true; /* it is in the table */
bool dead;
byte closing, busy;

/* A driver call of ours that uses something in the context. It must never come
 * after the context's end. */
inline driver_call(kept)
{
	kept = !ended;
	assert(kept)
}

/* context_use.c: context_unuse */
inline context_unuse()
{
	busy--
}

/* Fences, waits and polls: context_try. A thread that does not find the context
 * in the table, or is told that it is dead, has nothing to wait for. While the
 * context is ending, the thread relies on nothing. */
proctype looker()
{
	bool found, kept, alive;

	found = listed;
	if
	:: found ->
		atomic {
			alive = (!dead && closing == 0);
			busy = busy + alive
		}
		if
		:: alive ->
			driver_call(kept);
			context_unuse()
		:: else
		fi
	:: else -> assert(found || ended)
	fi
}

/* A first touch, or the end of stream order: context_use. */
proctype visitor()
{
	bool found, kept, alive;

	found = listed;
	if
	:: found ->
#ifdef NOT_AWAITED
		atomic {
			alive = (!dead && closing == 0);
			busy = busy + alive
		}
		found = alive;
#else
		atomic {
			closing == 0 || dead;
			alive = !dead;
			busy = busy + alive
		}
#endif
		if
		:: alive ->
			driver_call(kept);
			context_unuse()
		:: else -> found = ended; assert(found)
		fi
	:: else -> assert(found || ended)
	fi
}

/* hooks/contexts.c: end_begin, end_finish; context.c: context_end_begin,
 * context_end_finish */
proctype closer(bool ends)
{
#ifdef HIDDEN
	listed = false;
#endif
#ifdef CLOSED_IN_USE
	closing++;
#else
	atomic { busy == 0 -> closing++ }
#endif
	if
	:: ends -> ended = true
	:: else
	fi;
	if
	:: ends ->
		atomic { /* unlink_context, pools_forget */
			listed = false;
			dead = true
		}
	:: else
	fi;
#ifdef HIDDEN
	listed = !dead;
#endif
	closing--
}

init
{
	atomic {
		run looker();
		run looker();
		run visitor();
		run closer(false);
		run closer(true)
	}
}
