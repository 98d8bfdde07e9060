/* Buffer ids: a block gets a new one in each life, when the program first asks.
 * Others validate what they know of an address by it. */
#ifndef MNM_BUFFER_ID_H
#define MNM_BUFFER_ID_H

#include <stdint.h>

struct block;

/* The id of the live block at addr; 0: it is not live, or no memory. */
uint32_t buffer_id_of(struct block *block, uint64_t addr);

/* A life that was marked BLOCK_NAMED has ended. */
void buffer_id_forget(const struct block *block);

#endif
