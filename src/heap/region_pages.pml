/* A part of region.pml: what the device does, and the pages of the region. See
 * pages.c. */

/* order/fence.c: all later work comes after all that there is. */
inline fence()
{
	d_step {
		i = 0;
		do
		:: i < SLOTS * STREAMS ->
			work[i] = (work[i] -> FENCED : 0);
			i++
		:: else -> break
		od;
		epoch++;
		safe = epoch
	}
}

/* order/wait.c: device_wait. All work is over that was queued so far. */
inline device_wait()
{
	d_step {
		i = 0;
		do
		:: i < SLOTS * STREAMS -> work[i] = 0; i++
		:: else -> break
		od;
		epoch++;
		safe = epoch;
		over = epoch
	}
}

/* Work of a stream on a block. What another stream does with the same page, by
 * whatever address, comes before it. */
inline work_queue(s, t)
{
	d_step {
		found = mapped[s] && mapped[s] == page[s];
		assert(found);
		i = 0;
		do
		:: i < SLOTS ->
			before = mapped[i] != mapped[s] ||
				 WORK(i, 1 - t) != RUNS;
			assert(before);
			i++
		:: else -> break
		od;
		WORK(s, t) = RUNS
	}
}

/* pages.c: page_end. No work uses the page, and the driver has it back once. */
inline page_end(s)
{
	p = page[s];
	next = s + 1;
	do
	:: next ->
		i = next - 1;
		idle = !WORK(i, 0) && !WORK(i, 1);
		assert(idle);
		found = mapped[i] == p;
		assert(found);
		mapped[i] = 0;
		next = older[i];
		older[i] = 0
	:: else -> break
	od;
	page[s] = 0;
	found = taken[p - 1];
	assert(found);
	taken[p - 1] = false
}

/* pages.c: pages_close */
inline pages_close()
{
	d_step {
		at = 0;
		do
		:: at < claimed ->
			if
			:: page[at] -> page_end(at)
			:: else
			fi;
			at++
		:: else -> break
		od;
		at = 0;
		do
		:: at < SLOTS ->
			found = !mapped[at];
			assert(found);
			at++
		:: else -> break
		od;
		at = 0;
		found = opened;
		assert(found);
		opened = false
	}
}

/* Work that has been queued ends at some time. */
active proctype device()
{

end:	do
	:: atomic { work[0] -> work[0] = 0 }
	:: atomic { work[1] -> work[1] = 0 }
	:: atomic { work[2] -> work[2] = 0 }
	:: atomic { work[3] -> work[3] = 0 }
#if SLOTS > 2
	:: atomic { work[4] -> work[4] = 0 }
	:: atomic { work[5] -> work[5] = 0 }
#endif
	od
}
