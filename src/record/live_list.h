/* The regions there are, and the blocks that live, as a part of a recording
 * begins. */
#ifndef MNM_RECORD_LIVE_LIST_H
#define MNM_RECORD_LIVE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "mnm/record.h"

struct live_list {
	struct mnm_record_event *events;
	size_t count, room;
};

/* Returns false without memory. */
bool live_list_add(struct live_list *list,
		   const struct mnm_record_event *event);
void live_list_release(struct live_list *list);

#endif
