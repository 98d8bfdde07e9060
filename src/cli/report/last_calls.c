#include "last_calls.h"

#include <stdlib.h>

#include <uthash.h>

struct last_thread {
	uint32_t thread;
	struct last_call call;
	UT_hash_handle hh;
};

static struct last_thread *thread_find(const struct last_calls *calls,
				       uint32_t number)
{
	struct last_thread *thread;

	/* NOLINTNEXTLINE(*-core.*): uthash sets thread */
	HASH_FIND(hh, calls->threads, &number, sizeof(number), thread);
	return thread;
}

static struct last_thread *thread_add(struct last_calls *calls, uint32_t number)
{
	struct last_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->thread = number;
	HASH_ADD(hh, calls->threads, thread, sizeof(number), thread);
	if (thread->hh.tbl)
		return thread;
	free(thread);
	return NULL;
}

void last_calls_note(struct last_calls *calls,
		     const struct mnm_record_event *event, uint64_t size)
{
	struct last_thread *thread = thread_find(calls, event->thread);

	if (!thread)
		thread = thread_add(calls, event->thread);
	if (thread)
		thread->call = (struct last_call){
			.time = event->time,
			.size = size,
			.site = event->site,
			.kind = event->kind,
			.device = event->device,
		};
}

const struct last_call *last_calls_find(const struct last_calls *calls,
					uint32_t thread)
{
	const struct last_thread *found = thread_find(calls, thread);

	return found ? &found->call : NULL;
}

void last_calls_close(struct last_calls *calls)
{
	struct last_thread *thread, *next;

	HASH_ITER (hh, calls->threads, thread, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(calls->threads, thread);
		free(thread);
	}
}
