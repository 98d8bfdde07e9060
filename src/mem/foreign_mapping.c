/* Where physical memory is mapped. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <uthash.h>

#include "foreign.h"
#include "mem.h"

/* A range of addresses at which physical memory is mapped. */
struct mapping {
	uint64_t addr; /* the key */
	struct foreign *foreign;
	struct mapping *next; /* of those that are being unmapped */
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mappings; /* under lock */
static _Atomic unsigned int count;

/* Under lock. */
static void mapping_enter(struct mapping *mapping)
{
	HASH_ADD(hh, mappings, addr, sizeof(mapping->addr), mapping);
	if (mapping->hh.tbl) {
		count++;
		return;
	}
	foreign_drop(mapping->foreign, 1);
	free(mapping);
}

/* In a forked child, where a lock may stay held, mem_enabled() is false: a
 * record of the memory sees to that. */
void foreign_map(uint64_t handle, uint64_t addr)
{
	struct mapping *mapping = calloc(1, sizeof(*mapping));
	struct foreign *foreign = mapping ? foreign_grab(handle) : NULL;

	if (!foreign) {
		free(mapping);
		return;
	}
	mapping->addr = addr;
	mapping->foreign = foreign;
	pthread_mutex_lock(&lock);
	mapping_enter(mapping);
	pthread_mutex_unlock(&lock);
}

struct mapping *foreign_unmap_begin(uint64_t addr, size_t size)
{
	struct mapping *mapping, *next, *list = NULL;

	if (!count || !mem_enabled())
		return NULL;
	pthread_mutex_lock(&lock);
	HASH_ITER (hh, mappings, mapping, next) {
		if (mapping->addr < addr || mapping->addr - addr >= size)
			continue;
		HASH_DEL(mappings, mapping);
		count--;
		mapping->next = list;
		list = mapping;
	}
	pthread_mutex_unlock(&lock);
	return list;
}

void foreign_unmap_finish(struct mapping *list, int failed)
{
	struct mapping *mapping;

	if (!list)
		return;
	pthread_mutex_lock(&lock);
	while ((mapping = list)) {
		list = mapping->next;
		if (failed) {
			mapping_enter(mapping);
			continue;
		}
		foreign_drop(mapping->foreign, 1);
		free(mapping);
	}
	pthread_mutex_unlock(&lock);
}
