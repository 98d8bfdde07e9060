/* Lifetimes from a recording: those of one device, as of a trace. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mnm/record.h>

#include "cli/export/live_blocks.h"
#include "lifetimes.h"
#include "trace/trace_file.h"

static bool event_add(struct trace_file *trace, struct trace_event event)
{
	struct trace_event *more;

	if (trace->count == trace->room) {
		size_t room = trace->room ? 2 * trace->room : 4096;

		more = realloc(trace->events, room * sizeof(*more));
		if (!more)
			return false;
		trace->events = more;
		trace->room = room;
	}
	event.purpose = TRACE_OTHER;
	trace->events[trace->count++] = event;
	return true;
}

static bool free_add(struct trace_file *trace, const struct live_block *block)
{
	return !block || event_add(trace, (struct trace_event){
						  .kind = TRACE_FREE,
						  .id = block->id,
					  });
}

static bool block_add(struct trace_file *trace, struct live_blocks *live,
		      const struct mnm_record_event *event)
{
	const struct live_block *block;

	if (!free_add(trace, live_blocks_over(live, event)))
		return false;
	block = live_blocks_turn(live, event);
	if (!block || event->kind == MNM_RECORD_FREE)
		return free_add(trace, block);
	trace->last_id = block->id;
	return event_add(trace, (struct trace_event){
					.kind = TRACE_MALLOC,
					.id = block->id,
					.bytes = event->size,
				});
}

/* Whether an event is a block's on that device; the first device that has one
 * is chosen if none is. */
static bool is_meant(const struct mnm_record_event *event, int *device)
{
	if (event->kind > MNM_RECORD_FREE)
		return false;
	if (*device < 0 && event->device < MNM_RECORD_HOST)
		*device = event->device;
	return event->device == *device;
}

static bool events_read(struct mnm_record *record, int device,
			struct trace_file *trace)
{
	const struct mnm_record_event *event;
	struct live_blocks live = {0};
	const struct live_block *block;
	int marks = 0;
	bool fits = true;

	while (fits && (event = mnm_record_next(record))) {
		if (event->kind == MNM_RECORD_MARK)
			fits = event_add(trace, (struct trace_event){
							.kind = TRACE_MARK,
							.iteration = marks++,
						});
		else if (is_meant(event, &device))
			fits = block_add(trace, &live, event);
	}
	/* In a trace nothing is live at the end. */
	while (fits && (block = live_blocks_take(&live)))
		fits = free_add(trace, block);
	live_blocks_close(&live);
	return fits;
}

const char *lifetimes_read_recording(struct lifetimes *lifetimes,
				     const struct lifetimes_wanted *wanted,
				     struct trace_file *trace)
{
	char error[PATH_MAX + WRONG_SIZE]; /* the path comes first */
	struct mnm_record *record =
		mnm_record_open(wanted->path, error, sizeof(error));
	const char *wrong = NULL;

	if (!record)
		return lifetimes_wrong(lifetimes, "%s",
				       error + strlen(wanted->path) +
					       strlen(": "));
	if (!events_read(record, wanted->device, trace))
		wrong = "no memory to read it";
	else if (mnm_record_error(record))
		wrong = lifetimes_wrong(lifetimes, "%s",
					mnm_record_error(record));
	mnm_record_close(record);
	if (wrong)
		return wrong;
	return trace->last_id ? lifetimes_of_trace(lifetimes, wanted, trace)
			      : "no block of that device is in it";
}
