#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "askers.h"
#include "awaited.h"
#include "frame.h"
#include "live_list.h"
#include "met_code.h"
#include "modules.h"
#include "own_events.h"
#include "perf_map.h"
#include "preload/thread.h"
#include "record_file.h"
#include "ring.h"
#include "stacks.h"
#include "unwind.h"

enum {
	/* A thread may be kept from its processor between reading the clock and
	 * handing a note over. So long others' notes wait for it, or they
	 * would come first. */
	LATE_NS = 5000000,
	FRAME_NS = 1000000000,
	/* A request or a free that takes so long is noted to do so. */
	SLOW_NS = 10000,
	/* A frame is a small part of the file, whatever its events are: an
	 * event has no more than some 70 bytes, but for its text. */
	EVENT_BYTES = 64,
	FRAME_SHARE = 16,
	/* What lives at the beginning of a part has so much of the file at
	 * most, together with stacks, which have half of that. */
	LIVE_SHARE = 4,
	STACK_SHARE = 8,
};

static struct {
	bool runs, expected;
	struct recorder_plan plan;
	struct record_file file;
	struct record_scale scale;
	struct frame_writer *writer;
	size_t room, count; /* events of a frame: at most, and now */
	struct mnm_record_event *events;
	struct live_list live;
	uint64_t live_lost;  /* blocks that live and had no room */
	uint64_t dropped;    /* that no frame has told of */
	uint64_t last_frame; /* when it was written, in nanoseconds */
	struct recorder_figures figures;
} recorder;

static _Atomic uint64_t began; /* in nanoseconds of CLOCK_MONOTONIC */

static void end_with(int error)
{
	int closing;

	record_switch(false);
	recorder.runs = false;
	closing = record_file_close(&recorder.file);
	recorder.figures.error = error ? error : closing;
	frame_writer_close(recorder.writer);
	free(recorder.events);
	own_close();
	recorder.events = NULL;
	recorder.count = 0;
	recorder.writer = NULL;
	askers_forget();
}

/* Returns the bytes of a frame of these events. */
static const struct bytes *events_write(const struct mnm_record_event *events,
					size_t count)
{
	const struct bytes *frame =
		frame_write(recorder.writer, events, count, recorder.dropped);

	recorder.figures.dropped += recorder.dropped;
	recorder.dropped = 0;
	return frame;
}

static bool append(const struct bytes *frame)
{
	int res = frame ? record_file_append(&recorder.file, frame) : ENOMEM;

	if (res) {
		end_with(res);
		return false;
	}
	recorder.figures.bytes += frame->size;
	return true;
}

static void own_write(struct mnm_record_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!events[i].time)
			events[i].time = recorder.scale.last;
	if (append(events_write(events, count)))
		recorder.figures.events += count;
}

/* Under locks: nothing is written. */
static void live_note(const struct mnm_record_event *event)
{
	recorder.live_lost += !live_list_add(&recorder.live, event);
}

static bool has_stack_room(void)
{
	return recorder.file.size < recorder.file.most / STACK_SHARE;
}

static void name_again(uint64_t site, const char *text)
{
	if (recorder.file.size < recorder.file.most / LIVE_SHARE)
		own_name(site, text);
}

/* Says who has asked for the block, if that is known. */
static void live_write(struct mnm_record_event *live)
{
	const uint64_t *frames;

	if (live->kind == MNM_RECORD_LIVE)
		asker_tell(live);
	if (live->flags & MNM_RECORD_STACKED && !met_stack(live->site)) {
		record_stack_at((uint32_t)live->site, &frames);
		live->site = *frames;
		live->flags &= ~MNM_RECORD_STACKED;
	}
	own_add(live);
}

/* What a part of the file begins with. A thread may free such a block, or ask
 * for it, while they are listed: its notes are read later. */
static void part_begin(void)
{
	struct live_list *live = &recorder.live;

	recorder.live_lost = 0;
	recorder.plan.live(live_note);
	met_stacks_again(has_stack_room);
	for (size_t i = 0; i < live->count; i++) {
		if (recorder.file.size >= recorder.file.most / LIVE_SHARE) {
			recorder.live_lost += live->count - i;
			break;
		}
		live_write(&live->events[i]);
	}
	live_list_release(live);
	perf_map_each(name_again);
	modules_each(own_module);
	own_flush();
	recorder.dropped += recorder.live_lost;
}

/* Begins a part of the file, before a frame that has no room in this one. */
static bool part_turn(void)
{
	int res = record_file_turn(&recorder.file);

	if (res)
		end_with(res);
	else
		part_begin();
	return recorder.runs;
}

/* Appends a frame, to the next part if it has no room in this one. */
static void frame_append(const struct bytes *frame)
{
	struct bytes copy = {0};

	if (!frame || !record_file_is_full(&recorder.file, frame->size)) {
		append(frame);
		return;
	}
	bytes_put(&copy, frame->at, frame->size);
	if (part_turn())
		append(copy.lost ? NULL : &copy);
	bytes_release(&copy);
}

/* Writes what there is as a frame, and then the files of code that were met in
 * it. */
static void flush(void)
{
	bool unknown = met_code(recorder.events, recorder.count);
	size_t count;

	recorder.last_frame = record_clock_ns();
	if (!recorder.count && !recorder.dropped)
		return;
	recorder.figures.events += recorder.count;
	count = recorder.count;
	recorder.count = 0;
	frame_append(events_write(recorder.events, count));
	if (unknown && recorder.runs)
		modules_look(own_module);
	own_flush();
	perf_map_look();
}

/* The parent makes the record, also if there is none yet. */
static void child_forget(void)
{
	recorder_forget();
	record_rings_forget();
}

static void guard_fork(void)
{
	pthread_atfork(NULL, NULL, child_forget);
}

void recorder_expect(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, guard_fork);
	unwind_guard_fork();
	record_clock_open();
	record_rings_open();
	record_scale_begin(&recorder.scale);
	atomic_store(&began, recorder.scale.ns);
	record_slow_set(SLOW_NS); /* as many ticks: a nanosecond or less each */
	recorder.expected = true;
	record_switch(true);
}

int recorder_begin(const struct recorder_plan *plan)
{
	int res = ENOMEM;
	uint64_t room = plan->most / FRAME_SHARE / EVENT_BYTES;

	/* Not as the last one ended, which may have been on their account. */
	modules_forget();
	perf_map_forget();
	recorder.plan = *plan;
	recorder.file.fd = -1;
	recorder.dropped = 0;
	recorder.figures = (struct recorder_figures){0};
	met_forget();
	recorder.room = room < FRAME_EVENTS ? room : FRAME_EVENTS;
	recorder.writer = frame_writer_open();
	recorder.events = calloc(recorder.room, sizeof(*recorder.events));
	if (recorder.writer && recorder.events &&
	    own_open(recorder.room, own_write))
		res = record_file_open(&recorder.file, plan->path, plan->most,
				       plan->about);
	if (res) {
		end_with(0);
		return res;
	}
	recorder.runs = true;
	if (!recorder.expected) {
		record_rings_clear();
		recorder_expect();
		part_begin();
	}
	recorder.expected = false;
	recorder.last_frame = record_clock_ns();
	return recorder.runs ? 0 : recorder.figures.error;
}

bool recorder_runs(void)
{
	return recorder.runs;
}

static void event_scale(struct mnm_record_event *event)
{
	event->time = record_scale_ns(&recorder.scale, event->time);
	if (event->kind == MNM_RECORD_TOOK)
		event->size =
			(uint64_t)((double)event->size * recorder.scale.length);
}

/* Measures the clock anew. Returns the present ticks. */
static uint64_t scale_turn(void)
{
	uint64_t now = record_scale_turn(&recorder.scale);

	record_slow_set((uint64_t)(SLOW_NS / recorder.scale.length));
	return now;
}

/* Takes the notes up to that time, in ticks. */
static void take(uint64_t until)
{
	size_t taken;

	while (recorder.runs) {
		struct mnm_record_event *events =
			recorder.events + recorder.count;

		taken = record_rings_take(until, events,
					  recorder.room - recorder.count,
					  &recorder.dropped);
		for (size_t i = 0; i < taken; i++) {
			event_scale(&events[i]);
			askers_follow(&events[i]);
		}
		recorder.count += taken;
		if (recorder.count < recorder.room)
			return;
		flush();
	}
}

/* Nobody would read what follows in a file that was removed. */
static void look_and_flush(void)
{
	if (record_file_is_gone(&recorder.file))
		end_with(ENOENT);
	else
		flush();
}

void recorder_tick(void)
{
	uint64_t until;
	bool hurries;

	if (!recorder.runs)
		return;
	until = scale_turn() - (uint64_t)(LATE_NS / recorder.scale.length);
	hurries = awaited_is_taken(until);
	take(until);
	if (recorder.runs &&
	    (hurries || record_clock_ns() - recorder.last_frame >= FRAME_NS))
		look_and_flush();
	if (hurries)
		awaited_written();
	perf_map_read(own_name);
	own_flush();
}

uint64_t recorder_now(void)
{
	return record_clock_ns() - atomic_load(&began);
}

uint64_t recorder_id(void)
{
	return recorder.file.id;
}

void recorder_end(void)
{
	if (!recorder.runs)
		return;
	record_switch(false);
	/* What a thread is just noting comes too late. */
	take(scale_turn());
	if (recorder.runs)
		flush();
	perf_map_end(own_name);
	own_flush();
	if (recorder.runs)
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
	record_switch(false);
	recorder.runs = recorder.expected = false;
	perf_map_drop();
}
