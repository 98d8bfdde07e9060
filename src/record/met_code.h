/* The code that events name, by its place or by a stack, and which of it the
 * file that is written knows. Stacks are told before the events that have
 * them. */
#ifndef MNM_RECORD_MET_CODE_H
#define MNM_RECORD_MET_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "mnm/record.h"

/* Tells the stacks of these events that the file has not. Returns whether code
 * is among them whose file is not known. */
bool met_code(const struct mnm_record_event *events, size_t count);

/* A part of the file begins: tells the stacks again that the one before had, as
 * long as there is room. */
void met_stacks_again(bool (*has_room)(void));

/* Has the file that stack? */
bool met_stack(uint64_t number);

void met_forget(void);

#endif
