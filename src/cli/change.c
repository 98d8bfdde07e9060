/* stat, set, swap, reset and trim: one request to one program, or to all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask.h"
#include "cli.h"
#include "common/option.h"
#include "output.h"
#include "print.h"

enum { WAIT_STEP_MS = 20, WAIT_MS = 2000 };

/* A device as the process knows it: a number, or what it will refuse. */
static json_t *device_json(const char *text)
{
	int ordinal = device_parse(text);

	return ordinal >= 0 && ordinal < DEVICE_HOST ? json_integer(ordinal)
						     : json_string(text);
}

static json_t *request_json(const char *name, const struct arguments *arguments)
{
	bool set = !strcmp(name, "set");
	const char *const *words = arguments->words;
	json_t *json = json_pack("{s:s}", "command", name);

	if (arguments->device)
		json_object_set_new(json, "device",
				    device_json(arguments->device));
	if (words[0])
		json_object_set_new(json, set ? "option" : "pool",
				    json_string(words[0]));
	if (words[1])
		json_object_set_new(json, "value", json_string(words[1]));
	return json;
}

/* Finds those that the arguments name. False: there are none, which has been
 * said unless an empty list says it. */
static bool targets_find(struct jobs *jobs, const struct arguments *arguments,
			 bool list)
{
	int served = 0;

	if (!arguments->all) {
		if (!jobs_find_one(jobs, arguments->pid) && !jobs->failed)
			failure("pid %d: no program of yours under mnm has it",
				arguments->pid);
		return jobs->count;
	}
	jobs_find(jobs);
	for (int i = 0; i < jobs->count; i++)
		served += jobs->list[i].state != JOB_LOADED;
	if (!served && !jobs->failed && !list)
		failure("no program of yours runs under mnm%s",
			jobs->count ? " and has asked for memory" : "");
	return served;
}

/* Those that failed are named. */
static int failures_tell(const struct jobs *jobs,
			 const struct arguments *arguments)
{
	int status = jobs->failed ? EXIT_FAILED : EXIT_DONE;

	for (int i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->list[i];

		if (job->answer ||
		    (arguments->all && job->state != JOB_SERVES &&
		     job->state != JOB_SILENT))
			continue;
		status = job_failure(job);
	}
	return status;
}

/* What was collected: one object, or with --all a list. */
static void json_collect(const struct jobs *jobs,
			 const struct arguments *arguments)
{
	json_t *list = json_array();

	for (int i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->list[i];

		if (job->answer ||
		    (arguments->all &&
		     (job->state == JOB_SERVES || job->state == JOB_SILENT)))
			json_array_append_new(list, job_json(job));
	}
	if (arguments->all)
		json_print(list);
	else if (json_array_size(list))
		json_print(json_array_get(list, 0));
	json_decref(list);
}

static void stat_print(const struct job *job, const struct arguments *arguments)
{
	json_t *answer = job_json(job);

	print_stat(answer, arguments->all_figures);
	json_decref(answer);
}

static void set_print(const struct job *job, const struct arguments *arguments)
{
	if (arguments->all)
		printf("pid %d: ", job->pid);
	print_set(job->answer);
}

int ask_run(const struct command *command, int argc, char **argv)
{
	bool stat = !strcmp(command->name, "stat");
	int64_t deadline = ms_now() + COMMAND_MS;
	struct request request = {NULL, stat ? "devices" : "option", !stat};
	struct arguments arguments;
	struct jobs jobs;
	int status = arguments_read(command, argc, argv, &arguments);

	if (status)
		return status;
	if (targets_find(&jobs, &arguments, stat && arguments.json)) {
		request.json = request_json(command->name, &arguments);
		jobs_ask_all(&jobs, &request, deadline);
		json_decref(request.json);
		status = failures_tell(&jobs, &arguments);
	} else if (!stat || !arguments.json || !arguments.all || jobs.failed) {
		status = EXIT_FAILED;
	}
	if (arguments.json)
		json_collect(&jobs, &arguments);
	for (int i = 0; i < jobs.count && !arguments.json; i++)
		if (jobs.list[i].answer)
			(stat ? stat_print : set_print)(&jobs.list[i],
							&arguments);
	jobs_close(&jobs);
	return status;
}

static int64_t bytes_of(const json_t *object, const char *key)
{
	int64_t bytes = field_number(object, key);

	return bytes > 0 ? bytes : 0;
}

static double mib(int64_t bytes)
{
	return (double)bytes / (1 << 20);
}

/* The figures of one device in an answer to stat. */
static const json_t *stat_of(const json_t *stat, const json_t *device)
{
	const json_t *each;
	size_t i;

	json_array_foreach(json_object_get(stat, "devices"), i, each)
	{
		if (json_equal(json_object_get(each, "device"),
			       json_object_get(device, "device")))
			return each;
	}
	return NULL;
}

/* Notes pending_bytes, what has not gone back yet, with each device of an
 * answer; whether there is any. Without figures it is what it was, at first all
 * that was idle. */
static bool pending_note(json_t *answer, const json_t *stat)
{
	json_t *device;
	bool any = false;
	int64_t pending;
	const char *from;
	size_t i;

	json_array_foreach(json_object_get(answer, "devices"), i, device)
	{
		from = json_object_get(device, "pending_bytes")
			       ? "pending_bytes"
			       : "idle_bytes";
		pending =
			stat ? bytes_of(stat_of(stat, device), "pending_bytes")
			     : bytes_of(device, from);
		json_object_set_new(device, "pending_bytes",
				    json_integer(pending));
		any |= pending > 0;
	}
	return any;
}

/* Asks those whose orders were carried out what is still to go back. The
 * orders' answers stay those of the jobs. Whether there is any. */
static bool pending_ask(struct jobs *jobs, json_t **orders, int64_t deadline)
{
	bool any = false;

	for (int i = 0; i < jobs->count; i++) {
		jobs->list[i].asked = orders[i] != NULL;
		if (orders[i])
			jobs->list[i].answer = NULL;
	}
	jobs_ask_stat(jobs, false, deadline);
	for (int i = 0; i < jobs->count; i++) {
		if (!orders[i])
			continue;
		any |= pending_note(orders[i], jobs->list[i].answer);
		json_decref(jobs->list[i].answer);
		jobs->list[i].answer = orders[i];
	}
	return any;
}

static void pending_wait(struct jobs *jobs, int64_t deadline, bool wait)
{
	const struct timespec step = {0, WAIT_STEP_MS * 1000000L};
	json_t **orders = calloc((size_t)jobs->count + 1, sizeof(*orders));
	int64_t until = ms_now() + WAIT_MS;

	if (!orders)
		return;
	for (int i = 0; i < jobs->count; i++)
		orders[i] = jobs->list[i].answer;
	until = until < deadline ? until : deadline;
	while (pending_ask(jobs, orders, deadline) && wait && ms_now() < until)
		nanosleep(&step, NULL);
	free(orders);
}

static void change_print_device(int pid, const json_t *device)
{
	int64_t pending = bytes_of(device, "pending_bytes");
	int64_t idle = bytes_of(device, "idle_bytes");
	bool swap = json_object_get(device, "after");
	char text[DEVICE_NAME_SIZE], before[64], after[64], error[256];
	const char *name = field_device(device, text);

	printf("pid %d %s%s: ", pid, strcmp(name, "host") ? "device " : "",
	       name);
	if (json_object_get(device, "error")) {
		printf("%s\n",
		       field_text(device, "error", error, sizeof(error)));
		return;
	}
	if (swap)
		printf("%s -> %s, ",
		       field_text(device, "before", before, sizeof(before)),
		       field_text(device, "after", after, sizeof(after)));
	printf("%.1f MiB idle given back",
	       mib(idle > pending ? idle - pending : 0));
	if (pending)
		printf(", %.1f MiB go back at its next free", mib(pending));
	if (swap)
		printf(", %.1f MiB live carried by retired pools",
		       mib(bytes_of(device, "retired_bytes")));
	putchar('\n');
}

/* Prints what was done to a job; its exit status. */
static int change_print(const struct job *job, bool json)
{
	json_t *devices = json_object_get(job->answer, "devices"), *device;
	size_t count = field_count(job->answer, "devices", DEVICE_ALL);
	int status = EXIT_DONE;

	for (size_t i = 0; i < count; i++) {
		device = json_array_get(devices, i);
		if (json_object_get(device, "error"))
			status = EXIT_FAILED;
		if (!json)
			change_print_device(job->pid, device);
	}
	if (!count && !json)
		printf("pid %d: no device in use yet\n", job->pid);
	return status;
}

int change_run(const struct command *command, int argc, char **argv)
{
	int64_t deadline = ms_now() + COMMAND_MS;
	struct request request = {NULL, "devices", true};
	struct arguments arguments;
	struct jobs jobs;
	int status = arguments_read(command, argc, argv, &arguments);

	if (status)
		return status;
	if (targets_find(&jobs, &arguments, false)) {
		request.json = request_json(command->name, &arguments);
		jobs_ask_all(&jobs, &request, deadline);
		json_decref(request.json);
		status = failures_tell(&jobs, &arguments);
		pending_wait(&jobs, deadline, !arguments.no_wait);
	} else {
		status = EXIT_FAILED;
	}
	for (int i = 0; i < jobs.count; i++)
		if (jobs.list[i].answer &&
		    change_print(&jobs.list[i], arguments.json))
			status = EXIT_FAILED;
	if (arguments.json)
		json_collect(&jobs, &arguments);
	jobs_close(&jobs);
	return status;
}
