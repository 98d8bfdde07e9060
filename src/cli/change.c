/* stat, set, swap, reset and trim: one request to one program, or to all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask.h"
#include "cli.h"
#include "protocol.h"

enum { WAIT_STEP_MS = 20, WAIT_STEPS = 100 };

static void request_write(char *line, const char *name,
			  const struct arguments *arguments, bool json)
{
	const char *const *words = arguments->words;

	snprintf(line, REQUEST_MAX, "%s%s%s%s %s %s", name,
		 json ? " --json" : "", arguments->device ? " --device " : "",
		 arguments->device ? arguments->device : "",
		 words[0] ? words[0] : "", words[1] ? words[1] : "");
}

/* Calls each for the pid, or for all; the worst of what it returned. */
static int pids_each(const struct arguments *arguments,
		     int (*each)(int pid, const struct arguments *arguments,
				 void *arg),
		     void *arg)
{
	int *pids, count, status = EXIT_DONE, one;

	if (!arguments->all)
		return each(arguments->pid, arguments, arg);
	count = ask_list(&pids);
	if (!count)
		failure("no program of yours runs under mnm");
	if (count <= 0)
		return EXIT_FAILED;
	for (int i = 0; i < count; i++) {
		one = each(pids[i], arguments, arg);
		status = one > status ? one : status;
	}
	free(pids);
	return status;
}

/* Prints what was collected: one object, or with --all a list. */
static void json_print(const struct arguments *arguments, const json_t *list)
{
	json_dumpf(arguments->all ? list : json_array_get(list, 0), stdout,
		   JSON_COMPACT);
	putchar('\n');
}

struct question {
	const char *name;
	json_t *answers; /* with --json */
};

static int ask_one(int pid, const struct arguments *arguments, void *arg)
{
	struct question *question = arg;
	char line[REQUEST_MAX], *text;
	const char *why;
	json_t *answer;

	request_write(line, question->name, arguments, arguments->json);
	if (arguments->json) {
		answer = ask_json(pid, line);
		if (answer)
			json_array_append_new(question->answers, answer);
		return answer ? EXIT_DONE : EXIT_FAILED;
	}
	text = ask_text(pid, line, &why);
	if (!text)
		return failure("pid %d: %s", pid,
			       why ? why
				   : "no program of yours under mnm has it");
	if (!strncmp(text, "error: ", 7)) {
		failure("pid %d: %.*s", pid, (int)strcspn(text + 7, "\n"),
			text + 7);
		free(text);
		return EXIT_FAILED;
	}
	fputs(text, stdout);
	free(text);
	return EXIT_DONE;
}

int ask_run(const struct command *command, int argc, char **argv)
{
	struct question question = {.name = command->name};
	struct arguments arguments;
	int status = arguments_read(command, argc, argv, &arguments);

	if (status)
		return status;
	question.answers = json_array();
	status = pids_each(&arguments, ask_one, &question);
	if (arguments.json && json_array_size(question.answers))
		json_print(&arguments, question.answers);
	json_decref(question.answers);
	return status;
}

static json_int_t bytes_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static double mib(json_int_t bytes)
{
	return (double)bytes / (1 << 20);
}

/* The figures of one device in an answer to stat. */
static const json_t *stat_of(const json_t *stat, const json_t *device)
{
	const json_t *each;
	size_t i;

	json_array_foreach(json_object_get(stat, "devices"), i,
			   each) if (json_equal(json_object_get(each, "device"),
						device)) return each;
	return NULL;
}

/* Adds pending_bytes, what has not gone back yet, to each device of the
 * answer. */
static json_int_t pending_ask(int pid, json_t *answer)
{
	json_t *stat = ask_json(pid, "stat --json"), *device;
	json_int_t pending, sum = 0;
	size_t i;

	json_array_foreach(json_object_get(answer, "devices"), i, device)
	{
		pending = bytes_of(
			stat_of(stat, json_object_get(device, "device")),
			"pending_bytes");
		json_object_set_new(device, "pending_bytes",
				    json_integer(pending));
		sum += pending;
	}
	json_decref(stat);
	return sum;
}

static void pending_wait(int pid, json_t *answer, bool wait)
{
	const struct timespec step = {0, WAIT_STEP_MS * 1000000L};

	for (int i = 0; pending_ask(pid, answer) && wait && i < WAIT_STEPS; i++)
		nanosleep(&step, NULL);
}

static void change_print_device(int pid, const json_t *device)
{
	const char *error = json_string_value(json_object_get(device, "error"));
	const char *after = json_string_value(json_object_get(device, "after"));
	json_int_t pending = bytes_of(device, "pending_bytes");
	json_int_t idle = bytes_of(device, "idle_bytes");
	char name[DEVICE_NAME_SIZE];

	device_name(device, name);
	printf("pid %d %s%s: ", pid, strcmp(name, "host") ? "device " : "",
	       name);
	if (error) {
		printf("%s\n", error);
		return;
	}
	if (after)
		printf("%s -> %s, ",
		       json_string_value(json_object_get(device, "before")),
		       after);
	printf("%.1f MiB idle given back",
	       mib(idle > pending ? idle - pending : 0));
	if (pending)
		printf(", %.1f MiB go back at its next free", mib(pending));
	if (after)
		printf(", %.1f MiB live carried by retired pools",
		       mib(bytes_of(device, "retired_bytes")));
	putchar('\n');
}

struct change {
	const char *name;
	json_t *list;
};

static int change_one(int pid, const struct arguments *arguments, void *arg)
{
	const struct change *change = arg;
	json_t *answer, *devices, *device;
	char line[REQUEST_MAX];
	int status = EXIT_DONE;
	size_t i;

	request_write(line, change->name, arguments, true);
	answer = ask_json(pid, line);
	if (!answer)
		return EXIT_FAILED;
	pending_wait(pid, answer, !arguments->no_wait);
	devices = json_object_get(answer, "devices");
	json_array_foreach(devices, i, device)
	{
		if (json_object_get(device, "error"))
			status = EXIT_FAILED;
		if (!arguments->json)
			change_print_device(pid, device);
	}
	if (!json_array_size(devices) && !arguments->json)
		printf("pid %d: no device in use yet\n", pid);
	json_array_append_new(change->list, answer);
	return status;
}

int change_run(const struct command *command, int argc, char **argv)
{
	struct change change = {command->name, NULL};
	struct arguments arguments;
	int status = arguments_read(command, argc, argv, &arguments);

	if (status)
		return status;
	change.list = json_array();
	status = pids_each(&arguments, change_one, &change);
	if (arguments.json && json_array_size(change.list))
		json_print(&arguments, change.list);
	json_decref(change.list);
	return status;
}
