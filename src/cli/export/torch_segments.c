/* The segments of a snapshot: the ranges of addresses in which blocks were, and
 * what lives there at the end. Ranges that touch are one, as pools put blocks
 * side by side into their regions. */
#include <stdlib.h>
#include <string.h>

#include "torch_out.h"

enum { RANGES_FIRST = 4096 };

static int by_start(const void *a, const void *b)
{
	const struct torch_range *one = a, *two = b;

	if (one->device != two->device)
		return one->device < two->device ? -1 : 1;
	return (one->start > two->start) - (one->start < two->start);
}

/* Makes ranges that touch one. */
static void ranges_join(struct torch_out *out)
{
	struct torch_range *ranges = out->ranges;
	size_t kept = 0;

	if (!out->range_count)
		return;
	qsort(ranges, out->range_count, sizeof(*ranges), by_start);
	for (size_t i = 1; i < out->range_count; i++) {
		if (ranges[i].device == ranges[kept].device &&
		    ranges[i].start <= ranges[kept].end) {
			if (ranges[i].end > ranges[kept].end)
				ranges[kept].end = ranges[i].end;
			continue;
		}
		ranges[++kept] = ranges[i];
	}
	out->range_count = kept + 1;
}

/* Joins what is there, and doubles the room if that leaves little. */
static bool room_make(struct torch_out *out)
{
	size_t room = out->range_room ? 2 * out->range_room : RANGES_FIRST;
	struct torch_range *more;

	ranges_join(out);
	if (out->range_count < out->range_room / 2)
		return true;
	more = realloc(out->ranges, room * sizeof(*more));
	if (!more)
		return false;
	out->ranges = more;
	out->range_room = room;
	return true;
}

void torch_range_add(struct torch_out *out, const struct live_block *block)
{
	const struct mnm_record_event *event = &block->event;
	uint64_t span = torch_span(block);

	if (event->address > INT64_MAX || span > INT64_MAX - event->address)
		return;
	if (out->range_count == out->range_room && !room_make(out)) {
		out->lost = true;
		return;
	}
	out->ranges[out->range_count++] = (struct torch_range){
		event->address, event->address + span, event->device};
}

/* The blocks of a device by their addresses. */
struct blocks {
	const struct live_block **at;
	size_t count;
};

static void block_collect(const struct live_block *block, void *argument)
{
	struct blocks *blocks = argument;

	blocks->at[blocks->count++] = block;
}

static int by_address(const void *a, const void *b)
{
	const struct live_block *const *one = a, *const *two = b;
	uint64_t first = (*one)->event.address, second = (*two)->event.address;

	return (first > second) - (first < second);
}

static void blocks_collect(struct torch_out *out, unsigned int device,
			   struct blocks *blocks)
{
	blocks->at = calloc(out->live[device].count + 1, sizeof(*blocks->at));
	blocks->count = 0;
	if (!blocks->at) {
		out->lost = true;
		return;
	}
	live_blocks_each(&out->live[device], block_collect, blocks);
	qsort(blocks->at, blocks->count, sizeof(*blocks->at), by_address);
}

static void field_put(struct torch_out *out, const char *key, uint64_t number)
{
	pickle_text(out->to, key);
	pickle_number(out->to, (int64_t)number);
}

/* What lies from an address on: a block, or nothing. */
static void piece_put(struct torch_out *out, uint64_t address, uint64_t size,
		      const struct live_block *block)
{
	pickle_part(out->to);
	pickle_dict(out->to);
	field_put(out, "address", address);
	torch_number(out, WORD_size, size);
	field_put(out, "requested_size", block ? block->event.size : 0);
	pickle_text(out->to, "state");
	pickle_text(out->to, block ? "active_allocated" : "inactive");
	if (block && block->event.span)
		torch_number(out, WORD_span, block->event.span);
	torch_frames(out, block ? &block->event : NULL);
	pickle_dict_end(out->to);
	pickle_part_end(out->to);
}

/* The blocks of a range, and what lies between them. Returns the bytes that
 * blocks have. They begin with the first that is not before the range. */
static uint64_t pieces_put(struct torch_out *out,
			   const struct torch_range *range,
			   const struct blocks *blocks, size_t *next)
{
	uint64_t at = range->start, taken = 0;

	for (; *next < blocks->count; (*next)++) {
		const struct live_block *block = blocks->at[*next];
		uint64_t start = block->event.address, end;

		if (start >= range->end)
			break;
		end = start + torch_span(block);
		/* Blocks that overlap are no blocks of a pool's. */
		if (*next + 1 < blocks->count &&
		    blocks->at[*next + 1]->event.address < end)
			end = blocks->at[*next + 1]->event.address;
		if (end > range->end || end < start)
			end = range->end;
		if (start > at)
			piece_put(out, at, start - at, NULL);
		piece_put(out, start, end - start, block);
		taken += end - start;
		at = end;
	}
	if (at < range->end)
		piece_put(out, at, range->end - at, NULL);
	return taken;
}

static void segment_put(struct torch_out *out, const struct torch_range *range,
			const struct blocks *blocks, size_t *next)
{
	uint64_t size = range->end - range->start, taken;

	pickle_part(out->to);
	pickle_dict(out->to);
	field_put(out, "device", range->device);
	field_put(out, "address", range->start);
	field_put(out, "total_size", size);
	torch_number(out, WORD_stream, 0);
	pickle_text(out->to, "segment_type");
	pickle_text(out->to, "large");
	torch_frames(out, NULL);
	pickle_text(out->to, "blocks");
	pickle_list(out->to);
	taken = pieces_put(out, range, blocks, next);
	field_put(out, "allocated_size", taken);
	field_put(out, "active_size", taken);
	field_put(out, "requested_size", taken);
	pickle_dict_end(out->to);
	pickle_part_end(out->to);
}

void torch_segments(struct torch_out *out)
{
	struct blocks blocks = {0};
	unsigned int device = MNM_RECORD_HOST;
	size_t next = 0;

	ranges_join(out);
	pickle_list(out->to);
	for (size_t i = 0; i < out->range_count; i++) {
		const struct torch_range *range = &out->ranges[i];

		if (range->device != device) {
			free(blocks.at);
			device = range->device;
			blocks_collect(out, device, &blocks);
			next = 0;
		}
		segment_put(out, range, &blocks, &next);
	}
	free(blocks.at);
}
