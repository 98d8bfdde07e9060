/* Equal slots that are handed out in runs, first fit: the lowest free run
 * that is long enough. Adjacent free runs are one run. Each call takes
 * O(log slots). */
#ifndef SIM_RUNS_H
#define SIM_RUNS_H

#include "peaks.h"

struct runs {
	struct peaks starts; /* length of the free run that starts at a slot */
	uint32_t *ends;      /* length of the free run that ends at a slot */
	uint32_t slots;
};

enum { RUNS_NONE = PEAKS_NONE };

/* Bytes of zeroed memory that runs_init() needs. */
size_t runs_bytes(uint32_t slots);
/* Every slot is free afterwards. */
void runs_init(struct runs *runs, uint32_t slots, void *zeroed);
uint32_t runs_longest(const struct runs *runs);
/* Takes a run of `length` slots (>= 1). Returns its first slot, or
 * RUNS_NONE. */
uint32_t runs_take(struct runs *runs, uint32_t length);
void runs_give(struct runs *runs, uint32_t first, uint32_t length);

#endif
