#include "slab.h"

#include <sys/mman.h>

struct slab *slab_open(struct arena *arena, uint32_t granule)
{
	struct slab *slab = arena->spare_slabs;

	if (slab) {
		arena->spare_slabs = slab->next;
	} else {
		/* The pages are zero, and most are never touched. */
		slab = mmap(NULL, sizeof(*slab) + runs_bytes(SLAB_UNITS),
			    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
		if (slab == MAP_FAILED)
			return NULL;
		runs_init(&slab->runs, SLAB_UNITS, slab + 1);
	}
	slab->granule = granule;
	slab->used = false;
	return slab;
}

void slab_close(struct arena *arena, struct slab *slab)
{
	slab->next = arena->spare_slabs;
	arena->spare_slabs = slab;
}

struct block *slab_find(const struct slab *slab, uint32_t unit)
{
	if (slab->at[unit]) /* the usual case */
		return slab->at[unit];
	for (uint32_t at = unit; at-- > 0;) {
		const struct block *block = slab->at[at];

		if (block)
			return at + block->span / UNIT > unit ? slab->at[at]
							      : NULL;
	}
	return NULL;
}
