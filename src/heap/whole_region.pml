/* How a region goes back that is one allocation of the driver's, as a model for
 * the checker spin: see region_driver.c, whole_give. The driver may refuse its
 * first free. Another thread gets the same addresses as soon as the driver has
 * them, and a copy is judged by the region that it lies in.
 *
 * Each guard can be left out by -D; the search must then find the fault. */

bool taken = true;   /* from the driver */
bool known = true;   /* in the table, region.c */
bool kept = true;    /* the region's record */
bool pending = true; /* the record by which the region goes back */
byte refusals = 1;
hidden byte found;

/* reclaim.c: pending_give; region_driver.c: whole_give */
active proctype giver()
{
	bool refused;

	do
	:: pending ->
		pending = false;
		if
		:: !known -> break /* region_give: it has gone */
		:: else
		fi;
#ifndef UNKNOWN_LATE
		known = false;
#endif
		atomic { /* the driver's free */
			if
			:: refusals -> refusals--; refused = true
			:: refused = false; taken = false
			fi
		}
#ifdef UNKNOWN_LATE
		known = false;
#endif
		if
		:: refused ->
#ifndef NOT_KNOWN_AGAIN
			known = true;
#endif
			pending = true
		:: else ->
			assert(kept); /* region_free */
			kept = false
		fi
	:: else -> break
	od
}

/* grow.c: grow_whole. No region has what the driver has just given out. */
active proctype taker()
{
	atomic { !taken -> taken = true }
	found = !known;
	assert(found)
}

/* hooks/bounds.c: region_block_at, under the table's lock */
active proctype judge()
{
	atomic {
		found = !known || kept;
		assert(found)
	}
}
