/* What can be asked of a process. A command is a row and its function: it
 * fills a JSON object, which is also what its text is printed from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "about.h"
#include "command.h"
#include "context/context.h"
#include "mem/config.h"
#include "order/fence.h"
#include "heap/giver.h"
#include "common/log.h"
#include "common/pool_list.h"
#include "common/print.h"
#include "common/protocol.h"
#include "request.h"
#include "heap/swap.h"
#include "common/text.h"
#include "order/stream_order.h"
#include "stats/counter.h"

struct command {
	const char *name, *usage, *summary;
	int least, most; /* words that it takes */
	bool order;      /* it changes something */
	/* NULL: request->error is set, and nothing has changed. */
	json_t *(*run)(struct request *request);
	void (*print)(FILE *out, const json_t *answer, bool all_figures);
};

/* Its ordinal, or "host". */
static json_t *device_name(const struct device *device)
{
	return device_is_host(device) ? json_string("host")
				      : json_integer(device_ordinal(device));
}

static json_t *device_stat(struct device *device)
{
	json_t *stat = json_object();
	uint64_t values[COUNTER_MAX];

	counters_get(device, values);
	json_object_set_new(stat, "device", device_name(device));
	json_object_set_new(
		stat, "pool",
		json_string(pool_rows[atomic_load(&device->choice)].name));
	json_object_set_new(stat, "fence",
			    json_string(fence_names[fence_level()]));
	json_object_set_new(stat, "order",
			    json_string(stream_order_holds(device)
						? "stream"
						: fence_names[fence_level()]));
#define COUNTER(name, unit, help) \
	json_object_set_new(stat, #name, \
			    json_integer((json_int_t)values[COUNTER_##name]));
	COUNTER_LIST
#undef COUNTER
	return stat;
}

/* Whether a request is about this device. */
static bool device_meant(const struct request *request, int ordinal)
{
	return device_at(ordinal)->used &&
	       (request->device < 0 || request->device == ordinal);
}

/* Calls each for the devices meant; an array of what it returned. */
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
	json_t *answer = about_json();

	json_object_set_new(answer, "options", options_json());
	json_object_set_new(answer, "devices",
			    devices_each(request, device_stat));
	return answer;
}

/* What was done to each device. */
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
			 "before", pool_rows[report->before].name, "after",
			 pool_rows[report->after].name, "idle_bytes",
			 (json_int_t)report->idle_bytes, "retired_bytes",
			 (json_int_t)report->retired_bytes);
}

/* Swaps one device to a row, or resets it where row is negative. */
static json_t *swap_one(struct device *device, int row)
{
	const struct config *config = config_current();
	struct swap_report report = {0};
	bool done;

	if (row < 0)
		row = config->pool[device_ordinal(device)];
	done = device_swap(device, row, config, &report);
	return done ? swap_answer(device, &report)
		    : json_pack("{s:o,s:s}", "device", device_name(device),
				"error", "no memory for a new pool");
}

/* Whether rows, one for each device, leave some as they are. */
static bool is_choice(const int rows[DEVICE_ALL])
{
	for (int i = 0; i < DEVICE_ALL; i++)
		if (rows[i] < 0)
			return true;
	return false;
}

/* What an order has left for the next free goes back now, if it can. */
static json_t *devices_left(json_t *list)
{
	giver_ask();
	return devices_answer(list);
}

/* NULL for rows: each goes back to its own. */
static json_t *swap_devices(const struct request *request, const int *rows)
{
	json_t *list = json_array();

	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_meant(request, i) && (!rows || rows[i] >= 0))
			json_array_append_new(
				list,
				swap_one(device_at(i), rows ? rows[i] : -1));
	return devices_left(list);
}

/* Whether each device that a pool is chosen for is there to be swapped. Pinned
 * memory always is, also before it is first asked for. */
static bool choice_possible(struct request *request, const int rows[DEVICE_ALL])
{
	if (rows[DEVICE_HOST] >= 0 && request->device < 0)
		device_at(DEVICE_HOST)->used = true;
	for (int i = 0; i < DEVICE_ALL; i++) {
		if (rows[i] < 0 || device_meant(request, i))
			continue;
		fail(request,
		     "'%.60s': a device is not in use, or not that of "
		     "--device; see stat",
		     request->word[0]);
		return false;
	}
	return true;
}

static json_t *swap_run(struct request *request)
{
	int rows[DEVICE_ALL];
	const char *bad;
	char names[128];

	memset(rows, -1, sizeof(rows));
	if (pools_parse(request->word[0], rows, &bad))
		return is_choice(rows) && !choice_possible(request, rows)
			       ? NULL
			       : swap_devices(request, rows);
	pool_names(names, sizeof(names));
	return fail(request,
		    "'%.60s': %s; allowed: NAME, DEVICE:NAME or host:NAME, "
		    "comma-separated; pools: %s",
		    request->word[0], bad, names);
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

static json_t *pools_run(struct request *request)
{
	json_t *list = json_array();

	(void)request;
	for (const struct pool_row *row = pool_rows; row->name; row++)
		json_array_append_new(list,
				      json_pack("{s:s,s:s}", "name", row->name,
						"summary", row->summary));
	return json_pack("{s:i,s:o}", "schema", ANSWER_SCHEMA, "pools", list);
}

static json_t *help_run(struct request *request);

/* clang-format off */
static const struct command commands[] = {
	{"stat", "stat [--json] [--device N] [--all-figures]",
	 "figures of each device in use", 0, 0, false, stat_run, print_stat},
	{"swap", "swap [--json] [--device N] POOL",
	 "serve requests from another pool; DEVICE:POOL, host:POOL as well",
	 1, 1, true, swap_run, print_swap},
	{"reset", "reset [--json] [--device N]",
	 "back to the pool that the program was started with", 0, 0, true,
	 reset_run, print_swap},
	{"trim", "trim [--json] [--device N]",
	 "give idle blocks back to the driver", 0, 0, true, trim_run,
	 print_trim},
	{"set", "set [--json] OPTION [VALUE]",
	 "tell an option, or change it while the program runs", 1, 2, true,
	 set_run, print_set},
	{"pools", "pools [--json]", "pools to choose from", 0, 0, false,
	 pools_run, print_pools},
	{"help", "help [--json]", "this table", 0, 0, false, help_run,
	 print_help},
	{NULL, NULL, NULL, 0, 0, false, NULL, NULL},
};
/* clang-format on */

static json_t *help_run(struct request *request)
{
	json_t *list = json_array();

	(void)request;
	for (const struct command *row = commands; row->name; row++)
		json_array_append_new(list, json_pack("{s:s,s:s}", "usage",
						      row->usage, "summary",
						      row->summary));
	return json_pack("{s:i,s:o}", "schema", ANSWER_SCHEMA, "commands",
			 list);
}

static const struct command *command_find(struct request *request)
{
	size_t used;

	for (const struct command *row = commands; row->name; row++)
		if (!strcmp(row->name, request->name))
			return row;
	used = (size_t)snprintf(
		request->error, ERROR_SIZE,
		"unknown command '%.40s'; known:", request->name);
	for (const struct command *row = commands;
	     row->name && used < ERROR_SIZE; row++)
		used += (size_t)snprintf(request->error + used,
					 ERROR_SIZE - used, " %s", row->name);
	return NULL;
}

static json_t *request_run(struct request *request, char *line,
			   const struct command **command)
{
	if (!request_parse(request, line))
		return NULL;
	*command = command_find(request);
	if (!*command)
		return NULL;
	if (request->words < (*command)->least ||
	    request->words > (*command)->most)
		return fail(request, "usage: %s", (*command)->usage);
	return request_awaited(request) ? (*command)->run(request) : NULL;
}

/* With all its words: fewer only ask. */
static void order_tell(const struct command *command,
		       const struct request *request, bool done)
{
	const char *const *word = request->word;
	char line[OPTION_ERROR_SIZE], error[ERROR_SIZE];

	if (!command || !command->order || request->words != command->most)
		return;
	snprintf(line, sizeof(line), "%s%s%s%s%s", command->name,
		 word[0] ? " " : "", word[0] ? word[0] : "", word[1] ? " " : "",
		 word[1] ? word[1] : "");
	log_info("asked to %s: %s", text_plain(line, line, sizeof(line)),
		 done ? "done"
		      : text_plain(request->error, error, sizeof(error)));
}

char *command_run(char *line, int client, size_t *size)
{
	struct request request = {.device = -1, .client = client};
	const struct command *command = NULL;
	json_t *answer = request_run(&request, line, &command);
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	order_tell(command, &request, answer);
	if (out) {
		if (!answer)
			fprintf(out, "error: %s\n",
				*request.error ? request.error : "no memory");
		else if (request.json)
			json_dumpf(answer, out, JSON_COMPACT);
		else
			command->print(out, answer, request.all_figures);
		if (answer && request.json)
			fputc('\n', out);
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	json_decref(answer);
	return text;
}

char *command_stat_json(void)
{
	struct request request = {.device = -1, .client = -1};
	json_t *answer = stat_run(&request);
	char *text = json_dumps(answer, JSON_COMPACT);

	json_decref(answer);
	return text;
}
