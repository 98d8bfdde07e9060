/* Where blocks begin in a region: a bit for each MNM_SPAN_UNIT bytes, and a bit
 * for each WORD_UNITS of these that has any. So the block that an address is in
 * is found without a look at each block. */
#ifndef MNM_STARTS_H
#define MNM_STARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct starts {
	uint64_t base;
	size_t bytes; /* from base on */
	_Atomic uint64_t *units, *words;
};

/* Returns false without memory. Costs 1/4096 of the bytes, where there are
 * blocks. */
bool starts_open(struct starts *starts, uint64_t base, size_t bytes);
void starts_close(struct starts *starts);

/* One thread at a time changes them. Any thread may ask meanwhile. */
void starts_set(struct starts *starts, uint64_t addr);
void starts_clear(struct starts *starts, uint64_t addr);

/* The last start at that address or before it; 0 if there is none. */
uint64_t starts_before(const struct starts *starts, uint64_t addr);

#endif
