#include "script.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mnm/record.h>

#include "cli/cli.h"
#include "cli/export/live_blocks.h"
#include "trace/trace_file.h"

bool script_add(struct script *script, struct script_step step)
{
	struct script_step *more;

	if (script->count == script->room) {
		size_t room = script->room ? 2 * script->room : 4096;

		more = realloc(script->steps, room * sizeof(*more));
		if (!more)
			return false;
		script->steps = more;
		script->room = room;
	}
	script->steps[script->count++] = step;
	if (step.kind == SCRIPT_MARK) {
		script->marks++;
		return true;
	}
	script->requests += step.kind == SCRIPT_ALLOC;
	if (step.slot >= script->slots)
		script->slots = step.slot + 1;
	if (step.device >= script->devices)
		script->devices = step.device + 1;
	return true;
}

void script_release(struct script *script)
{
	free(script->steps);
	*script = (struct script){0};
}

void script_fold_streams(struct script *script, unsigned int count)
{
	for (size_t i = 0; i < script->count; i++) {
		struct script_step *step = &script->steps[i];

		step->stream = count ? (uint8_t)(step->stream % count) : 0;
		step->ordered = step->ordered && count;
	}
}

/* Streams are numbered from 1 in a recording. The last of many share a
 * number. */
static uint8_t stream_of(const struct mnm_record_event *event)
{
	uint32_t number = event->stream;

	return (uint8_t)(number < SCRIPT_STREAMS ? number : SCRIPT_STREAMS - 1);
}

/* The step of a block that comes or goes: of the host's memory there is
 * none. */
static bool block_add(struct script *script,
		      const struct mnm_record_event *event,
		      const struct live_block *block, bool comes)
{
	bool served = block->event.flags & MNM_RECORD_SERVED;
	struct script_step step = {
		.slot = block->slot,
		.device = block->event.device,
		.stream = stream_of(&block->event),
		.ordered = event->flags & MNM_RECORD_ORDERED,
	};

	if (block->event.device >= MNM_RECORD_HOST) {
		script->pinned += comes && served &&
				  block->event.device == MNM_RECORD_HOST;
		return true;
	}
	if (comes) {
		step.kind = served ? SCRIPT_ALLOC : SCRIPT_TAKE;
		step.bytes = event->size;
	} else {
		step.kind = served ? SCRIPT_FREE : SCRIPT_GIVE;
	}
	return script_add(script, step);
}

bool script_event_add(struct script *script, struct live_blocks *live,
		      const struct mnm_record_event *event)
{
	const struct live_block *block = live_blocks_over(live, event);

	if (block && !block_add(script, event, block, false))
		return false;
	block = live_blocks_turn(live, event);
	if (block)
		return block_add(script, event, block,
				 event->kind != MNM_RECORD_FREE);
	script->failed += event->kind == MNM_RECORD_FAILED;
	return event->kind != MNM_RECORD_MARK ||
	       script_add(script, (struct script_step){.kind = SCRIPT_MARK});
}

static bool recording_add(struct script *script, struct mnm_record *record)
{
	const struct mnm_record_event *event;
	struct live_blocks live = {0};
	bool fits = true;

	while (fits && (event = mnm_record_next(record)))
		fits = script_event_add(script, &live, event);
	live_blocks_close(&live);
	script->dropped = mnm_record_dropped(record);
	return fits;
}

static bool recording_read(struct script *script, struct mnm_record *record,
			   char **damage)
{
	const char *wrong;
	bool fits = recording_add(script, record);

	wrong = mnm_record_error(record);
	script->marks_are_told = true;
	*damage = wrong ? strdup(wrong) : NULL;
	mnm_record_close(record);
	if (!fits)
		failure("no memory for the recording");
	return fits;
}

/* A trace's streams are those in which blocks are used: cudaMalloc gives them
 * out. Its marks divide iterations further, which is not of interest here. */
static bool trace_event_add(struct script *script,
			    const struct trace_event *event, uint8_t *streams,
			    int *iteration)
{
	struct script_step step = {.slot = (uint32_t)event->id,
				   .stream = streams[event->id]};

	switch (event->kind) {
	case TRACE_MALLOC:
		step.kind = SCRIPT_ALLOC;
		step.bytes = event->bytes;
		step.stream = streams[event->id] = (uint8_t)event->stream;
		break;
	case TRACE_FREE:
		step.kind = SCRIPT_FREE;
		break;
	default:
		if (event->iteration < 0 || event->iteration == *iteration)
			return true;
		*iteration = event->iteration;
		step.kind = SCRIPT_MARK;
	}
	return script_add(script, step);
}

static bool trace_add(struct script *script, const char *path)
{
	char wrong[PATH_MAX + 256];
	struct trace_file trace;
	int iteration = -1;
	uint8_t *streams;
	bool fits;

	if (trace_load(&trace, path, wrong, sizeof(wrong)))
		/* What fails at once is no trace at all. */
		return failure("%s%s", wrong,
			       trace.count == 1 &&
					       strstr(wrong, ": not an event")
				       ? "; allowed: a recording or a "
					 "trace, and mnm import "
					 "makes one of other files"
				       : "") == EXIT_DONE;
	streams = calloc(trace.last_id + 1, sizeof(*streams)); /* by id */
	fits = streams;
	for (size_t i = 0; fits && i < trace.count; i++)
		fits = trace_event_add(script, &trace.events[i], streams,
				       &iteration);
	free(streams);
	trace_close(&trace);
	if (!fits)
		failure("no memory for the trace");
	return fits;
}

/* Whether the file begins as a recording does. */
static bool is_recording(const char *path)
{
	static const char begin[] = "mnm record ";
	char bytes[sizeof(begin) - 1];
	FILE *file = fopen(path, "r");
	bool is = file && fread(bytes, sizeof(bytes), 1, file) == 1 &&
		  !memcmp(bytes, begin, sizeof(bytes));

	if (file)
		fclose(file);
	return is;
}

bool script_read(struct script *script, const char *path, char **damage)
{
	struct mnm_record *record;
	char error[4352];
	bool read;

	*script = (struct script){.devices = 1};
	*damage = NULL;
	if (!is_recording(path)) {
		read = trace_add(script, path);
	} else {
		record = mnm_record_open(path, error, sizeof(error));
		if (!record) {
			failure("%s", error);
			return false;
		}
		read = recording_read(script, record, damage);
	}
	if (read && !script->requests) {
		failure("%s: %s", path,
			*damage ? *damage
				: "no pool has served a request of it");
		free(*damage);
		*damage = NULL;
		read = false;
	}
	if (!read)
		script_release(script);
	return read;
}
