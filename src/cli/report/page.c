/* The page of mnm report: reads the recording a third time, now that it is
 * known how long it is and where its peaks are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "cli/cli.h"
#include "cli/plan/replacement.h"
#include "cli/progress.h"
#include "common/text.h"
#include "common/version.h"
#include "course.h"
#include "flame.h"
#include "last_calls.h"
#include "page_parts.h"
#include "report.h"
#include "stack_askers.h"

enum {
	BUCKETS = 2000,      /* of time, for all devices together */
	BUCKETS_LEAST = 500, /* for one */
	FINE = 200, /* events before and after a peak that have their own */
	DEVICES = UINT8_MAX + 1,
	SHOW_AFTER_MS = 1000,
	SHOW_EACH_MS = 200,
	SHOW_LOOK = 1 << 14, /* events, and the clock is looked at */
};

struct page {
	const struct report *report;
	struct course *courses[DEVICES]; /* NULL: not shown */
	struct course *shown[DEVICES];   /* the others */
	unsigned int count;
	uint64_t width;  /* of a bucket, nanoseconds */
	uint64_t number; /* of the event */
	size_t border;   /* the next one */
	uint64_t time;   /* never falls */
	struct live_blocks live;
	struct last_calls calls;
	struct stack_askers askers;
	uint64_t read; /* events */
	bool said;
	int64_t show_ms; /* when that is shown again; 0: never */
};

/* Shows now and then how far it has come. */
static void event_read(struct page *page)
{
	if (++page->read % SHOW_LOOK || !page->show_ms ||
	    progress_ms() < page->show_ms)
		return;
	fprintf(stderr, "\r\033[K%.0f %%",
		100.0 * (double)page->read /
			(double)page->report->summary.events);
	fflush(stderr);
	page->said = true;
	page->show_ms = progress_ms() + SHOW_EACH_MS;
}

static bool courses_open(struct page *page, const struct mnm_record *record)
{
	const struct summary *summary = &page->report->summary;
	uint64_t buckets = BUCKETS;

	for (unsigned int i = 0; i < DEVICES; i++) {
		if (!report_shows(page->report, i))
			continue;
		page->courses[i] =
			course_open(i, summary, record, page->report->symbols);
		if (!page->courses[i])
			return false;
		page->shown[page->count++] = page->courses[i];
	}
	if (page->count)
		buckets /= page->count;
	if (buckets < BUCKETS_LEAST)
		buckets = BUCKETS_LEAST;
	page->time = summary->begin;
	page->width = (summary->end - summary->begin) / buckets + 1;
	return true;
}

static uint64_t bucket_of(const struct page *page, unsigned int device)
{
	const struct summary *summary = &page->report->summary;
	uint64_t peak = summary->devices[device].peak_event;
	uint64_t away =
		page->number > peak ? page->number - peak : peak - page->number;

	return away <= FINE ? UINT64_MAX - page->number
			    : (page->time - summary->begin) / page->width;
}

static void block_turn(struct page *page, const struct live_block *block,
		       bool comes)
{
	unsigned int device = block->event.device;

	if (page->courses[device])
		course_block(page->courses[device], bucket_of(page, device),
			     page->time, block, comes);
}

/* How long the last request or free of a thread has taken. */
static void took_add(struct page *page, const struct mnm_record_event *event)
{
	const struct last_call *call =
		last_calls_find(&page->calls, event->thread);
	struct course *course = call ? page->courses[call->device] : NULL;

	if (course)
		slow_calls_add(&course->slow_calls,
			       (struct slow_call){
				       .took = event->size,
				       .time = call->time,
				       .size = call->size,
				       .site = call->site,
				       .thread = event->thread,
				       .kind = call->kind,
			       });
}

static void event_note(struct page *page, const struct mnm_record_event *event)
{
	for (unsigned int i = 0; i < page->count; i++) {
		struct course *course = page->shown[i];

		if (event->device == course->device ||
		    event->device == MNM_RECORD_NOWHERE)
			course_event(course, bucket_of(page, course->device),
				     page->time, event);
		if (course->summary->peak &&
		    page->number == course->summary->peak_event)
			course_peak(course, &page->live);
	}
}

/* Where nobody has marked iterations, they begin before these events. */
static void border_note(struct page *page)
{
	const struct repetition *found = &page->report->repetition;

	if (page->border == found->count ||
	    found->borders[page->border] != page->number)
		return;
	page->border++;
	for (unsigned int i = 0; i < page->count; i++)
		course_border(page->shown[i], page->time,
			      page->border == found->count);
}

static void event_turn(struct page *page, const struct mnm_record_event *event)
{
	const struct live_block *block = live_blocks_over(&page->live, event);
	struct mnm_record_event told = *event;
	uint64_t size = event->size;

	if (event->time > page->time)
		page->time = event->time;
	border_note(page);
	if (block)
		block_turn(page, block, false);
	block = live_blocks_turn(&page->live, event);
	if (block) {
		size = block->event.size;
		told.device = block->event.device;
		block_turn(page, block, event->kind != MNM_RECORD_FREE);
	}
	if (event->kind == MNM_RECORD_TOOK) {
		took_add(page, event);
		return;
	}
	if (event->kind <= MNM_RECORD_FAILED)
		last_calls_note(&page->calls, &told, size);
	event_note(page, &told);
}

static json_t *courses_json(const struct page *page)
{
	json_t *list = json_array(), *json;

	for (unsigned int i = 0; i < page->count; i++) {
		json = course_json(page->shown[i]);
		json_object_set_new(json, "flame",
				    flame_json(&page->report->summary,
					       page->shown[i]->summary,
					       page->report->symbols));
		json_array_append_new(list, json);
	}
	return list;
}

/* What an iteration was found by. */
static json_t *period_json(const struct repetition *found)
{
	return found->count ? json_pack("{s:I,s:i}", "requests",
					(json_int_t)found->requests, "device",
					(int)found->device)
			    : NULL;
}

static void page_close(struct page *page)
{
	for (unsigned int i = 0; i < page->count; i++)
		course_close(page->shown[i]);
	live_blocks_close(&page->live);
	last_calls_close(&page->calls);
	stack_askers_close(&page->askers);
}

/* The next event, by the one who has asked for the block, as far as is known.
 * Returns false at the end, which is where it was at the first reading. */
static bool event_next(struct page *page, struct mnm_record *record,
		       struct mnm_record_event *told)
{
	const struct mnm_record_event *event =
		page->number < page->report->summary.events
			? mnm_record_next(record)
			: NULL;

	if (!event)
		return false;
	if (event->kind == MNM_RECORD_STACK)
		stack_askers_note(&page->askers, record, event->stack,
				  page->report->symbols);
	*told = *event;
	told->site = stack_askers_find(&page->askers, event);
	return true;
}

/* NULL, and a line is printed, on failure. */
static json_t *page_json(const struct report *report)
{
	struct page page = {.report = report};
	char error[4352], wrong[256];
	struct mnm_record *record =
		mnm_record_open(report->path, error, sizeof(error));
	struct mnm_record_event event;
	json_t *json = NULL;

	if (!record) {
		failure("%s", error);
		return NULL;
	}
	if (progress_obeys())
		page.show_ms = progress_ms() + SHOW_AFTER_MS;
	if (courses_open(&page, record)) {
		for (; event_next(&page, record, &event); page.number++) {
			event_read(&page);
			event_turn(&page, &event);
		}
		json = json_pack(
			"{s:s,s:o,s:I,s:s,s:o?,s:o}", "version", MNM_VERSION,
			"report", report_json(report, false), "begin",
			(json_int_t)report->summary.begin, "wrong",
			text_plain(report->wrong, wrong, sizeof(wrong)),
			"period", period_json(&report->repetition), "courses",
			courses_json(&page));
	}
	if (page.said)
		progress_clear();
	if (!json)
		failure("no memory for the page");
	page_close(&page);
	mnm_record_close(record);
	return json;
}

/* Writes what comes before the figures. Returns false without memory. */
static bool begin_write(FILE *to)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	size_t size = ZSTD_DStreamOutSize();
	ZSTD_inBuffer in = {page_begin, page_begin_size, 0};
	void *bytes = malloc(size);
	bool fits = stream && bytes;

	while (fits && in.pos < in.size) {
		ZSTD_outBuffer out = {bytes, size, 0};

		fits = !ZSTD_isError(ZSTD_decompressStream(stream, &out, &in));
		if (fits)
			fwrite(bytes, 1, out.pos, to);
	}
	free(bytes);
	ZSTD_freeDStream(stream);
	return fits;
}

/* No text of the figures may end the element that they are in. */
static int figures_write(const char *text, size_t size, void *to)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == '<')
			fputs("\\u003c", to);
		else
			putc(text[i], to);
	return 0;
}

static bool page_write(const json_t *json, FILE *to)
{
	if (!begin_write(to) ||
	    json_dump_callback(json, figures_write, to,
			       JSON_COMPACT | JSON_ENSURE_ASCII)) {
		failure("no memory for the page");
		return false;
	}
	fputs(page_rest, to);
	return true;
}

bool page_save(const struct report *report, const char *path)
{
	json_t *json = page_json(report);
	struct replacement replacement;
	FILE *to = json ? replacement_begin(&replacement, path) : NULL;
	bool whole = to && page_write(json, to);

	json_decref(json);
	if (whole)
		return replacement_end(&replacement);
	if (to)
		replacement_drop(&replacement);
	return false;
}
