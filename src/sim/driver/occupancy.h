/* How many blocks of a kernel a multiprocessor holds, by the profile's limits
 * of threads, blocks and shared memory. What registers a kernel needs is not
 * known, and limits nothing. */
#ifndef SIM_OCCUPANCY_H
#define SIM_OCCUPANCY_H

#include <stddef.h>
#include <stdint.h>

enum { THREADS_MOST = 1024 }; /* of a block */

/* Blocks that a multiprocessor holds at the most, however small. */
uint64_t occupancy_most(void);
/* The same for blocks of this size. */
uint64_t occupancy_blocks(uint64_t threads, size_t shared);

#endif
