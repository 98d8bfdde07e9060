/* A table from addresses, or offsets, to numbers. */
#ifndef MNM_ADDRESS_MAP_H
#define MNM_ADDRESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_entry;

/* Begins as zeros. */
struct address_map {
	struct address_entry *entries;
	size_t room, count;
};

void address_map_close(struct address_map *map);

/* Makes room for so many addresses. Returns false without memory. */
bool address_map_prepare(struct address_map *map, size_t count);

/* Enters an address, which has room, or changes its number. */
void address_map_set(struct address_map *map, uint64_t address, uint64_t value);

/* The number of an address, which may be changed; NULL if there is none. */
uint64_t *address_map_find(const struct address_map *map, uint64_t address);

/* Removes the address, if it is there. */
void address_map_remove(struct address_map *map, uint64_t address);

/* Removes all of them; the room stays. */
void address_map_clear(struct address_map *map);

#endif
