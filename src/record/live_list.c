#include "live_list.h"

#include <sys/mman.h>

enum { ROOM_FIRST = 1 << 12 };

static size_t bytes_of(size_t room)
{
	return room * sizeof(struct mnm_record_event);
}

/* Events are added under locks. A program's own allocator may ask for one of
 * these while it holds a lock of its own: so it is not asked here. */
static bool list_grow(struct live_list *list)
{
	size_t room = list->room ? 2 * list->room : ROOM_FIRST;
	void *more =
		list->room ? mremap(list->events, bytes_of(list->room),
				    bytes_of(room), MREMAP_MAYMOVE)
			   : mmap(NULL, bytes_of(room), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (more == MAP_FAILED)
		return false;
	list->events = more;
	list->room = room;
	return true;
}

bool live_list_add(struct live_list *list, const struct mnm_record_event *event)
{
	if (list->count == list->room && !list_grow(list))
		return false;
	list->events[list->count++] = *event;
	return true;
}

void live_list_release(struct live_list *list)
{
	if (list->room)
		munmap(list->events, bytes_of(list->room));
	*list = (struct live_list){0};
}
