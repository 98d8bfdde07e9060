/* Buffer ids: a block gets a new one in each life, when the program first asks
 * for it. Libraries check by it whether what they know of an address still
 * holds. */
#ifndef MNM_BUFFER_ID_H
#define MNM_BUFFER_ID_H

#include <stdint.h>

struct block;

/* The id of the live block at addr; 0 if it is not live, or there is no
 * memory. */
uint32_t buffer_id_of(struct block *block, uint64_t addr);

/* A life of the block that was marked BLOCK_NAMED has ended. */
void buffer_id_forget(const struct block *block);

#endif
