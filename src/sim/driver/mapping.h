/* Mappings of device memory into reserved addresses (cuMemMap). */
#ifndef SIM_MAPPING_H
#define SIM_MAPPING_H

#include <stdbool.h>

#include "block.h"

struct physical;

struct mapping {
	struct block block; /* first: a mapping is found as its block */
	struct physical *physical;
	struct mapping *next;      /* of the same memory */
	uint64_t readers, writers; /* a bit for each device */
};

/* Whether some device may access a block, as the program has set it. */
bool mapping_allows(const struct block *block, bool write);

#endif
