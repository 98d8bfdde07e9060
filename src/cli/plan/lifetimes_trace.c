/* Lifetimes from a trace of allocations. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lifetimes.h"
#include "trace/text_file.h"
#include "trace/trace_file.h"

/* When a buffer lives, in mallocs and frees since the trace's begin. */
struct life {
	uint64_t lower, upper;
};

/* Finds the times of an iteration, up to the end or the mark of another one.
 * Returns false if there is none. */
static bool iteration_find(const struct trace_file *trace, uint64_t iteration,
			   struct life *window)
{
	uint64_t time = 0;
	bool found = false;

	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_event *event = &trace->events[i];
		bool same = event->iteration >= 0 &&
			    (uint64_t)event->iteration == iteration;

		if (event->kind != TRACE_MARK) {
			time++;
		} else if (same && !found) {
			window->lower = time;
			found = true;
		} else if (!same && found) {
			break;
		}
	}
	window->upper = time;
	return found;
}

static const char *window_read(struct lifetimes *lifetimes,
			       const struct lifetimes_wanted *wanted,
			       const struct trace_file *trace,
			       struct life *window)
{
	int last = -1;

	*window = (struct life){0, UINT64_MAX};
	if (!wanted->has_iteration ||
	    iteration_find(trace, wanted->iteration, window))
		return NULL;
	for (size_t i = 0; i < trace->count; i++)
		if (trace->events[i].kind == TRACE_MARK &&
		    trace->events[i].iteration > last)
			last = trace->events[i].iteration;
	if (last < 0)
		return "no iteration is marked in it";
	return lifetimes_wrong(lifetimes,
			       "no iteration %" PRIu64 "; there are 0 to %d",
			       wanted->iteration, last);
}

/* Fills in when each buffer lives, by its id. */
static void lives_fill(const struct trace_file *trace, struct life *lives)
{
	uint64_t time = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_event *event = &trace->events[i];

		if (event->kind == TRACE_MALLOC)
			lives[event->id].lower = time++;
		else if (event->kind == TRACE_FREE)
			lives[event->id].upper = time++;
	}
}

/* Adds what lives in the window, from its begin. */
static const char *lives_add(struct lifetimes *lifetimes,
			     const struct trace_file *trace,
			     const struct life *lives,
			     const struct life *window, unsigned int *line)
{
	const char *wrong = NULL;
	char id[24];

	for (size_t i = 0; i < trace->count && !wrong; i++) {
		const struct trace_event *event = &trace->events[i];
		struct life life;

		if (event->kind != TRACE_MALLOC)
			continue;
		life = lives[event->id];
		if (life.lower >= window->upper || life.upper <= window->lower)
			continue;
		if (life.lower < window->lower)
			life.lower = window->lower;
		if (life.upper > window->upper)
			life.upper = window->upper;
		*line = event->line;
		snprintf(id, sizeof(id), "%" PRIu64, event->id);
		wrong = lifetimes_add(
			lifetimes,
			(struct plan_buffer){life.lower - window->lower,
					     life.upper - window->lower,
					     event->bytes, 0},
			id,
			lifetimes_class(lifetimes,
					trace_classes[event->purpose]));
	}
	return wrong;
}

static const char *trace_use(struct lifetimes *lifetimes,
			     const struct lifetimes_wanted *wanted,
			     const struct trace_file *trace, unsigned int *line)
{
	struct life *lives, window;
	const char *wrong;

	if (wanted->period)
		return "it is a trace, whose time is a line and has no period";
	wrong = window_read(lifetimes, wanted, trace, &window);
	if (wrong)
		return wrong;
	lives = calloc(trace->last_id + 1, sizeof(*lives));
	if (!lives)
		return "no memory to read it";
	lives_fill(trace, lives);
	wrong = lives_add(lifetimes, trace, lives, &window, line);
	free(lives);
	if (!wrong && !lifetimes->count) {
		*line = 0;
		wrong = "nothing lives in that iteration";
	}
	return wrong;
}

const char *lifetimes_of_trace(struct lifetimes *lifetimes,
			       const struct lifetimes_wanted *wanted,
			       const struct trace_file *trace)
{
	unsigned int line;

	return trace_use(lifetimes, wanted, trace, &line);
}

const char *lifetimes_read_trace(struct lifetimes *lifetimes,
				 const struct lifetimes_wanted *wanted,
				 struct trace_file *trace,
				 struct text_file *text)
{
	const char *wrong = trace_read(trace, text);

	if (wrong)
		return wrong;
	text->number = 0; /* what is wrong now is no line's */
	return trace_use(lifetimes, wanted, trace, &text->number);
}
