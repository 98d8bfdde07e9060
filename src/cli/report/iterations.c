#include "iterations.h"

/* Makes one of each two. */
static void pairs_join(struct iterations *iterations)
{
	for (unsigned int i = 0; i < ITERATIONS_MOST / 2; i++) {
		struct iteration *first = &iterations->list[2 * i];
		struct iteration *second = first + 1, both = *first;

		both.end = second->end;
		both.left = second->left;
		both.requests += second->requests;
		both.driver += second->driver;
		if (second->peak > both.peak)
			both.peak = second->peak;
		iterations->list[i] = both;
	}
	iterations->count = ITERATIONS_MOST / 2;
	iterations->each *= 2;
	iterations->begun = iterations->each;
}

static void last_end(struct iterations *iterations, uint64_t time,
		     uint64_t live)
{
	struct iteration *last = &iterations->list[iterations->count - 1];

	last->end = time;
	last->left = live;
}

void iterations_mark(struct iterations *iterations, uint64_t time,
		     uint64_t live)
{
	if (!iterations->count) {
		iterations->each = 1;
	} else if (iterations->begun < iterations->each) {
		iterations->begun++;
		return;
	} else {
		last_end(iterations, time, live);
	}
	if (iterations->count == ITERATIONS_MOST)
		pairs_join(iterations);
	iterations->begun = 1;
	iterations->list[iterations->count++] = (struct iteration){
		.begin = time,
		.end = time,
		.peak = live,
		.live = live,
		.left = live,
	};
}

void iterations_end(struct iterations *iterations, uint64_t time, uint64_t live)
{
	if (iterations->count)
		last_end(iterations, time, live);
	iterations->ended = true;
}

void iterations_note(struct iterations *iterations,
		     const struct mnm_record_event *event, uint64_t live)
{
	struct iteration *last;

	if (!iterations->count || iterations->ended)
		return;
	last = &iterations->list[iterations->count - 1];
	last->requests += event->kind == MNM_RECORD_ALLOC;
	last->driver += event->kind <= MNM_RECORD_FAILED &&
			event->flags & MNM_RECORD_DRIVER;
	if (live > last->peak)
		last->peak = live;
	if (event->time > last->end)
		last->end = event->time;
	last->left = live;
}

json_t *iterations_json(const struct iterations *iterations)
{
	json_t *list;

	if (!iterations->count)
		return NULL;
	list = json_array();
	for (unsigned int i = 0; i < iterations->count; i++) {
		const struct iteration *one = &iterations->list[i];

		json_array_append_new(
			list, json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "begin",
					(json_int_t)one->begin, "end",
					(json_int_t)one->end, "peak",
					(json_int_t)one->peak, "requests",
					(json_int_t)one->requests, "driver",
					(json_int_t)one->driver, "stays",
					(json_int_t)(one->left - one->live)));
	}
	return json_pack("{s:i,s:i,s:o}", "each", (int)iterations->each, "last",
			 (int)iterations->begun, "list", list);
}
