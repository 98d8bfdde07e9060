/* Makes one request to one program, or to all, as a command's row says. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ask.h"
#include "change.h"
#include "cli.h"
#include "common/option.h"
#include "descriptors.h"
#include "output.h"
#include "print.h"

/* A device as the process knows it: a number, or a text, which it will refuse
 * unless it is "host". */
static json_t *device_json(const char *text)
{
	int ordinal = device_parse(text);

	return ordinal >= 0 && ordinal < DEVICE_HOST ? json_integer(ordinal)
						     : json_string(text);
}

static void text_add(json_t *json, const char *name, const char *text)
{
	if (text)
		json_object_set_new(json, name, json_string(text));
}

/* The program may be in another folder. */
static void path_add(json_t *json, const char *name, const char *path)
{
	char folder[PATH_MAX] = "";
	bool relative = path && *path != '/';

	if (path && (!relative || getcwd(folder, sizeof(folder))))
		json_object_set_new(json, name,
				    json_sprintf("%s%s%s", folder,
						 relative ? "/" : "", path));
}

json_t *request_json(const char *name, const struct arguments *arguments)
{
	json_t *json = json_pack("{s:s}", "command", name);

	if (arguments->device)
		json_object_set_new(json, "device",
				    device_json(arguments->device));
	text_add(json, "pool", arguments->pool);
	text_add(json, "option", arguments->option);
	text_add(json, "value", arguments->value);
	text_add(json, "action", arguments->action);
	path_add(json, "file", arguments->to);
	if (arguments->max_size)
		json_object_set_new(json, "size",
				    json_sprintf("%zu", arguments->max_size));
	return json;
}

bool targets_find(struct jobs *jobs, const struct arguments *arguments,
		  bool list)
{
	int served = 0;

	if (!arguments->all) {
		if (jobs_find_one(jobs, arguments->pid))
			return true;
		if (!jobs->failed)
			failure("pid %d: no program of yours under mnm has it",
				arguments->pid);
		return false;
	}
	jobs_find(jobs);
	for (int i = 0; i < jobs->count; i++)
		served += jobs->list[i].state != JOB_LOADED;
	if (!served && !jobs->failed && !list)
		failure("no program of yours runs under mnm%s",
			jobs->count ? " and has asked for memory" : "");
	return served;
}

/* Names the programs that failed. */
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

/* Prints what was collected: one object, or with --all a list. */
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

/* Whether the answer says that something could not be done to a device. */
static bool device_failed(const json_t *answer)
{
	const json_t *devices = json_object_get(answer, "devices");
	size_t count = field_count(answer, "devices", DEVICE_ALL);

	for (size_t i = 0; i < count; i++)
		if (json_object_get(json_array_get(devices, i), "error"))
			return true;
	return false;
}

/* Prints what was answered. Returns the exit status. */
static int answers_print(const struct command *command, const struct jobs *jobs,
			 const struct arguments *arguments)
{
	int status = EXIT_DONE;

	for (int i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->list[i];

		if (!job->answer)
			continue;
		if (device_failed(job->answer))
			status = EXIT_FAILED;
		if (!arguments->json)
			command->print(job, arguments);
	}
	if (arguments->json)
		json_collect(jobs, arguments);
	return status;
}

int ask_run(const struct command *command, const struct arguments *arguments)
{
	int64_t deadline = ms_now() + COMMAND_MS;
	struct request request = {NULL, command->answer, command->order};
	/* A question to all programs may find none. */
	bool list = !command->order && arguments->json;
	int status = EXIT_DONE;
	struct jobs jobs;

	descriptors_raise();
	if (targets_find(&jobs, arguments, list)) {
		request.json = request_json(command->name, arguments);
		jobs_ask_all(&jobs, &request, deadline);
		json_decref(request.json);
		status = failures_tell(&jobs, arguments);
		if (command_takes(command, ARG_no_wait))
			pending_wait(&jobs, deadline, !arguments->no_wait);
	} else if (!list || !arguments->all || jobs.failed) {
		status = EXIT_FAILED;
	}
	if (answers_print(command, &jobs, arguments))
		status = EXIT_FAILED;
	jobs_close(&jobs);
	return status;
}
