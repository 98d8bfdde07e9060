#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/export/live_blocks.h"
#include "peaks.h"

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

static void event_count(struct summary *summary,
			const struct mnm_record_event *event,
			unsigned int number)
{
	struct device_summary *device = &summary->devices[number];

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
			  event->kind != MNM_RECORD_LIVE &&
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
	event_count(summary, event,
		    block ? block->event.device : event->device);
	summary->marks += event->kind == MNM_RECORD_MARK;
	if (!block)
		return;
	device = &summary->devices[block->event.device];
	block_count(device, block, comes(event));
	peak_note(device, summary->events, event->time);
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
		    event->kind == MNM_RECORD_NAME ||
		    event->kind == MNM_RECORD_BUILD)
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
	for (unsigned int i = 0; i <= UINT8_MAX; i++) {
		free(summary->devices[i].holders.at);
		free(summary->devices[i].ranges.at);
		free(summary->devices[i].stacks.at);
	}
	for (unsigned int i = 1; i <= summary->path_count; i++)
		free(summary->paths[i]);
	free(summary->paths);
	for (uint32_t i = 0; i < summary->stack_count; i++)
		free(summary->stacks[i].frames);
	free(summary->stacks);
}

int head_damaged(const char *path)
{
	return failure("%s: its second line is damaged, which says what "
		       "program it is of",
		       path);
}

const char *device_text(unsigned int device, char text[DEVICE_TEXT_SIZE])
{
	if (device == MNM_RECORD_HOST)
		return "pinned memory";
	snprintf(text, DEVICE_TEXT_SIZE, "device %u", device);
	return text;
}
