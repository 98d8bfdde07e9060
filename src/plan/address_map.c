#include "address_map.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 128 };

struct address_entry {
	uint64_t key; /* address + 1; 0: free */
	uint64_t value;
};

static size_t first_of(const struct address_map *map, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	       (map->room - 1);
}

static size_t next_of(const struct address_map *map, size_t at)
{
	return (at + 1) & (map->room - 1);
}

static struct address_entry *entry_of(const struct address_map *map,
				      uint64_t key)
{
	size_t at = first_of(map, key);

	while (map->entries[at].key && map->entries[at].key != key)
		at = next_of(map, at);
	return &map->entries[at];
}

void address_map_close(struct address_map *map)
{
	free(map->entries);
	*map = (struct address_map){0};
}

/* At most half of the entries are in use, so that a search is short. */
bool address_map_prepare(struct address_map *map, size_t count)
{
	struct address_map grown = {.count = map->count,
				    .room = map->room ? map->room : ROOM_LEAST};

	while (grown.room < 2 * count)
		grown.room *= 2;
	if (map->entries && grown.room == map->room)
		return true;
	grown.entries = calloc(grown.room, sizeof(*grown.entries));
	if (!grown.entries)
		return false;
	for (size_t i = 0; map->entries && i < map->room; i++)
		if (map->entries[i].key)
			*entry_of(&grown, map->entries[i].key) =
				map->entries[i];
	free(map->entries);
	*map = grown;
	return true;
}

void address_map_set(struct address_map *map, uint64_t address, uint64_t value)
{
	struct address_entry *entry = entry_of(map, address + 1);

	map->count += !entry->key;
	*entry = (struct address_entry){address + 1, value};
}

uint64_t *address_map_find(const struct address_map *map, uint64_t address)
{
	struct address_entry *entry;

	if (!map->count)
		return NULL;
	entry = entry_of(map, address + 1);
	return entry->key ? &entry->value : NULL;
}

/* Those behind it move up, so that a search ends where it should. */
void address_map_remove(struct address_map *map, uint64_t address)
{
	struct address_entry *entry, moved;
	size_t at;

	if (!map->count)
		return;
	entry = entry_of(map, address + 1);
	if (!entry->key)
		return;
	entry->key = 0;
	map->count--;
	at = (size_t)(entry - map->entries);
	while (map->entries[at = next_of(map, at)].key) {
		moved = map->entries[at];
		map->entries[at].key = 0;
		*entry_of(map, moved.key) = moved;
	}
}

void address_map_clear(struct address_map *map)
{
	if (map->count)
		memset(map->entries, 0, map->room * sizeof(*map->entries));
	map->count = 0;
}
