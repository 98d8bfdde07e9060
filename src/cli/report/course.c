#include "course.h"

#include <stdlib.h>

#include "peak_blocks.h"

enum { WHOLE = 10000, FAILURE_HOLDERS = 8 };

static const char *const figure_names[COURSE_FIGURES] = {
	[COURSE_LIVE] = "live",         [COURSE_TAKEN] = "taken",
	[COURSE_RESERVED] = "reserved", [COURSE_IDLE] = "idle",
	[COURSE_UNUSED] = "unused",     [COURSE_ROUNDING] = "rounding",
};

struct course *course_open(unsigned int device, const struct summary *summary,
			   const struct mnm_record *record,
			   struct symbols *symbols)
{
	struct course *course = calloc(1, sizeof(*course));

	if (!course)
		return NULL;
	course->device = device;
	course->summary = &summary->devices[device];
	course->failures = json_array();
	stack_open(&course->stack, summary, device, record, symbols);
	return course;
}

void course_close(struct course *course)
{
	if (!course)
		return;
	for (int i = 0; i < COURSE_FIGURES; i++)
		free(course->series[i].points);
	stack_close(&course->stack);
	regions_close(&course->regions);
	json_decref(course->moments.list);
	json_decref(course->failures);
	json_decref(course->tree);
	json_decref(course->map);
	free(course);
}

static int64_t share_of(uint64_t part, uint64_t whole)
{
	return whole && part < whole
		       ? (int64_t)((double)part / (double)whole * WHOLE)
		       : 0;
}

static uint64_t less(uint64_t from, uint64_t bytes)
{
	return from > bytes ? from - bytes : 0;
}

static void figure_put(struct course *course, enum course_figure figure,
		       uint64_t bucket, uint64_t time, int64_t value)
{
	series_put(&course->series[figure], bucket, time, value);
}

/* What is reserved is looked at now and then; between that, it is at least what
 * is taken. */
static void reserved_put(struct course *course, uint64_t bucket, uint64_t time)
{
	uint64_t reserved;

	if (course->taken > course->reserved)
		course->reserved = course->taken;
	reserved = course->reserved;
	figure_put(course, COURSE_RESERVED, bucket, time, (int64_t)reserved);
	figure_put(course, COURSE_IDLE, bucket, time,
		   (int64_t)less(reserved, course->taken));
	figure_put(course, COURSE_UNUSED, bucket, time,
		   share_of(less(reserved, course->served), reserved));
}

static void figures_put(struct course *course, uint64_t bucket, uint64_t time)
{
	bool reserved = course->summary->reserved;

	figure_put(course, COURSE_LIVE, bucket, time, (int64_t)course->live);
	if (reserved)
		reserved_put(course, bucket, time);
	if (!course->pooled)
		return;
	figure_put(course, COURSE_TAKEN, bucket, time, (int64_t)course->taken);
	figure_put(course, COURSE_ROUNDING, bucket, time,
		   share_of(less(course->taken, course->served),
			    reserved ? course->reserved : course->taken));
}

void course_block(struct course *course, uint64_t bucket, uint64_t time,
		  const struct live_block *block, bool comes)
{
	const struct mnm_record_event *event = &block->event;
	bool served = event->flags & MNM_RECORD_SERVED && event->span;

	course->live += comes ? event->size : -event->size;
	if (served) {
		course->served += comes ? event->size : -event->size;
		course->taken += comes ? event->span : -event->span;
		course->pooled = true;
	}
	stack_change(&course->stack, bucket, time, block, comes, course->live);
	figures_put(course, bucket, time);
}

static unsigned int size_class(uint64_t size)
{
	return size ? 63U - (unsigned int)__builtin_clzll(size) : 0;
}

static void request_count(struct course *course,
			  const struct mnm_record_event *event)
{
	unsigned int at = size_class(event->size);

	course->requests++;
	course->undriven += event->flags & MNM_RECORD_SERVED &&
			    !(event->flags & MNM_RECORD_DRIVER);
	course->counts[at]++;
	course->bytes[at] += event->size;
}

/* Who held what when a request failed. */
static void failure_add(struct course *course)
{
	json_t *holders;

	if (json_array_size(course->failures) >= FAILURES_KEPT)
		return;
	holders = shares_now(&course->stack.functions);
	while (json_array_size(holders) > FAILURE_HOLDERS)
		json_array_remove(holders, json_array_size(holders) - 1);
	json_array_append_new(course->failures, holders);
}

void course_event(struct course *course, uint64_t bucket, uint64_t time,
		  const struct mnm_record_event *event)
{
	if (event->kind == MNM_RECORD_ALLOC)
		request_count(course, event);
	if (event->kind == MNM_RECORD_FAILED && event->device == course->device)
		failure_add(course);
	if (event->kind == MNM_RECORD_RESERVED) {
		course->reserved = event->size;
		figures_put(course, bucket, time);
	}
	if (event->kind == MNM_RECORD_MARK)
		iterations_mark(&course->iterations, time, course->live);
	iterations_note(&course->iterations, event, course->live);
	moments_add(&course->moments, bucket, event);
	regions_note(&course->regions, event);
}

void course_border(struct course *course, uint64_t time, bool last)
{
	if (last)
		iterations_end(&course->iterations, time, course->live);
	else
		iterations_mark(&course->iterations, time, course->live);
}

struct peak_visit {
	struct course *course;
	struct peak_blocks blocks;
};

static void peak_visit(const struct live_block *block, void *argument)
{
	struct peak_visit *visit = argument;
	const struct mnm_record_event *event = &block->event;

	if (event->device == visit->course->device)
		peak_blocks_add(
			&visit->blocks,
			(struct peak_block){
				event->address,
				event->size,
				event->span,
				stack_function(&visit->course->stack, block),
			});
}

void course_peak(struct course *course, const struct live_blocks *live)
{
	struct peak_visit visit = {.course = course};

	live_blocks_each(live, peak_visit, &visit);
	course->tree =
		peak_blocks_tree(&visit.blocks, &course->stack.functions);
	course->map = peak_blocks_map(&visit.blocks);
	if (course->map)
		json_object_set_new(course->map, "regions",
				    regions_json(&course->regions,
						 &visit.blocks,
						 course->stack.record));
	peak_blocks_close(&visit.blocks);
}

static json_t *sizes_json(const struct course *course)
{
	json_t *list = json_array();

	for (int i = 0; i < SIZE_CLASSES; i++)
		if (course->counts[i])
			json_array_append_new(
				list,
				json_pack("{s:i,s:I,s:I}", "power", i, "count",
					  (json_int_t)course->counts[i],
					  "bytes",
					  (json_int_t)course->bytes[i]));
	return list;
}

static json_t *series_json(struct course *course)
{
	json_t *json = json_object(), *one;

	for (int i = 0; i < COURSE_FIGURES; i++) {
		one = series_end(&course->series[i]);
		if (one)
			json_object_set_new(json, figure_names[i], one);
	}
	return json;
}

json_t *course_json(struct course *course)
{
	json_int_t reserved = series_greatest(&course->series[COURSE_RESERVED]);
	json_t *json = json_pack("{s:I,s:I,s:I}", "requests",
				 (json_int_t)course->requests, "undriven",
				 (json_int_t)course->undriven, "peak_reserved",
				 reserved);

	json_object_set_new(json, "series", series_json(course));
	json_object_set_new(json, "stack", stack_json(&course->stack));
	json_object_set_new(json, "sizes", sizes_json(course));
	json_object_set(json, "failure_holders", course->failures);
	/* Of these, there may be none. */
	json_object_set(json, "moments", course->moments.list);
	json_object_set(json, "tree", course->tree);
	json_object_set(json, "map", course->map);
	json_object_set_new(json, "iterations",
			    iterations_json(&course->iterations));
	json_object_set_new(
		json, "slow_calls",
		slow_calls_json(&course->slow_calls, course->stack.symbols));
	return json;
}
