#include "capture_work.h"

#include <stdatomic.h>
#include <stddef.h>

#include "calls.h"
#include "capture.h"
#include "cuda/backing.h"
#include "marks.h"
#include "stream_order.h"

static _Atomic bool known;        /* the marks and `worked` tell all */
static _Atomic bool worked;       /* work was queued since the marks */
static _Atomic unsigned int ends; /* of last captures, so far */

static _Atomic bool in_use; /* a thread uses the marks; others don't wait */
static struct marks marks;  /* behind all work from before the captures */

/* Calls are watched first. One that began before is under way, or its work is
 * queued, and the marks are behind it. */
static bool marks_begin(void)
{
	uint64_t sum;

	marks_drop(&marks);
	atomic_store(&worked, false);
	return calls_watch() && calls_look(&sum) && !marks_set(&marks, NULL);
}

/* Other threads' last capture may end meanwhile, and with it what is
 * watched. */
void capture_work_watch(void)
{
	unsigned int before = atomic_load(&ends);

	if (capture_any() || atomic_exchange(&in_use, true))
		return;
	atomic_store(&known, marks_begin());
	if (atomic_load(&ends) != before)
		atomic_store(&known, false);
	atomic_store(&in_use, false);
}

void capture_work_forget(void)
{
	calls_watch_end();
	atomic_fetch_add(&ends, 1);
	atomic_store(&known, false);
}

void capture_work_come(uintptr_t key)
{
	if (atomic_load(&worked))
		return;
	/* The legacy stream can't be asked while others capture. */
	if (key == SOLE_NONE || key == SOLE_LEGACY ||
	    !backing_stream_captures((struct CUstream_st *)key))
		atomic_store(&worked, true);
}

bool capture_work_is_known(void)
{
	return atomic_load(&known) && !atomic_load(&worked);
}

bool capture_work_is_over(void)
{
	bool over;

	if (!capture_work_is_known() || atomic_exchange(&in_use, true))
		return false;
	over = !marks_ask_beside(&marks) && atomic_load(&known);
	atomic_store(&in_use, false);
	return over;
}
