/* What becomes of a script if the batch is larger: which sizes follow it, and
 * their scaled values. */
#ifndef MNM_REPLAY_SCALE_H
#define MNM_REPLAY_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "script.h"

/* How it is known which sizes follow the batch. */
enum scale_rule {
	SCALE_GIVEN,    /* as the list of sizes says */
	SCALE_COMPARED, /* they differ, in one ratio, between iterations */
	SCALE_LIFETIME, /* they live in one iteration or two, and no block that
			 * stays has their size, as weights and gradients
			 * have */
	SCALE_UNKNOWN,  /* there are no iterations */
};

/* Marks the steps that follow. `sizes`: those that are given, or NULL: ranges
 * of bytes, as "64K-1M,4M-", each with both ends. Returns false without memory;
 * or if the list is wrong, with *bad at what is. */
bool scale_find(struct script *script, const char *sizes, enum scale_rule *rule,
		const char **bad);

/* Whether any step follows. */
bool scale_any(const struct script *script);

/* When the most is live on a device: how many bytes of it are live, and follow
 * the batch. Both are 0 without memory. */
struct scale_peak {
	uint64_t live, follows;
};
struct scale_peak scale_peak(const struct script *script, int device,
			     double scale);

/* The step with its size multiplied, if that follows; 1 byte at least. */
struct script_step scaled_step(const struct script_step *step, double scale);

#endif
