#include "open_ranges.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

struct open_range {
	uint64_t number; /* of its domain, or its own if it was started */
	bool started;
	char *name;
};

struct range_thread {
	uint32_t thread; /* the key */
	size_t count, room;
	struct open_range *open; /* the innermost last */
	UT_hash_handle hh;
};

static struct range_thread *thread_find(const struct open_ranges *ranges,
					uint32_t number)
{
	struct range_thread *thread;

	/* NOLINTNEXTLINE(*-core.*): uthash sets thread */
	HASH_FIND(hh, ranges->threads, &number, sizeof(number), thread);
	return thread;
}

static struct range_thread *thread_add(struct open_ranges *ranges,
				       uint32_t number)
{
	struct range_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->thread = number;
	HASH_ADD(hh, ranges->threads, thread, sizeof(number), thread);
	if (thread->hh.tbl)
		return thread;
	free(thread);
	return NULL;
}

static bool has_room(struct range_thread *thread)
{
	size_t room = 2 * thread->room + 8;
	struct open_range *open;

	if (thread->count < thread->room)
		return true;
	open = realloc(thread->open, room * sizeof(*open));
	if (!open)
		return false;
	thread->open = open;
	thread->room = room;
	return true;
}

static void range_begin(struct open_ranges *ranges,
			const struct mnm_record_event *event)
{
	struct range_thread *thread = thread_find(ranges, event->thread);
	char *name = strdup(event->text ? event->text : "");

	if (!thread)
		thread = thread_add(ranges, event->thread);
	if (!thread || !name || !has_room(thread)) {
		free(name);
		return;
	}
	thread->open[thread->count++] = (struct open_range){
		event->address, event->kind == MNM_RECORD_START, name};
}

/* Ends the innermost range of that number. Returns its name, or NULL. */
static char *range_end(struct range_thread *thread, bool started,
		       uint64_t number)
{
	size_t at = thread ? thread->count : 0;
	char *name;

	while (at && (thread->open[at - 1].started != started ||
		      thread->open[at - 1].number != number))
		at--;
	if (!at)
		return NULL;
	name = thread->open[at - 1].name;
	memmove(&thread->open[at - 1], &thread->open[at],
		(thread->count - at) * sizeof(*thread->open));
	thread->count--;
	return name;
}

const char *open_ranges_turn(struct open_ranges *ranges,
			     const struct mnm_record_event *event)
{
	struct range_thread *thread = NULL, *next;

	free(ranges->ended);
	ranges->ended = NULL;
	switch (event->kind) {
	case MNM_RECORD_PUSH:
	case MNM_RECORD_START:
		range_begin(ranges, event);
		break;
	case MNM_RECORD_POP:
		ranges->ended = range_end(thread_find(ranges, event->thread),
					  false, event->address);
		break;
	case MNM_RECORD_STOP:
		HASH_ITER (hh, ranges->threads, thread, next)
			if (!ranges->ended)
				ranges->ended =
					range_end(thread, true, event->address);
		break;
	}
	return ranges->ended;
}

void open_ranges_path(const struct open_ranges *ranges, uint32_t thread,
		      char path[RANGES_PATH_SIZE])
{
	const struct range_thread *of = thread_find(ranges, thread);
	size_t at = RANGES_PATH_SIZE - 1, i = of ? of->count : 0, length;

	path[at] = '\0';
	while (i && (length = strlen(of->open[i - 1].name)) + 1 <= at) {
		if (path[at])
			path[--at] = '/';
		at -= length;
		memcpy(path + at, of->open[--i].name, length);
	}
	memmove(path, path + at, RANGES_PATH_SIZE - at);
}

void open_ranges_close(struct open_ranges *ranges)
{
	struct range_thread *thread, *next;

	HASH_ITER (hh, ranges->threads, thread, next) {
		while (thread->count)
			free(thread->open[--thread->count].name);
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(ranges->threads, thread);
		free(thread->open);
		free(thread);
	}
	free(ranges->ended);
	ranges->ended = NULL;
}
