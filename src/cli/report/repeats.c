#include "repeats.h"

#include <mnm/record.h>

#include "cli/export/live_blocks.h"

static void block_tell(struct repetition_finder *finder, uint64_t number,
		       const struct live_block *block, bool comes)
{
	if (block && block->event.device < MNM_RECORD_HOST)
		repetition_feed(finder, &(struct repetition_block){
						.number = number,
						.key = block->event.address,
						.size = block->event.size,
						.device = block->event.device,
						.comes = comes,
					});
}

static bool recording_tell(void *argument, struct repetition_finder *finder)
{
	char error[4352];
	struct mnm_record *record =
		mnm_record_open(argument, error, sizeof(error));
	const struct mnm_record_event *event;
	struct live_blocks live = {0};

	if (!record)
		return false;
	for (uint64_t number = 0; (event = mnm_record_next(record)); number++) {
		block_tell(finder, number, live_blocks_over(&live, event),
			   false);
		block_tell(finder, number, live_blocks_turn(&live, event),
			   event->kind != MNM_RECORD_FREE);
	}
	live_blocks_close(&live);
	mnm_record_close(record);
	return true;
}

void repeats_find(struct repetition *found, const char *path)
{
	repetition_find(found, recording_tell, (void *)path);
}
