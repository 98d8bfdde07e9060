#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "cli/export/live_blocks.h"

/* Counts a block that comes or goes. */
static void block_count(struct device_summary *device,
			const struct live_block *block, bool comes)
{
	const struct mnm_record_event *of = &block->event;

	device->live += comes ? of->size : -of->size;
	device->span += comes ? of->span : -of->span;
}

static void peak_note(struct device_summary *device, uint64_t number,
		      uint64_t time)
{
	if (device->live <= device->peak)
		return;
	device->peak = device->live;
	device->peak_span = device->span;
	device->peak_time = time;
	device->peak_event = number;
}

static void event_count(struct device_summary *device,
			const struct mnm_record_event *event)
{
	device->used |= event->kind <= MNM_RECORD_FAILED;
	device->requests += event->kind == MNM_RECORD_ALLOC;
	device->frees += event->kind == MNM_RECORD_FREE;
	device->failed += event->kind == MNM_RECORD_FAILED;
	device->swaps += event->kind == MNM_RECORD_SWAP;
	device->trims += event->kind == MNM_RECORD_TRIM;
	if (event->kind == MNM_RECORD_RESERVED &&
	    event->size > device->reserved)
		device->reserved = event->size;
	device->driver += event->kind <= MNM_RECORD_FAILED &&
			  event->flags & MNM_RECORD_DRIVER;
	device->fences += event->kind <= MNM_RECORD_FAILED &&
			  event->flags & MNM_RECORD_FENCE;
}

static void failure_note(struct device_summary *device,
			 const struct mnm_record_event *event)
{
	if (device->failed < FAILURES_KEPT)
		device->failures[device->failed] = (struct failed_request){
			.time = event->time,
			.size = event->size,
			.site = event->site,
			.live = device->live,
			.span = device->span,
		};
}

static bool comes(const struct mnm_record_event *event)
{
	return event->kind == MNM_RECORD_LIVE ||
	       event->kind == MNM_RECORD_ALLOC;
}

/* The block counts where it was asked for: the free's device may be less well
 * known. */
static void event_turn(struct summary *summary, struct live_blocks *live,
		       const struct mnm_record_event *event)
{
	const struct live_block *block = live_blocks_over(live, event);
	struct device_summary *device;

	if (block)
		block_count(&summary->devices[block->event.device], block,
			    false);
	block = live_blocks_turn(live, event);
	if (event->kind == MNM_RECORD_FAILED)
		failure_note(&summary->devices[event->device], event);
	event_count(&summary->devices[event->device], event);
	summary->marks += event->kind == MNM_RECORD_MARK;
	if (!block)
		return;
	device = &summary->devices[block->event.device];
	block_count(device, block, comes(event));
	peak_note(device, summary->events, event->time);
}

/* The holders of what lives, by site. */
struct site {
	struct holder holder;
	UT_hash_handle hh;
};

static bool site_add(struct site **table, const struct live_block *block)
{
	uint64_t key = block->event.site;
	struct site *site;

	/* NOLINTNEXTLINE(*-core.*): uthash sets site */
	HASH_FIND(hh, *table, &key, sizeof(key), site);
	if (!site) {
		site = calloc(1, sizeof(*site));
		if (!site)
			return false;
		site->holder.site = key;
		HASH_ADD(hh, *table, holder.site, sizeof(key), site);
		if (!site->hh.tbl) {
			free(site);
			return false;
		}
	}
	site->holder.blocks++;
	site->holder.bytes += block->event.size;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct holder *first = a, *second = b;

	return (first->bytes < second->bytes) - (first->bytes > second->bytes);
}

/* Takes what the table has, and ends it. */
static void holders_take(struct device_summary *device, struct site *table)
{
	struct site *site, *next;
	size_t count = HASH_COUNT(table);

	device->holders = calloc(count + 1, sizeof(*device->holders));
	HASH_ITER (hh, table, site, next) {
		if (device->holders)
			device->holders[device->holder_count++] = site->holder;
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(table, site);
		free(site);
	}
	if (device->holders)
		qsort(device->holders, device->holder_count,
		      sizeof(*device->holders), compare);
}

struct peak_visit {
	unsigned int device;
	struct site *sites;
};

static void peak_visit(const struct live_block *block, void *argument)
{
	struct peak_visit *visit = argument;

	if (block->event.device == visit->device)
		site_add(&visit->sites, block);
}

static void peaks_look(struct summary *summary, const struct live_blocks *live,
		       uint64_t number)
{
	for (unsigned int i = 0; i <= UINT8_MAX; i++) {
		struct device_summary *device = &summary->devices[i];
		struct peak_visit visit = {.device = i};

		if (!device->peak || device->peak_event != number)
			continue;
		live_blocks_each(live, peak_visit, &visit);
		holders_take(device, visit.sites);
	}
}

/* The second time: up to the last of the peaks. */
static void peaks_read(struct summary *summary, struct mnm_record *record)
{
	const struct mnm_record_event *event;
	struct live_blocks live = {0};
	uint64_t number = 0, last = 0;

	for (unsigned int i = 0; i <= UINT8_MAX; i++)
		if (summary->devices[i].peak &&
		    summary->devices[i].peak_event > last)
			last = summary->devices[i].peak_event;
	for (; number <= last && (event = mnm_record_next(record)); number++) {
		live_blocks_over(&live, event);
		live_blocks_turn(&live, event);
		peaks_look(summary, &live, number);
	}
	live_blocks_close(&live);
}

bool summary_read(struct summary *summary, const char *path,
		  void (*code)(void *argument,
			       const struct mnm_record_event *event),
		  void *argument, char *wrong, char *error, size_t error_size)
{
	struct mnm_record *record = mnm_record_open(path, error, error_size);
	const struct mnm_record_event *event;
	struct live_blocks live = {0};
	const char *bad;

	memset(summary, 0, sizeof(*summary));
	*wrong = '\0';
	if (!record)
		return false;
	for (; (event = mnm_record_next(record)); summary->events++) {
		if (event->kind == MNM_RECORD_MODULE ||
		    event->kind == MNM_RECORD_NAME)
			code(argument, event);
		event_turn(summary, &live, event);
		if (event->time > summary->end)
			summary->end = event->time;
		if (!summary->events || event->time < summary->begin)
			summary->begin = event->time;
	}
	live_blocks_close(&live);
	summary->dropped = mnm_record_dropped(record);
	bad = mnm_record_error(record);
	if (bad)
		snprintf(wrong, error_size, "%s", bad);
	mnm_record_close(record);
	record = mnm_record_open(path, error, error_size);
	if (!record)
		return false;
	peaks_read(summary, record);
	mnm_record_close(record);
	return true;
}

void summary_release(struct summary *summary)
{
	for (unsigned int i = 0; i <= UINT8_MAX; i++)
		free(summary->devices[i].holders);
}
