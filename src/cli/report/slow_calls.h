/* The requests and frees that took long, the slowest of them one by one. */
#ifndef MNM_SLOW_CALLS_H
#define MNM_SLOW_CALLS_H

#include <stdint.h>

#include <jansson.h>

#include "symbols.h"

enum { SLOW_CALLS_MOST = 20 };

struct slow_call {
	uint64_t took, time; /* nanoseconds; time: when it began */
	uint64_t size, site;
	uint32_t thread;
	uint8_t kind; /* enum mnm_record_kind */
};

struct slow_calls {
	struct slow_call slowest[SLOW_CALLS_MOST]; /* the slowest first */
	unsigned int kept;
	uint64_t count, sum; /* of all; sum: nanoseconds */
};

void slow_calls_add(struct slow_calls *calls, struct slow_call call);

/* {"count", "sum", "slowest": [...]}; NULL without a call. */
json_t *slow_calls_json(const struct slow_calls *calls,
			struct symbols *symbols);

#endif
