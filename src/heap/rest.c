#include "rest.h"

#include <stdint.h>

#include "context/context_use.h"
#include "order/calls.h"
#include "order/capture.h"
#include "order/capture_work.h"
#include "order/marks.h"
#include "owed.h"
#include "preload/thread.h"
#include "reclaim.h"

/* Between two looks: first in case the work is about to end. */
enum { NAP_NS = 50000, LONG_NAP_NS = 1000000 };

/* Marks behind all work that was queued before the calls were counted. */
struct look {
	const struct device *device; /* NULL: all of them */
	struct marks marks;
	uint64_t calls;
	bool marked;
};

static void look_again(struct look *look)
{
	if (look->marked)
		marks_drop(&look->marks);
	look->marked = false;
}

/* While a stream captures, no mark can be set. Memory goes back then for a
 * request alone, which fails otherwise. */
static bool is_beside_captures(void)
{
	return capture_any() && waits_are_forbidden();
}

/* Whether the work behind which the marks are is over, and no call has come
 * since. If one has, the marks are of no use any more. */
static bool look_tells(struct look *look)
{
	uint64_t now;

	if (is_beside_captures())
		return calls_look(&look->calls) && capture_work_is_over();
	if (look->marked && (!calls_look(&now) || now != look->calls))
		look_again(look);
	if (!look->marked)
		look->marked = calls_look(&look->calls) &&
			       !marks_set(&look->marks, look->device);
	return look->marked && !marks_ask(&look->marks);
}

void rest_nap(int looks)
{
	thread_nap(looks < REST_SOON ? NAP_NS : LONG_NAP_NS);
}

/* The driver's free of pinned memory may wait for every device. */
static struct look look_for(const struct device *device)
{
	bool all = !device || device_is_host(device);

	return (struct look){.device = all ? NULL : device};
}

bool rest_begin(const struct device *device, int looks)
{
	struct look look = look_for(device);
	bool begun = false;

	for (int i = 0; i < looks && !begun; i++) {
		if (i)
			rest_nap(i);
		begun = look_tells(&look) && calls_pause(look.calls);
		if (looks <= REST_SOON && !look.marked)
			break; /* the program is at work */
	}
	look_again(&look);
	return begun;
}

/* Work that calls of other threads bring on and on ends while these wait. */
bool rest_force(const struct device *device)
{
	struct look look = look_for(device);
	bool begun = false;

	if (is_beside_captures() && !capture_work_is_known())
		return false; /* that will not be known soon */
	if (!calls_pause_first())
		return false;
	for (int i = 0; i < REST_FORCED && !begun && !calls_have_come(); i++) {
		if (i)
			rest_nap(i);
		begun = look_tells(&look);
	}
	look_again(&look);
	if (!begun)
		calls_resume();
	return begun;
}

void rest_end(void)
{
	calls_resume();
}

bool rest_is_awaited(void)
{
	return calls_have_come() || calls_are_awaited() || contexts_awaited();
}

void rest_await(void)
{
	for (int i = 0; i < REST_PATIENT && calls_are_paused(); i++)
		rest_nap(i);
}

size_t rest_give_one(struct device *device)
{
	bool blocked = capture_block();
	size_t span;

	if (!blocked && !waits_are_forbidden())
		return 0;
	span = reclaim_one(device);
	if (blocked)
		capture_unblock();
	return span;
}
