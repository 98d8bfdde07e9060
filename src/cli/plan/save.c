#include "save.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/print.h"
#include "common/base64.h"
#include "common/text.h"
#include "plan/plan_file.h"
#include "replacement.h"

/* A plan as its program has answered it. */
struct answer {
	const struct job *job;
	unsigned char *bytes;
	size_t size;
	struct plan_file file; /* what they say */
};

/* A program may answer anything. What is written is a plan that can be read
 * again. */
static bool answer_read(struct answer *answer, const struct job *job)
{
	const json_t *text = json_object_get(job->answer, "file");

	answer->job = job;
	if (!base64_read(json_string_value(text), &answer->bytes,
			 &answer->size))
		return false;
	if (!plan_file_read(&answer->file, answer->bytes, answer->size))
		return true;
	free(answer->bytes);
	return false;
}

static void answer_close(struct answer *answer)
{
	free(answer->bytes);
	plan_file_release(&answer->file);
}

static void answer_print(const struct answer *answer, const char *path)
{
	char name[DEVICE_NAME_SIZE], bytes[TEXT_BYTES_SIZE], place[256];
	const char *device = field_device(answer->job->answer, name);

	printf("pid %d device %s: a plan of %zu requests and %s is saved as "
	       "%s\n",
	       answer->job->pid, device, answer->file.cycle.count,
	       text_bytes((int64_t)answer->file.plan.peak, bytes),
	       text_plain(path, place, sizeof(place)));
}

static void answer_print_json(const struct answer *answer, const char *path)
{
	json_t *json = json_pack(
		"{s:i, s:O, s:I, s:I, s:I, s:I}", "pid", answer->job->pid,
		"device", json_object_get(answer->job->answer, "device"),
		"period", (json_int_t)answer->file.cycle.length, "peak",
		(json_int_t)answer->file.plan.peak, "bound",
		(json_int_t)answer->file.plan.bound, "file_bytes",
		(json_int_t)answer->size);
	json_t *saved = json_string(path); /* NULL if it is not UTF-8 */

	json_object_set_new(json, "saved", saved ? saved : json_null());
	json_print(json);
	json_decref(json);
}

static int answer_save(const struct answer *answer,
		       const struct arguments *arguments)
{
	struct replacement replacement;
	FILE *out = replacement_begin(&replacement, arguments->save);

	if (!out)
		return EXIT_FAILED;
	fwrite(answer->bytes, 1, answer->size, out);
	if (!replacement_end(&replacement))
		return EXIT_FAILED;
	if (arguments->json)
		answer_print_json(answer, arguments->save);
	else
		answer_print(answer, arguments->save);
	return EXIT_DONE;
}

/* What a job has answered. Returns the exit status. */
static int job_save(const struct job *job, const struct arguments *arguments)
{
	struct answer answer;
	int status;

	if (!job->answer)
		return job_failure(job);
	if (!json_object_get(job->answer, "device") ||
	    !answer_read(&answer, job))
		return failure("pid %d: the answer is not understood",
			       job->pid);
	status = answer_save(&answer, arguments);
	answer_close(&answer);
	return status;
}

/* Whether there is an option that only lifetimes have. */
static bool is_for_lifetimes(const struct arguments *arguments)
{
	return arguments->capacity || arguments->unit || arguments->svg ||
	       arguments->o || arguments->time > 0 || arguments->seed.given ||
	       arguments->period.given || arguments->iteration.given;
}

int plan_save(const struct command *command, const struct arguments *arguments)
{
	const struct request request = {request_json("plan", arguments), "file",
					false};
	struct arguments target = *arguments;
	int64_t deadline = ms_now() + COMMAND_MS;
	int status = EXIT_FAILED;
	struct jobs jobs;

	if (is_for_lifetimes(arguments))
		status = usage_error(command, "--save takes no other option "
					      "than --device and --json");
	else
		status = pid_read(command, arguments->file, &target.pid);
	if (!status && !replacement_possible(arguments->save, NULL))
		status = EXIT_FAILED;
	if (!status) {
		status = EXIT_FAILED;
		if (targets_find(&jobs, &target, false)) {
			jobs_ask_all(&jobs, &request, deadline);
			status = job_save(&jobs.list[0], arguments);
		}
		jobs_close(&jobs);
	}
	json_decref(request.json);
	return status;
}
