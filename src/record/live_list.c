#include "live_list.h"

#include <stdlib.h>

bool live_list_add(struct live_list *list, const struct mnm_record_event *event)
{
	size_t room = 2 * list->room + 1024;
	struct mnm_record_event *more;

	if (list->count == list->room) {
		more = realloc(list->events, room * sizeof(*more));
		if (!more)
			return false;
		list->events = more;
		list->room = room;
	}
	list->events[list->count++] = *event;
	return true;
}

void live_list_release(struct live_list *list)
{
	free(list->events);
	*list = (struct live_list){0};
}
