/* What can be asked of a process. A command is a row and its function: it
 * fills a JSON object, which is also what its text is printed from. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "command.h"
#include "config.h"
#include "context.h"
#include "fence.h"
#include "pool_list.h"
#include "print.h"
#include "swap.h"
#include "work.h"

enum { WORDS_MAX = 16, ERROR_SIZE = OPTION_ERROR_SIZE };

struct request {
	const char *name;
	const char *word[WORDS_MAX]; /* past the name and the options */
	int words;
	bool json;
	int device; /* -1: all that are in use */
	char error[ERROR_SIZE];
};

struct command {
	const char *name, *usage, *summary;
	int words; /* that it takes */
	/* NULL: request->error is set, and nothing has changed. */
	json_t *(*run)(struct request *request);
	void (*print)(FILE *out, const json_t *answer);
};

static json_t *fail(struct request *request, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static json_t *fail(struct request *request, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(request->error, ERROR_SIZE, format, args);
	va_end(args);
	return NULL;
}

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
			    json_string(work_is_ordered(device)
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

/* The program's name in plain characters: files may be named otherwise. */
static json_t *program_name(void)
{
	char name[64];

	snprintf(name, sizeof(name), "%s", program_invocation_short_name);
	for (char *c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return json_string(name);
}

static json_t *stat_run(struct request *request)
{
	json_t *answer = json_object();

	json_object_set_new(answer, "pid", json_integer(getpid()));
	json_object_set_new(answer, "program", program_name());
	json_object_set_new(answer, "devices",
			    devices_each(request, device_stat));
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
	struct swap_report report = {0};
	bool done = row < 0 ? device_reset(device, &report)
			    : device_swap(device, row, &report);

	return done ? swap_answer(device, &report)
		    : json_pack("{s:o,s:s}", "device", device_name(device),
				"error", "no memory for a new pool");
}

static json_t *swap_devices(const struct request *request, int row)
{
	json_t *list = json_array();

	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_meant(request, i))
			json_array_append_new(list,
					      swap_one(device_at(i), row));
	return json_pack("{s:i,s:o}", "pid", (int)getpid(), "devices", list);
}

static json_t *swap_run(struct request *request)
{
	int row = pool_row_find(request->word[0]);
	char names[128];

	if (row >= 0)
		return swap_devices(request, row);
	pool_names(names, sizeof(names));
	return fail(request, "unknown pool '%.60s'; known: %s",
		    request->word[0], names);
}

static json_t *reset_run(struct request *request)
{
	return swap_devices(request, -1);
}

static json_t *trim_one(struct device *device)
{
	return json_pack("{s:o,s:I}", "device", device_name(device),
			 "idle_bytes", (json_int_t)device_trim(device));
}

static json_t *trim_run(struct request *request)
{
	return json_pack("{s:i,s:o}", "pid", (int)getpid(), "devices",
			 devices_each(request, trim_one));
}

/* Options that can change while the program runs. */
static void live_fence(const struct config *config)
{
	fence_level_set(config->fence);
}

static void live_quarantine(const struct config *config)
{
	fence_quarantine_set(config->quarantine);
}

static const struct {
	const char *name;
	void (*apply)(const struct config *config);
} live_options[] = {
	{"fence", live_fence},
	{"quarantine", live_quarantine},
	{NULL, NULL},
};

static json_t *set_run(struct request *request)
{
	struct config config = *config_current();
	const char *name = request->word[0], *value = request->word[1];
	int row = 0;

	while (live_options[row].name && strcmp(live_options[row].name, name))
		row++;
	if (request->device >= 0)
		return fail(request, "set is for the whole program, without "
				     "--device");
	if (!live_options[row].name)
		return fail(request,
			    "option '%.40s' can't be set while the program "
			    "runs; those that can: fence, quarantine",
			    name);
	if (!config_set(&config, name, value, request->error) ||
	    !config_check(&config, request->error))
		return NULL;
	live_options[row].apply(&config);
	return json_pack("{s:i,s:s,s:s}", "pid", (int)getpid(), "option", name,
			 "value", value);
}

static json_t *pools_run(struct request *request)
{
	json_t *list = json_array();

	(void)request;
	for (const struct pool_row *row = pool_rows; row->name; row++)
		json_array_append_new(list,
				      json_pack("{s:s,s:s}", "name", row->name,
						"summary", row->summary));
	return json_pack("{s:o}", "pools", list);
}

static json_t *help_run(struct request *request);

/* clang-format off */
static const struct command commands[] = {
	{"stat", "stat [--json] [--device N]", "figures of each device in use",
	 0, stat_run, print_stat},
	{"swap", "swap [--json] [--device N] POOL",
	 "serve requests from another pool", 1, swap_run, print_swap},
	{"reset", "reset [--json] [--device N]",
	 "back to the pool that the program was started with", 0, reset_run,
	 print_swap},
	{"trim", "trim [--json] [--device N]",
	 "give idle blocks back to the driver", 0, trim_run, print_trim},
	{"set", "set [--json] OPTION VALUE",
	 "change fence or quarantine while the program runs", 2, set_run,
	 print_set},
	{"pools", "pools [--json]", "pools to choose from", 0, pools_run,
	 print_pools},
	{"help", "help [--json]", "this table", 0, help_run, print_help},
	{NULL, NULL, NULL, 0, NULL, NULL},
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
	return json_pack("{s:o}", "commands", list);
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

/* The ordinal of --device; -1 where it is none in use. */
static int device_read(struct request *request, const char *text)
{
	int ordinal = text ? device_parse(text) : -1;

	if (ordinal >= 0 && device_at(ordinal)->used)
		return ordinal;
	fail(request,
	     "--device '%.20s': no device in use has that name; see "
	     "stat",
	     text ? text : "");
	return -1;
}

/* Cuts the line into words. False: request->error is set. */
static bool request_parse(struct request *request, char *line)
{
	const char *word;
	char *rest;

	for (word = strtok_r(line, " \t\r", &rest); word;
	     word = strtok_r(NULL, " \t\r", &rest)) {
		if (!strcmp(word, "--json")) {
			request->json = true;
		} else if (!strcmp(word, "--device")) {
			request->device = device_read(
				request, strtok_r(NULL, " \t\r", &rest));
			if (request->device < 0)
				return false;
		} else if (!request->name) {
			request->name = word;
		} else if (request->words == WORDS_MAX) {
			fail(request, "more than %d words", WORDS_MAX);
			return false;
		} else {
			request->word[request->words++] = word;
		}
	}
	if (!request->name)
		fail(request, "an empty request; try: help");
	return request->name;
}

static json_t *request_run(struct request *request, char *line,
			   const struct command **command)
{
	if (!request_parse(request, line))
		return NULL;
	*command = command_find(request);
	if (!*command)
		return NULL;
	if (request->words != (*command)->words)
		return fail(request, "usage: %s", (*command)->usage);
	return (*command)->run(request);
}

char *command_run(char *line, size_t *size)
{
	struct request request = {.device = -1};
	const struct command *command = NULL;
	json_t *answer = request_run(&request, line, &command);
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (out) {
		if (!answer)
			fprintf(out, "error: %s\n",
				*request.error ? request.error : "no memory");
		else if (request.json)
			json_dumpf(answer, out, JSON_COMPACT);
		else
			command->print(out, answer);
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
	struct request request = {.device = -1};
	json_t *answer = stat_run(&request);
	char *text = json_dumps(answer, JSON_COMPACT);

	json_decref(answer);
	return text;
}
