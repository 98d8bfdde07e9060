/* swap, reset and trim: what has still to go back, and what was done; and mark.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask.h"
#include "change.h"
#include "cli.h"
#include "common/option.h"
#include "common/pool_choice.h"
#include "common/text.h"
#include "print.h"

enum { WAIT_STEP_MS = 20, WAIT_MS = 2000 };

static int64_t bytes_of(const json_t *object, const char *key)
{
	int64_t bytes = field_number(object, key);

	return bytes > 0 ? bytes : 0;
}

/* The figures of one device in an answer to `stat`. */
static const json_t *stat_of(const json_t *stat, const json_t *device)
{
	const json_t *devices = json_object_get(stat, "devices"), *each;
	size_t count = field_count(stat, "devices", DEVICE_ALL);

	for (size_t i = 0; i < count; i++) {
		each = json_array_get(devices, i);
		if (json_equal(json_object_get(each, "device"),
			       json_object_get(device, "device")))
			return each;
	}
	return NULL;
}

/* Notes, as pending_bytes of each device in an answer, what has not gone back
 * yet. Returns whether there is any. Without figures the value stays what it
 * was, at first all that was idle. */
static bool pending_note(json_t *answer, const json_t *stat)
{
	json_t *devices = json_object_get(answer, "devices"), *device;
	size_t count = field_count(answer, "devices", DEVICE_ALL);
	bool any = false;
	int64_t pending;
	const char *from;

	for (size_t i = 0; i < count; i++) {
		device = json_array_get(devices, i);
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

/* Asks the jobs whose orders were carried out what has still to go back. The
 * jobs keep the answers to the orders. Returns whether there is any. */
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

void pending_wait(struct jobs *jobs, int64_t deadline, bool wait)
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

static void change_write_device(FILE *out, int pid, const json_t *device)
{
	int64_t pending = bytes_of(device, "pending_bytes");
	int64_t idle = bytes_of(device, "idle_bytes");
	bool swap = json_object_get(device, "after");
	char before[POOL_CHOICE_SIZE], after[POOL_CHOICE_SIZE], error[256];
	char text[DEVICE_NAME_SIZE];
	char bytes[TEXT_BYTES_SIZE];
	const char *name = field_device(device, text);

	fprintf(out, "pid %d %s%s: ", pid,
		strcmp(name, "host") ? "device " : "", name);
	if (json_object_get(device, "error")) {
		fprintf(out, "%s\n",
			field_text(device, "error", error, sizeof(error)));
		return;
	}
	if (swap)
		fprintf(out, "%s -> %s, ",
			field_text(device, "before", before, sizeof(before)),
			field_text(device, "after", after, sizeof(after)));
	fprintf(out, "%s idle given back",
		text_bytes(idle > pending ? idle - pending : 0, bytes));
	if (pending)
		fprintf(out, ", %s go back at its next free",
			text_bytes(pending, bytes));
	if (swap)
		fprintf(out, ", %s live in retired pools",
			text_bytes(bytes_of(device, "retired_bytes"), bytes));
	fputc('\n', out);
}

void mark_print(const struct job *job, const struct arguments *arguments)
{
	json_t *devices = json_object_get(job->answer, "devices"), *device;
	size_t count = field_count(job->answer, "devices", DEVICE_ALL);
	char text[DEVICE_NAME_SIZE];
	const char *name;

	(void)arguments;
	for (size_t i = 0; i < count; i++) {
		device = json_array_get(devices, i);
		name = field_device(device, text);
		printf("pid %d %s%s: iteration %" PRId64 " begins\n", job->pid,
		       strcmp(name, "host") ? "device " : "", name,
		       bytes_of(device, "iterations"));
	}
	if (!count)
		printf("pid %d: marked; no device in use yet\n", job->pid);
}

void change_write(FILE *out, const struct job *job)
{
	json_t *devices = json_object_get(job->answer, "devices");
	size_t count = field_count(job->answer, "devices", DEVICE_ALL);

	for (size_t i = 0; i < count; i++)
		change_write_device(out, job->pid, json_array_get(devices, i));
	if (!count)
		fprintf(out, "pid %d: no device in use yet\n", job->pid);
}

void change_print(const struct job *job, const struct arguments *arguments)
{
	(void)arguments;
	change_write(stdout, job);
}
