/* What can be asked of a process. A command is a row and its function, which
 * makes the answer, a JSON object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "about.h"
#include "command.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "mem/config.h"
#include "mem/iteration.h"
#include "order/fence.h"
#include "heap/giver.h"
#include "heap/pools.h"
#include "heap/planner.h"
#include "pools/tstack_pool.h"
#include "common/log.h"
#include "common/pool_choice.h"
#include "common/pool_json.h"
#include "common/pool_list.h"
#include "common/protocol.h"
#include "recording.h"
#include "request.h"
#include "heap/swap.h"
#include "common/text.h"
#include "order/stream_order.h"
#include "stats/counter.h"

struct command {
	const char *name;
	/* The fields that its request has to hold, and those that it may hold,
	 * besides command and until. */
	unsigned int needs, may;
	/* A request with one of these fields changes something. */
	unsigned int order;
	/* Returns NULL if it fails; request->error is set then, and nothing has
	 * changed. */
	json_t *(*run)(struct request *request);
};

static const char *const plan_states[] = {
	[TSTACK_LEARNS] = "learning", [TSTACK_PLANS] = "planning",
	[TSTACK_WAITS] = "waiting",   [TSTACK_FOLLOWS] = "following",
	[TSTACK_RESTS] = "resting",
};

/* What a pool that plans says of that. */
static void plan_stat(const struct device *device, json_t *stat)
{
	struct tstack_figures figures;
	json_t *plan;

	if (!planner_figures(device, &figures))
		return;
	plan = json_object();
	json_object_set_new(plan, "state",
			    json_string(plan_states[figures.state]));
#define FIGURE(name, unit, help) \
	json_object_set_new(plan, #name, \
			    json_integer((json_int_t)figures.name));
	PLAN_FIGURE_LIST
#undef FIGURE
	json_object_set_new(stat, "plan", plan);
}

/* Of a device; the host's memory is not CUDA's. */
static void total_stat(const struct device *device, json_t *stat)
{
	size_t bytes =
		device_is_host(device)
			? 0
			: backing_device_bytes_known(device_ordinal(device));

	if (bytes)
		json_object_set_new(stat, "total_bytes",
				    json_integer((json_int_t)bytes));
}

static json_t *device_stat(struct device *device)
{
	json_t *stat = json_object();
	uint64_t values[COUNTER_MAX];

	counters_get(device, values);
	json_object_set_new(stat, "device", device_name(device));
	json_object_set_new(
		stat, "pool",
		json_string(pool_choice_name(device_choice_serving(device))));
	json_object_set_new(stat, "fence",
			    json_string(fence_names[fence_level()]));
	json_object_set_new(stat, "order",
			    json_string(stream_order_holds(device)
						? "stream"
						: fence_names[fence_level()]));
#define COUNTER(name, kind, unit, help) \
	json_object_set_new(stat, #name, \
			    json_integer((json_int_t)values[COUNTER_##name]));
	COUNTER_LIST
#undef COUNTER
	total_stat(device, stat);
	plan_stat(device, stat);
	return stat;
}

/* Whether a request is about this device. */
static bool device_meant(const struct request *request, int ordinal)
{
	return device_at(ordinal)->used &&
	       (request->device < 0 || request->device == ordinal);
}

/* Calls each for every device that is meant. Returns an array of what each
 * returned. */
static json_t *devices_each(const struct request *request,
			    json_t *(*each)(struct device *device))
{
	json_t *list = json_array();

	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_meant(request, i))
			json_array_append_new(list, each(device_at(i)));
	return list;
}

static json_t *stat_run(struct request *request)
{
	json_t *answer = about_json(), *recording = recording_json();

	json_object_set_new(answer, "options", options_json());
	if (recording)
		json_object_set_new(answer, "recording", recording);
	json_object_set_new(answer, "devices",
			    devices_each(request, device_stat));
	return answer;
}

/* An answer that says what was done to each device. */
static json_t *devices_answer(json_t *devices)
{
	json_t *answer = about_json();

	json_object_set_new(answer, "devices", devices);
	return answer;
}

static json_t *swap_answer(const struct device *device,
			   const struct swap_report *report)
{
	return json_pack("{s:o,s:s,s:s,s:I,s:I}", "device", device_name(device),
			 "before", pool_choice_name(report->before), "after",
			 pool_choice_name(report->after), "idle_bytes",
			 (json_int_t)report->idle_bytes, "retired_bytes",
			 (json_int_t)report->retired_bytes);
}

/* Swaps one device to a choice, or resets it if that is negative. */
static json_t *swap_one(struct device *device, int choice)
{
	const struct config *config = config_current();
	struct swap_report report = {0};
	bool done;

	if (choice < 0)
		choice = config->pool[device_ordinal(device)];
	done = device_swap(device, choice, config, &report);
	return done ? swap_answer(device, &report)
		    : json_pack("{s:o,s:s}", "device", device_name(device),
				"error", report.error);
}

/* Whether choices, one for each device, leave some device as it is. */
static bool is_choice(const int choices[DEVICE_ALL])
{
	for (int i = 0; i < DEVICE_ALL; i++)
		if (choices[i] < 0)
			return true;
	return false;
}

/* What an order has left for the next free goes back now, if it can. Returns
 * the answer. */
static json_t *devices_left(json_t *list)
{
	giver_ask();
	return devices_answer(list);
}

/* If choices is NULL, each device goes back to the pool that it started with.
 */
static json_t *swap_devices(const struct request *request, const int *choices)
{
	json_t *list = json_array();

	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_meant(request, i) && (!choices || choices[i] >= 0))
			json_array_append_new(
				list, swap_one(device_at(i),
					       choices ? choices[i] : -1));
	return devices_left(list);
}

/* Whether each device that a pool is chosen for is there to be swapped. Pinned
 * memory always is, even before it is first asked for. */
static bool choice_possible(struct request *request,
			    const int choices[DEVICE_ALL])
{
	bool pinned = choices[DEVICE_HOST] >= 0 && request->device < 0;

	for (int i = 0; i < DEVICE_ALL; i++) {
		if (choices[i] < 0 || device_meant(request, i) ||
		    (pinned && i == DEVICE_HOST))
			continue;
		fail(request,
		     "'%.60s': it names a device that is not in use, or is "
		     "not that of --device; see mnm stat",
		     request->pool);
		return false;
	}
	if (pinned)
		device_at(DEVICE_HOST)->used = true;
	return true;
}

/* Reads what is chosen. Returns false if *bad says what is wrong: for pinned
 * memory alone a device's backing is, as in host:NAME@BACKING. */
static bool choices_read(const struct request *request, int choices[DEVICE_ALL],
			 const char **bad)
{
	int pinned;

	memset(choices, -1, sizeof(int) * DEVICE_ALL);
	if (!pools_parse(request->pool, choices, bad))
		return false;
	pinned = choices[DEVICE_HOST];
	*bad = "pinned memory has no backing but host";
	return request->device != DEVICE_HOST || pinned < 0 ||
	       pool_choice_row(pinned) == pinned ||
	       pool_choice_backing(pinned) == MNM_BACKING_HOST;
}

static json_t *swap_run(struct request *request)
{
	int choices[DEVICE_ALL];
	const char *bad;
	char names[POOL_NAMES_SIZE];

	if (choices_read(request, choices, &bad))
		return is_choice(choices) && !choice_possible(request, choices)
			       ? NULL
			       : swap_devices(request, choices);
	pool_names(names, sizeof(names));
	return fail(request, "'%.60s': %s; allowed: %s; pools: %s",
		    request->pool, bad, option_find("pool")->range, names);
}

static json_t *reset_run(struct request *request)
{
	return swap_devices(request, NULL);
}

static json_t *trim_one(struct device *device)
{
	return json_pack("{s:o,s:I}", "device", device_name(device),
			 "idle_bytes", (json_int_t)device_trim(device));
}

static json_t *trim_run(struct request *request)
{
	return devices_left(devices_each(request, trim_one));
}

static json_t *device_marks(struct device *device)
{
	uint64_t marks = counter_get(device, COUNTER_iterations);

	return json_pack("{s:o,s:I}", "device", device_name(device),
			 "iterations", (json_int_t)marks);
}

/* An iteration is the program's, so it begins on all devices. */
static json_t *mark_run(struct request *request)
{
	iteration_begin();
	return devices_answer(devices_each(request, device_marks));
}

static json_t *pools_run(struct request *request)
{
	json_t *list = json_array();

	(void)request;
	for (const struct pool_row *row = pool_rows; row->name; row++)
		json_array_append_new(list, pool_json(row));
	return json_pack("{s:i,s:o}", "schema", ANSWER_SCHEMA, "pools", list);
}

static json_t *help_run(struct request *request);

/* clang-format off */
static const struct command commands[] = {
	{"stat", 0, HAS(device), 0, stat_run},
	{"swap", HAS(pool), HAS(device), HAS(pool), swap_run},
	{"reset", 0, HAS(device), HAS(command), reset_run},
	{"trim", 0, HAS(device), HAS(command), trim_run},
	{"mark", 0, 0, HAS(command), mark_run},
	{"set", HAS(option), HAS(value), HAS(value), set_run},
	{"plan", 0, HAS(device), 0, plan_run},
	{"record", HAS(action), HAS(file) | HAS(size), HAS(action), record_run},
	{"pools", 0, 0, 0, pools_run},
	{"help", 0, 0, 0, help_run},
	{NULL, 0, 0, 0, NULL},
};
/* clang-format on */

static json_t *help_run(struct request *request)
{
	json_t *list = json_array();

	(void)request;
	for (const struct command *row = commands; row->name; row++)
		json_array_append_new(
			list, json_pack("{s:s,s:o,s:o}", "command", row->name,
					"needs", fields_json(row->needs), "may",
					fields_json(row->may)));
	return json_pack("{s:i,s:o}", "schema", ANSWER_SCHEMA, "commands",
			 list);
}

static const struct command *command_find(struct request *request)
{
	size_t used;

	for (const struct command *row = commands; row->name; row++)
		if (!strcmp(row->name, request->command))
			return row;
	used = (size_t)snprintf(
		request->error, ERROR_SIZE,
		"unknown command '%.40s'; known:", request->command);
	for (const struct command *row = commands;
	     row->name && used < ERROR_SIZE; row++)
		used += (size_t)snprintf(request->error + used,
					 ERROR_SIZE - used, " %s", row->name);
	return NULL;
}

/* Logs an order, even one that can't be carried out. */
static void order_tell(const struct request *request, bool done)
{
	const char *words[] = {request->command, request->pool,
			       request->option,  request->value,
			       request->action,  request->file};
	char line[OPTION_ERROR_SIZE], error[ERROR_SIZE];
	size_t used = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i] && used < sizeof(line))
			used += (size_t)snprintf(line + used,
						 sizeof(line) - used, "%s%s",
						 i ? " " : "", words[i]);
	log_info("asked to %s: %s", text_plain(line, line, sizeof(line)),
		 done ? "done"
		      : text_plain(request->error, error, sizeof(error)));
}

static json_t *request_run(struct request *request, const char *line)
{
	const struct command *command;
	json_t *answer;

	if (!request_read(request, line))
		return NULL;
	command = command_find(request);
	if (!command || !request_fits(request, command->needs | HAS(command),
				      command->may | HAS(until)))
		return NULL;
	answer = request_awaited(request) ? command->run(request) : NULL;
	if (request->given & command->order)
		order_tell(request, answer);
	return answer;
}

/* Returns the answer as a line, or NULL if there is no memory, and releases the
 * answer. The length is asked for first: if jansson finds no memory for a
 * longer text, it leaves parts out and goes on. */
static char *answer_line(json_t *answer, size_t *size)
{
	size_t length = answer ? json_dumpb(answer, NULL, 0, JSON_COMPACT) : 0;
	char *line = length ? malloc(length + 2) : NULL;

	if (line && json_dumpb(answer, line, length, JSON_COMPACT) != length) {
		free(line);
		line = NULL;
	}
	json_decref(answer);
	*size = line ? length + 1 : 0;
	if (line)
		strcpy(line + length, "\n");
	return line;
}

char *command_refuse(const char *why, size_t *size)
{
	char plain[ERROR_SIZE];

	return answer_line(json_pack("{s:i,s:s}", "schema", ANSWER_SCHEMA,
				     "error",
				     text_plain(why, plain, sizeof(plain))),
			   size);
}

char *command_run(const char *line, int client, size_t *size)
{
	struct request request = {.device = -1, .client = client};
	json_t *answer = request_run(&request, line);
	char *text = answer ? answer_line(answer, size)
			    : command_refuse(*request.error ? request.error
							    : "no memory",
					     size);

	json_decref(request.json);
	return text;
}

char *command_stat(size_t *size)
{
	struct request request = {.device = -1, .client = -1};

	return answer_line(stat_run(&request), size);
}
