/* The stacks that a reader has met. */
#ifndef MNM_RECORD_READ_STACKS_H
#define MNM_RECORD_READ_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "mnm/record.h"

struct read_stack;

struct read_stacks {
	struct read_stack **at; /* by their numbers; NULL: it was not met */
	uint32_t room;
};

/* Keeps a stack that is told; and tells the stack of a request, and the first
 * address of it. */
void read_stacks_turn(struct read_stacks *stacks,
		      struct mnm_record_event *event);
const uint64_t *read_stacks_at(const struct read_stacks *stacks,
			       uint32_t number, size_t *count);
void read_stacks_close(struct read_stacks *stacks);

#endif
