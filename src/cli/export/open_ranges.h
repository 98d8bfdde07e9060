/* The ranges that are open at a moment of a recording, by the thread that has
 * begun them. */
#ifndef MNM_OPEN_RANGES_H
#define MNM_OPEN_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include <mnm/record.h>

enum { RANGES_PATH_SIZE = 256 };

struct range_thread;

struct open_ranges {
	struct range_thread *threads;
	char *ended;
};

/* What an event changes. Returns the name of the range that ends, valid until
 * the next call; or NULL. */
const char *open_ranges_turn(struct open_ranges *ranges,
			     const struct mnm_record_event *event);

/* Writes the names of the thread's open ranges, the innermost last, with / in
 * between, and without the outer ones if there is no room; "" if there are
 * none. */
void open_ranges_path(const struct open_ranges *ranges, uint32_t thread,
		      char path[RANGES_PATH_SIZE]);

void open_ranges_close(struct open_ranges *ranges);

#endif
