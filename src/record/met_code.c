#include "met_code.h"

#include <string.h>

#include "own_events.h"
#include "perf_map.h"
#include "stacks.h"

static bool has_stack[STACKS_MOST + 1]; /* by number */

void met_stacks_again(bool (*has_room)(void))
{
	for (uint32_t i = 1; i <= STACKS_MOST; i++) {
		has_stack[i] &= has_room();
		if (has_stack[i])
			own_stack(i, 0);
	}
	own_flush();
}

/* Whether code has called in it whose file is not known. It comes before events
 * that are not older than `time`. */
static bool stack_meet(uint32_t number, uint64_t time)
{
	const uint64_t *frames;
	size_t count = record_stack_at(number, &frames);
	bool unknown = false;

	if (has_stack[number])
		return false;
	has_stack[number] = true;
	own_stack(number, time);
	for (size_t i = 0; i < count; i++)
		unknown |= !perf_map_meet(frames[i]);
	return unknown;
}

bool met_code(const struct mnm_record_event *events, size_t count)
{
	uint64_t last = 0, site;
	bool unknown = false;

	for (size_t i = 0; i < count; i++) {
		site = events[i].site;
		if (events[i].flags & MNM_RECORD_STACKED)
			unknown |= stack_meet((uint32_t)site, events->time);
		else if (site != last)
			unknown |= !perf_map_meet(site);
		last = site;
	}
	own_flush();
	return unknown;
}

bool met_stack(uint64_t number)
{
	return number <= STACKS_MOST && has_stack[number];
}

void met_forget(void)
{
	memset(has_stack, 0, sizeof(has_stack));
}
