#include "recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "modules.h"
#include "record_file.h"
#include "ring.h"

enum {
	/* A thread may be kept from its processor between reading the clock and
	 * handing a note over. So long others' notes wait for it, or they
	 * would come first. */
	LATE_NS = 5000000,
	FRAME_NS = 1000000000,
};

static struct {
	bool runs, expected;
	struct recorder_plan plan;
	struct record_file file;
	struct record_scale scale;
	struct frame_writer *writer;
	struct mnm_record_event *events; /* FRAME_EVENTS of them */
	size_t count;
	uint64_t dropped;    /* that no frame has told of */
	uint64_t last_frame; /* when it was written, in nanoseconds */
	struct recorder_figures figures;
} recorder;

static void end_with(int error)
{
	int closing;

	atomic_store(&record_on, false);
	recorder.runs = false;
	closing = record_file_close(&recorder.file);
	recorder.figures.error = error ? error : closing;
	frame_writer_close(recorder.writer);
	free(recorder.events);
	recorder.writer = NULL;
	recorder.events = NULL;
	modules_forget();
}

static bool frame_flush(void);

/* Adds an event of the recorder's own. */
static struct mnm_record_event *event_add(const struct mnm_record_event *event)
{
	struct mnm_record_event *added;

	if (!recorder.runs ||
	    (recorder.count == FRAME_EVENTS && !frame_flush()))
		return NULL;
	added = &recorder.events[recorder.count++];
	*added = *event;
	added->time = recorder.scale.last;
	return added;
}

static void module_note(const struct module *module)
{
	event_add(&(struct mnm_record_event){
		.kind = MNM_RECORD_MODULE,
		.device = MNM_RECORD_NOWHERE,
		.address = module->start,
		.size = module->end - module->start,
		.span = module->offset,
		.text = module->path,
	});
}

/* Whether some code has called whose file is not known. */
static bool sites_are_new(void)
{
	uint64_t last = 0, site;
	bool new = false;

	for (size_t i = 0; i < recorder.count; i++) {
		site = recorder.events[i].site;
		if (site != last)
			new |= !modules_know(site);
		last = site;
	}
	return new;
}

/* Writes what there is as a frame; the next one begins with the files of code
 * that were met in it. Returns false if the record has ended. */
static bool frame_flush(void)
{
	bool new = sites_are_new();
	const struct bytes *frame;
	int res;

	recorder.last_frame = record_clock_ns();
	if (!recorder.count && !recorder.dropped)
		return true;
	frame = frame_write(recorder.writer, recorder.events, recorder.count,
			    recorder.dropped);
	res = frame ? record_file_append(&recorder.file, frame) : ENOMEM;
	if (res) {
		end_with(res);
		return false;
	}
	recorder.figures.events += recorder.count;
	recorder.figures.dropped += recorder.dropped;
	recorder.figures.bytes += frame->size;
	recorder.count = 0;
	recorder.dropped = 0;
	if (new)
		modules_look(module_note);
	return true;
}

static void live_note(const struct mnm_record_event *event)
{
	struct mnm_record_event *added = event_add(event);

	if (added)
		added->kind = MNM_RECORD_LIVE;
}

/* Begins a part of the file, if it is time. What lives comes first in it: a
 * thread may free such a block, or ask for it, while they are listed. */
static void part_turn(void)
{
	int res;

	if (!recorder.runs || !record_file_is_full(&recorder.file))
		return;
	res = record_file_turn(&recorder.file);
	if (res) {
		end_with(res);
		return;
	}
	recorder.plan.live(live_note);
	modules_each(module_note);
}

void recorder_expect(void)
{
	record_clock_open();
	record_rings_open(NULL);
	record_scale_begin(&recorder.scale);
	recorder.expected = true;
	atomic_store(&record_on, true);
}

int recorder_begin(const struct recorder_plan *plan)
{
	int res;

	recorder.plan = *plan;
	recorder.count = 0;
	recorder.dropped = 0;
	recorder.figures = (struct recorder_figures){0};
	recorder.writer = frame_writer_open();
	recorder.events = calloc(FRAME_EVENTS, sizeof(*recorder.events));
	res = recorder.writer && recorder.events
		      ? record_file_open(&recorder.file, plan->path, plan->most,
					 plan->about)
		      : ENOMEM;
	if (res) {
		frame_writer_close(recorder.writer);
		free(recorder.events);
		return res;
	}
	recorder.runs = true;
	if (!recorder.expected) {
		record_rings_clear();
		recorder_expect();
		plan->live(live_note);
	}
	recorder.expected = false;
	record_rings_open(plan->wake);
	recorder.last_frame = record_clock_ns();
	return 0;
}

bool recorder_runs(void)
{
	return recorder.runs;
}

/* Takes the notes up to that time, in ticks. */
static void take(uint64_t until)
{
	size_t taken;

	do {
		struct mnm_record_event *events =
			recorder.events + recorder.count;

		taken = record_rings_take(until, events,
					  FRAME_EVENTS - recorder.count,
					  &recorder.dropped);
		for (size_t i = 0; i < taken; i++)
			events[i].time = record_scale_ns(&recorder.scale,
							 events[i].time);
		recorder.count += taken;
		if (recorder.count < FRAME_EVENTS)
			return;
		if (frame_flush())
			part_turn();
	} while (recorder.runs);
}

void recorder_tick(void)
{
	uint64_t now;

	if (!recorder.runs)
		return;
	now = record_scale_turn(&recorder.scale);
	take(now - (uint64_t)(LATE_NS / recorder.scale.length));
	if (recorder.runs &&
	    record_clock_ns() - recorder.last_frame >= FRAME_NS &&
	    frame_flush())
		part_turn();
}

void recorder_end(void)
{
	if (!recorder.runs)
		return;
	atomic_store(&record_on, false);
	/* What a thread is just noting comes too late. */
	take(record_scale_turn(&recorder.scale));
	if (recorder.runs && frame_flush() && frame_flush())
		end_with(0);
}

struct recorder_figures recorder_figures(void)
{
	return recorder.figures;
}

const char *recorder_path(void)
{
	return recorder.file.path;
}

void recorder_forget(void)
{
	atomic_store(&record_on, false);
	recorder.runs = recorder.expected = false;
}
