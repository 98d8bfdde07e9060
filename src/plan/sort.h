/* Sorting of many numbers by keys, in time that grows as their count does. */
#ifndef MNM_PLAN_SORT_H
#define MNM_PLAN_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_entry {
	uint64_t key;
	uint32_t id;
};

/* Sorts by rising keys. Equal keys keep their order. spare has as many entries
 * as entries has, and is overwritten. */
void sort_entries(struct sort_entry *entries, struct sort_entry *spare,
		  size_t count);

#endif
