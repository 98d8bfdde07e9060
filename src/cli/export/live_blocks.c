#include "live_blocks.h"

#include <stdlib.h>

#include <uthash.h>

struct live_entry {
	uint64_t address;
	struct live_block block;
	UT_hash_handle hh;
};

static struct live_entry *entry_find(const struct live_blocks *live,
				     uint64_t address)
{
	struct live_entry *entry;

	/* NOLINTNEXTLINE(*-core.*): uthash sets entry */
	HASH_FIND(hh, live->table, &address, sizeof(address), entry);
	return entry;
}

/* Without memory the slot is lost. */
static void slot_put(struct live_blocks *live, uint32_t slot)
{
	uint32_t *more;

	if (live->spare_count == live->spare_room) {
		size_t room = 2 * live->spare_room + 1024;

		more = realloc(live->spare, room * sizeof(*more));
		if (!more)
			return;
		live->spare = more;
		live->spare_room = room;
	}
	live->spare[live->spare_count++] = slot;
}

static uint32_t slot_take(struct live_blocks *live)
{
	return live->spare_count ? live->spare[--live->spare_count]
				 : live->slots++;
}

static const struct live_block *entry_take(struct live_blocks *live,
					   struct live_entry *entry)
{
	live->gone = entry->block;
	slot_put(live, entry->block.slot);
	HASH_DEL(live->table, entry);
	free(entry);
	return &live->gone;
}

const struct live_block *live_blocks_over(struct live_blocks *live,
					  const struct mnm_record_event *event)
{
	struct live_entry *entry = NULL;

	if (event->kind == MNM_RECORD_ALLOC)
		entry = entry_find(live, event->address);
	return entry ? entry_take(live, entry) : NULL;
}

static const struct live_block *entry_add(struct live_blocks *live,
					  const struct mnm_record_event *event)
{
	struct live_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->address = event->address;
	entry->block.event = *event;
	HASH_ADD(hh, live->table, address, sizeof(entry->address), entry);
	if (!entry->hh.tbl) {
		free(entry);
		return NULL;
	}
	entry->block.id = ++live->count;
	entry->block.slot = slot_take(live);
	return &entry->block;
}

const struct live_block *live_blocks_turn(struct live_blocks *live,
					  const struct mnm_record_event *event)
{
	struct live_entry *entry;

	switch (event->kind) {
	case MNM_RECORD_LIVE:
		/* It may be told of twice, see docs/trace-format.md. */
		return entry_find(live, event->address)
			       ? NULL
			       : entry_add(live, event);
	case MNM_RECORD_ALLOC:
		return entry_add(live, event);
	case MNM_RECORD_FREE:
		entry = entry_find(live, event->address);
		return entry ? entry_take(live, entry) : NULL;
	default:
		return NULL;
	}
}

void live_blocks_tag(struct live_blocks *live, uint64_t address,
		     unsigned int tag)
{
	struct live_entry *entry = entry_find(live, address);

	if (entry)
		entry->block.tag = tag;
}

void live_blocks_each(const struct live_blocks *live,
		      void (*each)(const struct live_block *block,
				   void *argument),
		      void *argument)
{
	struct live_entry *entry, *next;

	HASH_ITER (hh, live->table, entry, next)
		each(&entry->block, argument);
}

const struct live_block *live_blocks_take(struct live_blocks *live)
{
	/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
	return live->table ? entry_take(live, live->table) : NULL;
}

void live_blocks_close(struct live_blocks *live)
{
	while (live_blocks_take(live))
		;
	free(live->spare);
	live->spare = NULL;
	live->spare_count = live->spare_room = 0;
}
