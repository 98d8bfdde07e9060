/* Who has asked for each block: the code that has called CUDA or, where a stack
 * was recorded, what had that called. */
#ifndef MNM_STACK_ASKERS_H
#define MNM_STACK_ASKERS_H

#include <stddef.h>
#include <stdint.h>

#include "mnm/record.h"
#include "symbols.h"

struct stack_askers {
	uint64_t *at; /* by the stack's number; 0: none */
	size_t count;
};

void stack_askers_close(struct stack_askers *askers);

/* A stack of that number was read. Without memory it has no asker. */
void stack_askers_note(struct stack_askers *askers,
		       const struct mnm_record *record, uint32_t number,
		       struct symbols *symbols);

/* The address of the code. */
uint64_t stack_askers_find(const struct stack_askers *askers,
			   const struct mnm_record_event *event);

#endif
