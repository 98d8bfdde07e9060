#include "followed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask.h"
#include "cli/cli.h"

/* The most that the recording takes of the disk. A part of half of that has
 * some ten million requests. */
static const char recording_size[] = "64M";

static struct job *job_of(struct followed *followed)
{
	return &followed->jobs.list[0];
}

/* Asks the program. Prints why not and returns false if it does not answer. */
static bool ask(struct followed *followed, json_t *json, const char *answer,
		bool order)
{
	const struct request request = {json, answer, order};

	job_of(followed)->asked = true;
	jobs_ask(&followed->jobs, &request, ms_now() + COMMAND_MS);
	json_decref(json);
	return job_of(followed)->answer;
}

bool followed_ask(struct followed *followed)
{
	json_t *before = json_incref(job_of(followed)->answer);
	bool answered = ask(followed, json_pack("{s:s}", "command", "stat"),
			    "devices", false);

	if (answered)
		json_decref(before);
	else
		job_of(followed)->answer = before;
	return answered;
}

/* The file of the recording that the program makes, or NULL. */
static const char *file_now(struct followed *followed)
{
	const json_t *recording =
		json_object_get(job_of(followed)->answer, "recording");

	return json_is_true(json_object_get(recording, "runs"))
		       ? json_string_value(json_object_get(recording, "file"))
		       : NULL;
}

bool followed_runs(struct followed *followed)
{
	const char *file = file_now(followed);

	return file && !strcmp(file, followed->path);
}

static void record_stop(struct followed *followed)
{
	ask(followed,
	    json_pack("{s:s,s:s}", "command", "record", "action", "stop"),
	    "recording", true);
}

static bool record_begin(struct followed *followed)
{
	char *path = followed->path;
	const char *file = file_now(followed);

	shadow_folders_clean();

	if (file && !shadow_folder_is_gone(file)) {
		snprintf(path, PATH_MAX, "%s", file);
		return true;
	}
	if (file) /* of a shadow that was killed */
		record_stop(followed);
	if (!shadow_folder_make(&followed->folder, job_of(followed)->uid))
		return false;
	if (snprintf(path, PATH_MAX, "%s/rec", followed->folder.path) >=
	    PATH_MAX)
		return false;
	followed->is_ours = ask(followed,
				json_pack("{s:s,s:s,s:s,s:s}", "command",
					  "record", "action", "start", "file",
					  path, "size", recording_size),
				"recording", true);
	if (!followed->is_ours)
		job_failure(job_of(followed));
	return followed->is_ours;
}

bool followed_begin(struct followed *followed)
{
	char error[PATH_MAX + 256];

	if (!record_begin(followed))
		return false;
	followed->record =
		mnm_record_follow(followed->path, error, sizeof(error));
	if (!followed->record)
		failure("%s", error);
	return followed->record;
}

bool followed_find(struct followed *followed, int pid)
{
	*followed = (struct followed){0};
	if (!jobs_find_one(&followed->jobs, pid)) {
		if (!followed->jobs.failed)
			failure("no program under mnm has the pid %d; mnm ps "
				"lists them",
				pid);
		return false;
	}
	if (followed_ask(followed))
		return true;
	job_failure(job_of(followed));
	followed_end(followed);
	return false;
}

void followed_end(struct followed *followed)
{
	if (followed->is_ours && followed_ask(followed) &&
	    followed_runs(followed))
		record_stop(followed);
	shadow_folder_remove(&followed->folder);
	mnm_record_close(followed->record);
	jobs_close(&followed->jobs);
}
