/* The last request or free of each thread. */
#ifndef MNM_LAST_CALLS_H
#define MNM_LAST_CALLS_H

#include <stdint.h>

#include <mnm/record.h>

struct last_call {
	uint64_t time, size, site;
	uint8_t kind, device;
};

struct last_thread;

struct last_calls {
	struct last_thread *threads;
};

/* The size is that of its block. Without memory it is not noted. */
void last_calls_note(struct last_calls *calls,
		     const struct mnm_record_event *event, uint64_t size);

/* NULL: not known. */
const struct last_call *last_calls_find(const struct last_calls *calls,
					uint32_t thread);

void last_calls_close(struct last_calls *calls);

#endif
