/* The blocks that live at a moment of a recording. */
#ifndef MNM_LIVE_BLOCKS_H
#define MNM_LIVE_BLOCKS_H

#include <stdint.h>

#include <mnm/record.h>

struct live_block {
	uint64_t id;   /* from 1, as they come */
	uint32_t slot; /* from 0; that of a block which has gone is given to
			* another one */
	struct mnm_record_event event;
	unsigned int tag; /* as whoever reads has set it, or 0 */
};

struct live_entry;

struct live_blocks {
	struct live_entry *table;
	uint64_t count; /* that have come */
	struct live_block gone;
	/* Slots of blocks that have gone, and how many there have been. */
	uint32_t *spare, slots;
	size_t spare_count, spare_room;
};

/* What an event changes. The first: the block whose address it takes, which has
 * gone unseen; or NULL. It comes before the second: the block that comes or
 * goes, or NULL. Both are valid until the next call. */
const struct live_block *live_blocks_over(struct live_blocks *live,
					  const struct mnm_record_event *event);
const struct live_block *live_blocks_turn(struct live_blocks *live,
					  const struct mnm_record_event *event);

void live_blocks_tag(struct live_blocks *live, uint64_t address,
		     unsigned int tag);

void live_blocks_each(const struct live_blocks *live,
		      void (*each)(const struct live_block *block,
				   void *argument),
		      void *argument);

/* Removes some block; NULL if there is none. */
const struct live_block *live_blocks_take(struct live_blocks *live);

void live_blocks_close(struct live_blocks *live);

#endif
