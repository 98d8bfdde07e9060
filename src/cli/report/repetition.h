/* What a program repeats on a device, found in its requests: for recordings
 * without marks of iterations. */
#ifndef MNM_REPETITION_H
#define MNM_REPETITION_H

#include <stdbool.h>
#include <stdint.h>

#include <mnm/record.h>

#include "cli/export/live_blocks.h"
#include "plan/address_map.h"

enum {
	/* By so many requests the begin of an iteration is known, or by all of
	 * a shorter one. Those shorter than the second are not looked for. */
	REPETITION_BEGIN = 64,
	REPETITION_LEAST = 8,
	REPETITION_REMEMBERS = 1 << 19, /* requests */
};

struct finder;

struct repetition {
	struct finder *finder; /* NULL: it does not look */
	struct address_map serials;
	uint64_t known;  /* number of the period */
	uint64_t length; /* in requests; 0: none was found */
	bool exact;      /* each has the same requests, one by one */
	unsigned int begin_count;
	uint32_t begin[REPETITION_BEGIN];
	/* While iterations are looked for: the last requests, how many came
	 * since the last begin, and whether there was one. */
	uint32_t last[REPETITION_BEGIN];
	uint64_t since;
	bool begun;
};

/* Without memory, nothing is found. */
void repetition_open(struct repetition *repetition);
void repetition_close(struct repetition *repetition);

/* First it is told of all blocks that come and go. */
void repetition_learn(struct repetition *repetition,
		      const struct live_block *block, bool comes);

/* Then again of each that comes; returns whether an iteration has begun, and so
 * many of its requests have come that this is sure. */
bool repetition_begins(struct repetition *repetition,
		       const struct mnm_record_event *event);

#endif
