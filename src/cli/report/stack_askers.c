#include "stack_askers.h"

#include <stdlib.h>
#include <string.h>

#include "stacks.h"

void stack_askers_close(struct stack_askers *askers)
{
	free(askers->at);
}

static bool room_make(struct stack_askers *askers, uint32_t number)
{
	size_t count = 2 * (size_t)number + 1;
	uint64_t *more;

	if (number < askers->count)
		return true;
	more = realloc(askers->at, count * sizeof(*more));
	if (!more)
		return false;
	memset(more + askers->count, 0,
	       (count - askers->count) * sizeof(*more));
	askers->at = more;
	askers->count = count;
	return true;
}

void stack_askers_note(struct stack_askers *askers,
		       const struct mnm_record *record, uint32_t number,
		       struct symbols *symbols)
{
	size_t count = 0;
	const uint64_t *frames = mnm_record_stack(record, number, &count);

	if (frames && count && room_make(askers, number))
		askers->at[number] = stack_asker(frames, count, symbols);
}

uint64_t stack_askers_find(const struct stack_askers *askers,
			   const struct mnm_record_event *event)
{
	uint64_t asker =
		event->stack < askers->count ? askers->at[event->stack] : 0;

	return asker ? asker : event->site;
}
