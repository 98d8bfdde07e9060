#include "read_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "stacks.h"

struct read_stack {
	size_t count;
	uint64_t frames[];
};

/* Its addresses are in a text, in hexadecimal, with spaces. */
static struct read_stack *stack_read(const char *text)
{
	size_t most = strlen(text) / 2 + 1;
	struct read_stack *stack =
		calloc(1, sizeof(*stack) + most * sizeof(*stack->frames));
	char *end;

	for (; stack && *text && stack->count < most;
	     text = end + (*end == ' ')) {
		stack->frames[stack->count] = strtoull(text, &end, 16);
		if (end == text)
			break;
		stack->count++;
	}
	return stack;
}

static int has_room(struct read_stacks *stacks, uint32_t number)
{
	struct read_stack **more;
	uint32_t room = stacks->room;

	while (room <= number)
		room = 2 * room + 64;
	if (room == stacks->room)
		return 1;
	more = realloc(stacks->at, room * sizeof(struct read_stack *));
	if (!more)
		return 0;
	memset(more + stacks->room, 0,
	       (room - stacks->room) * sizeof(struct read_stack *));
	stacks->at = more;
	stacks->room = room;
	return 1;
}

static void stack_keep(struct read_stacks *stacks,
		       struct mnm_record_event *event)
{
	if (!event->address || event->address > STACKS_MOST || !event->text)
		return;
	event->stack = (uint32_t)event->address;
	/* It is told anew in each part of the file. */
	if (has_room(stacks, event->stack) && !stacks->at[event->stack])
		stacks->at[event->stack] = stack_read(event->text);
}

const uint64_t *read_stacks_at(const struct read_stacks *stacks,
			       uint32_t number, size_t *count)
{
	const struct read_stack *stack =
		number < stacks->room ? stacks->at[number] : NULL;

	*count = stack ? stack->count : 0;
	return stack ? stack->frames : NULL;
}

/* In the file, the number of a stack is in place of the code that has called,
 * which is the first of it. */
void read_stacks_turn(struct read_stacks *stacks,
		      struct mnm_record_event *event)
{
	const uint64_t *frames;
	size_t count;

	if (event->kind == MNM_RECORD_STACK)
		stack_keep(stacks, event);
	if (!(event->flags & MNM_RECORD_STACKED))
		return;
	event->stack = event->site <= STACKS_MOST ? (uint32_t)event->site : 0;
	frames = read_stacks_at(stacks, event->stack, &count);
	event->site = count ? *frames : 0;
	if (!count)
		event->stack = 0;
}

void read_stacks_close(struct read_stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->room; i++)
		free(stacks->at[i]);
	free(stacks->at);
}
