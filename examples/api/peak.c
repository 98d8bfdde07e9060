/* Reads a recording, as of `mnm run --record job.rec -- ./job`, and says how
 *much of it was live at most:
 *
 *	cc peak.c $(pkg-config --cflags mnm) -Lprefix/lib/mnm -lmnm-record
 *-lzstd
 *
 * Blocks are told apart by their addresses; see mnm/record.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <mnm/record.h>

/* Blocks that live: a table without a limit would need a library. */
enum { BLOCKS = 1 << 16 };

static struct {
	uint64_t address, size;
} blocks[BLOCKS];

static uint64_t live, peak;

/* The block's place, or the free one where it may go. */
static size_t place_of(uint64_t address)
{
	size_t place = (size_t)(address / 512 % BLOCKS);

	while (blocks[place].size && blocks[place].address != address)
		place = (place + 1) % BLOCKS;
	return place;
}

static void begin(uint64_t address, uint64_t size)
{
	size_t place = place_of(address);

	live += size - blocks[place].size; /* it has gone unseen, if any */
	blocks[place].address = address;
	blocks[place].size = size;
	if (live > peak)
		peak = live;
}

/* What comes after it in the table may have to move up. */
static void end(uint64_t address)
{
	size_t place = place_of(address), next = (place + 1) % BLOCKS;

	live -= blocks[place].size;
	blocks[place].size = 0;
	for (; blocks[next].size; next = (next + 1) % BLOCKS) {
		uint64_t moved = blocks[next].address;
		uint64_t size = blocks[next].size;

		blocks[next].size = 0;
		place = place_of(moved);
		blocks[place].address = moved;
		blocks[place].size = size;
	}
}

int main(int argc, char **argv)
{
	const struct mnm_record_event *event;
	struct mnm_record *record;
	char error[256];
	uint64_t count = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: %s RECORDING\n", argv[0]);
		return 2;
	}
	record = mnm_record_open(argv[1], error, sizeof(error));
	if (!record) {
		fprintf(stderr, "%s\n", error);
		return 1;
	}
	while ((event = mnm_record_next(record))) {
		if (event->kind == MNM_RECORD_ALLOC ||
		    (event->kind == MNM_RECORD_LIVE &&
		     !blocks[place_of(event->address)].size))
			begin(event->address, event->size);
		else if (event->kind == MNM_RECORD_FREE)
			end(event->address);
		count += event->kind == MNM_RECORD_ALLOC;
	}
	printf("%" PRIu64 " requests, %" PRIu64 " bytes live at most\n", count,
	       peak);
	if (mnm_record_error(record))
		fprintf(stderr, "the rest is lost: %s\n",
			mnm_record_error(record));
	mnm_record_close(record);
	return 0;
}
