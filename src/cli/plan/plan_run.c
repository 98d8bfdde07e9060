/* mnm plan: places the lifetimes of a file, or saves a program's plan. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "common/text.h"
#include "lifetimes.h"
#include "offsets.h"
#include "picture.h"
#include "replacement.h"
#include "save.h"
#include "search.h"

enum { SECONDS = 10 };

static void bytes_print(const char *name, uint64_t bytes)
{
	char text[TEXT_BYTES_SIZE];

	printf("%-12s %12s  %" PRIu64 "\n", name,
	       text_bytes((int64_t)bytes, text), bytes);
}

static double plan_ratio(const struct plan *plan)
{
	return (double)plan->peak / (double)plan->bound;
}

static void plan_print(const struct lifetimes *lifetimes,
		       const struct plan *plan, uint64_t capacity)
{
	printf("%-12s %12zu\n", "buffers", lifetimes->count);
	bytes_print("lower bound", plan->bound);
	bytes_print("peak", plan->peak);
	printf("%-12s %12.5f%s\n", "ratio", plan_ratio(plan),
	       plan->peak == plan->bound ? "  no plan has a lower peak" : "");
	printf("%-12s %12.3f\n", "seconds", plan->seconds);
	if (!capacity)
		return;
	bytes_print("capacity", capacity);
	printf("%-12s %12s%s\n", "fits", plan->peak <= capacity ? "yes" : "no",
	       plan->bound > capacity ? "  no plan does" : "");
}

static void plan_print_json(const struct lifetimes *lifetimes,
			    const struct plan *plan, uint64_t capacity)
{
	json_t *json =
		json_pack("{s:I, s:I, s:I, s:f, s:f, s:b}", "buffers",
			  (json_int_t)lifetimes->count, "peak",
			  (json_int_t)plan->peak, "lower_bound",
			  (json_int_t)plan->bound, "ratio", plan_ratio(plan),
			  "seconds", plan->seconds, "stopped", stop_came());

	json_object_set_new(json, "capacity",
			    capacity ? json_integer((json_int_t)capacity)
				     : json_null());
	json_object_set_new(json, "fits",
			    capacity ? json_boolean(plan->peak <= capacity)
				     : json_null());
	json_print(json);
	json_decref(json);
}

static bool offsets_save(const char *path, const struct lifetimes *lifetimes,
			 const struct plan *plan)
{
	struct replacement replacement;
	FILE *out = replacement_begin(&replacement, path);

	if (!out)
		return false;
	offsets_write(out, lifetimes, plan);
	return replacement_end(&replacement);
}

static bool picture_save(const char *path, const struct lifetimes *lifetimes,
			 const struct plan *plan, const char *file)
{
	const char *slash = strrchr(file, '/');
	struct replacement replacement;
	FILE *out = replacement_begin(&replacement, path);

	if (!out)
		return false;
	if (!picture_write(out, lifetimes, plan, slash ? slash + 1 : file)) {
		replacement_drop(&replacement);
		failure("%s: no memory to draw it", path);
		return false;
	}
	return replacement_end(&replacement);
}

/* Saves and prints a plan. Returns the exit status. */
static int plan_tell(const struct arguments *arguments,
		     const struct lifetimes *lifetimes, const struct plan *plan)
{
	bool saved = true;

	if (arguments->o)
		saved = offsets_save(arguments->o, lifetimes, plan);
	if (arguments->svg)
		saved &= picture_save(arguments->svg, lifetimes, plan,
				      arguments->file);
	if (arguments->json)
		plan_print_json(lifetimes, plan, arguments->capacity);
	else
		plan_print(lifetimes, plan, arguments->capacity);
	if (!saved)
		return EXIT_FAILED;
	if (stop_came()) {
		failure("stopped; this is the best plan so far");
		return EXIT_STOPPED;
	}
	return arguments->capacity && plan->peak > arguments->capacity
		       ? EXIT_FAILED
		       : EXIT_DONE;
}

/* Plans the lifetimes. Returns the exit status. */
static int lifetimes_plan(const struct arguments *arguments,
			  const struct lifetimes *lifetimes)
{
	struct plan_problem problem = {lifetimes->buffers, lifetimes->count,
				       lifetimes->period};
	struct plan_options options = {
		.capacity = arguments->capacity,
		.seconds = arguments->time > 0 ? arguments->time : SECONDS,
		.seed = arguments->seed.value};
	enum plan_status status;
	struct plan plan;
	uint64_t bound;
	int exit_status;

	status = plan_bound(&problem, &bound);
	if (status == PLAN_DONE && options.capacity && options.capacity < bound)
		options.seconds = 0; /* no search will find what is asked for */
	if (status == PLAN_DONE)
		status = search(&problem, &options, &plan);
	if (status == PLAN_NO_MEMORY)
		return failure("%s: no memory to plan it", arguments->file);
	if (status != PLAN_DONE)
		return failure("%s: these lifetimes can't be planned",
			       arguments->file);
	exit_status = plan_tell(arguments, lifetimes, &plan);
	plan_release(&plan);
	return exit_status;
}

int plan_run(const struct command *command, const struct arguments *arguments)
{
	struct lifetimes_wanted wanted = {
		.path = arguments->file,
		.unit = arguments->unit,
		.period = arguments->period.value,
		.has_iteration = arguments->iteration.given,
		.iteration = arguments->iteration.value,
		.device = -1};
	struct lifetimes lifetimes;
	int status;

	if (arguments->save)
		return plan_save(command, arguments);
	if (device_read(command, arguments, &wanted.device))
		return EXIT_USAGE;
	if (arguments->period.given && !wanted.period)
		return usage_error(command, "--period 0; allowed: 1 and more");
	if ((arguments->o && !replacement_possible(arguments->o, NULL)) ||
	    (arguments->svg && !replacement_possible(arguments->svg, NULL)))
		return EXIT_FAILED;
	if (!lifetimes_open(&lifetimes, &wanted))
		return EXIT_FAILED;
	status = lifetimes_plan(arguments, &lifetimes);
	lifetimes_close(&lifetimes);
	return status;
}
