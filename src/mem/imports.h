/* Memory of other processes that is opened here by handles of ours (exports.h):
 * each is a part of an allocation that CUDA has mapped. */
#ifndef MNM_IMPORTS_H
#define MNM_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct import {
	uint64_t addr;
	size_t size;
	uint64_t base; /* of the allocation, as CUDA has it mapped here */
};

/* It has been opened, for the first time or once more. Returns false without
 * memory. */
bool import_open(const struct import *import);

/* What begins at addr has been closed as often as it was opened, or once
 * less. */
void import_close(uint64_t addr);

/* Finds the one that has the address. */
bool import_find(uint64_t addr, struct import *found);

#endif
