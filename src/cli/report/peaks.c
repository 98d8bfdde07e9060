#include "peaks.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "cli/export/live_blocks.h"
#include "cli/export/open_ranges.h"

/* Blocks, added up by a key. */
struct share {
	struct holder holder;
	UT_hash_handle hh;
};

static void share_add(struct share **table, uint64_t key, uint64_t bytes)
{
	struct share *share;

	/* NOLINTNEXTLINE(*-core.*): uthash sets share */
	HASH_FIND(hh, *table, &key, sizeof(key), share);
	if (!share) {
		share = calloc(1, sizeof(*share));
		if (!share)
			return;
		share->holder.key = key;
		HASH_ADD(hh, *table, holder.key, sizeof(key), share);
		if (!share->hh.tbl) {
			free(share);
			return;
		}
	}
	share->holder.blocks++;
	share->holder.bytes += bytes;
}

static int compare(const void *a, const void *b)
{
	const struct holder *first = a, *second = b;

	return (first->bytes < second->bytes) - (first->bytes > second->bytes);
}

/* What the table has, the most bytes first. Ends the table. */
static struct holders shares_take(struct share *table)
{
	struct holders holders = {0};
	struct share *share, *next;

	holders.at = calloc(HASH_COUNT(table) + (size_t)1, sizeof(*holders.at));
	HASH_ITER (hh, table, share, next) {
		if (holders.at)
			holders.at[holders.count++] = share->holder;
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(table, share);
		free(share);
	}
	if (holders.at)
		qsort(holders.at, holders.count, sizeof(*holders.at), compare);
	return holders;
}

/* The paths of ranges in which something was asked for. */
struct path {
	unsigned int number; /* in the summary */
	UT_hash_handle hh;
	char text[];
};

struct reading {
	struct summary *summary;
	struct live_blocks live;
	struct open_ranges ranges;
	struct path *paths;
};

/* Returns 0 if there is no memory. */
static unsigned int path_add(struct reading *reading, const char *text)
{
	struct summary *summary = reading->summary;
	size_t length = strlen(text);
	struct path *path = calloc(1, sizeof(*path) + length + 1);
	char **paths = realloc(summary->paths,
			       (summary->path_count + 2) * sizeof(*paths));
	char *own = paths ? strdup(text) : NULL;

	if (paths)
		summary->paths = paths;
	if (!path || !own) {
		free(path);
		free(own);
		return 0;
	}
	memcpy(path->text, text, length);
	path->number = ++summary->path_count;
	paths[path->number] = own;
	HASH_ADD(hh, reading->paths, text, length, path);
	return path->number;
}

/* The number of the ranges that are open in the thread, or 0. */
static unsigned int path_now(struct reading *reading, uint32_t thread)
{
	char text[RANGES_PATH_SIZE];
	struct path *path;

	open_ranges_path(&reading->ranges, thread, text);
	if (!*text)
		return 0;
	/* NOLINTNEXTLINE(*-core.*): uthash sets path */
	HASH_FIND(hh, reading->paths, text, strlen(text), path);
	return path ? path->number : path_add(reading, text);
}

/* Keeps the addresses of a stack. */
static void stack_add(struct summary *summary, uint32_t number,
		      const uint64_t *frames, size_t count)
{
	size_t room = number + (size_t)1;
	struct call_stack *more, *stack;

	if (number >= summary->stack_count) {
		more = realloc(summary->stacks, room * sizeof(*more));
		if (!more)
			return;
		memset(more + summary->stack_count, 0,
		       (room - summary->stack_count) * sizeof(*more));
		summary->stacks = more;
		summary->stack_count = (uint32_t)room;
	}
	stack = &summary->stacks[number];
	if (stack->count)
		return;
	stack->frames = calloc(count, sizeof(*frames));
	if (!stack->frames)
		return;
	memcpy(stack->frames, frames, count * sizeof(*frames));
	stack->count = count;
}

struct visit {
	unsigned int device;
	struct share *sites, *ranges, *stacks;
};

static void block_visit(const struct live_block *block, void *argument)
{
	struct visit *visit = argument;

	if (block->event.device != visit->device)
		return;
	share_add(&visit->sites, block->event.site, block->event.size);
	share_add(&visit->ranges, block->tag, block->event.size);
	share_add(&visit->stacks, block->event.stack, block->event.size);
}

static void peaks_look(struct reading *reading, uint64_t number)
{
	for (unsigned int i = 0; i <= UINT8_MAX; i++) {
		struct device_summary *device = &reading->summary->devices[i];
		struct visit visit = {.device = i};

		if (!device->peak || device->peak_event != number)
			continue;
		live_blocks_each(&reading->live, block_visit, &visit);
		device->holders = shares_take(visit.sites);
		device->ranges = shares_take(visit.ranges);
		device->stacks = shares_take(visit.stacks);
	}
}

static void event_turn(struct reading *reading, const struct mnm_record *record,
		       const struct mnm_record_event *event)
{
	const uint64_t *frames = NULL;
	size_t count;

	if (event->kind == MNM_RECORD_STACK)
		frames = mnm_record_stack(record, event->stack, &count);
	if (frames && count)
		stack_add(reading->summary, event->stack, frames, count);
	open_ranges_turn(&reading->ranges, event);
	live_blocks_over(&reading->live, event);
	if (live_blocks_turn(&reading->live, event) &&
	    event->kind == MNM_RECORD_ALLOC && reading->ranges.threads)
		live_blocks_tag(&reading->live, event->address,
				path_now(reading, event->thread));
}

static void reading_close(struct reading *reading)
{
	struct path *path, *next;

	HASH_ITER (hh, reading->paths, path, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(reading->paths, path);
		free(path);
	}
	live_blocks_close(&reading->live);
	open_ranges_close(&reading->ranges);
}

void peaks_read(struct summary *summary, struct mnm_record *record)
{
	struct reading reading = {.summary = summary};
	const struct mnm_record_event *event;
	uint64_t number = 0, last = 0;

	for (unsigned int i = 0; i <= UINT8_MAX; i++)
		if (summary->devices[i].peak &&
		    summary->devices[i].peak_event > last)
			last = summary->devices[i].peak_event;
	for (; number <= last && (event = mnm_record_next(record)); number++) {
		event_turn(&reading, record, event);
		peaks_look(&reading, number);
	}
	reading_close(&reading);
}
