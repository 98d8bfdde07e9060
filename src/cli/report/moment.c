#include "moment.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "cli/export/live_blocks.h"
#include "common/file_stat.h"
#include "peaks.h"

struct reading {
	struct moment *moment;
	struct device_summary *device;
	struct live_blocks live;
	struct open_ranges ranges;
	uint64_t most; /* live bytes since the iteration began */
	bool over;     /* the moment is */
};

static void block_count(struct reading *reading, const struct live_block *block,
			bool comes)
{
	struct device_summary *device = reading->device;

	if (!block || block->event.device != reading->moment->device)
		return;
	device->live += comes ? block->event.size : -block->event.size;
	device->span += comes ? block->event.span : -block->event.span;
	if (device->live > reading->most)
		reading->most = device->live;
}

static void mark_turn(struct reading *reading)
{
	if (reading->moment->iterations++)
		reading->moment->iteration_peak = reading->most;
	reading->most = reading->device->live;
}

static void event_before(struct reading *reading,
			 const struct mnm_record_event *event, uint64_t number)
{
	open_ranges_turn(&reading->ranges, event);
	block_count(reading, live_blocks_over(&reading->live, event), false);
	block_count(reading, live_blocks_turn(&reading->live, event),
		    event->kind == MNM_RECORD_LIVE ||
			    event->kind == MNM_RECORD_ALLOC);
	if (event->kind == MNM_RECORD_MARK)
		mark_turn(reading);
	reading->device->peak_event = number;
}

static void event_after(struct reading *reading,
			const struct mnm_record_event *event)
{
	struct moment *moment = reading->moment;

	if (!moment->served && moment->asked &&
	    event->kind == MNM_RECORD_ALLOC &&
	    event->thread == moment->thread &&
	    event->device == moment->device && event->size >= moment->asked)
		moment->served = event->time;
}

static void record_turn(struct reading *reading, struct mnm_record *record,
			struct symbols *symbols)
{
	const struct mnm_record_event *event;

	for (uint64_t number = 0; (event = mnm_record_next(record)); number++) {
		symbols_note(symbols, event);
		reading->over |= event->time > reading->moment->time;
		if (reading->over)
			event_after(reading, event);
		else
			event_before(reading, event, number);
		if (!reading->over)
			reading->moment->dropped = mnm_record_dropped(record);
	}
	open_ranges_path(&reading->ranges, reading->moment->thread,
			 reading->moment->ranges);
}

/* Nothing else than a file is opened: the path may be anybody's. */
static struct mnm_record *record_open(const char *path, char *error,
				      size_t error_size)
{
	struct stat st;

	if (file_stat(path, &st, 0) || !S_ISREG(st.st_mode)) {
		snprintf(error, error_size, "it is not there any more");
		return NULL;
	}
	return mnm_record_open(path, error, error_size);
}

static bool is_of(const struct mnm_record *record, const char *id)
{
	json_t *head = json_loads(mnm_record_about(record), 0, NULL);
	const char *own = json_string_value(json_object_get(head, "id"));
	bool same = own && !strcmp(own, id);

	json_decref(head);
	return same;
}

bool moment_read(struct moment *moment, const char *path,
		 struct summary *summary, struct symbols *symbols, char *error,
		 size_t error_size)
{
	struct device_summary *device = &summary->devices[moment->device];
	struct reading reading = {.moment = moment, .device = device};
	struct mnm_record *record = record_open(path, error, error_size);

	if (!record)
		return false;
	if (!is_of(record, moment->id)) {
		snprintf(error, error_size, "another recording is there now");
		mnm_record_close(record);
		return false;
	}
	record_turn(&reading, record, symbols);
	live_blocks_close(&reading.live);
	open_ranges_close(&reading.ranges);
	mnm_record_close(record);
	device->peak = device->live;
	device->peak_span = device->span;
	record = mnm_record_open(path, error, error_size);
	if (!record)
		return false;
	peaks_read(summary, record);
	mnm_record_close(record);
	return true;
}
