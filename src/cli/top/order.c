#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ask.h"
#include "cli/change.h"
#include "cli/cli.h"
#include "common/text.h"
#include "order.h"

/* What an order's answer has, and how it is told. */
struct answer_row {
	const char *command, *field;
	bool order, waits; /* until what is idle has gone back */
	void (*write)(FILE *out, const struct job *job);
};

static const struct answer_row answers[] = {
	{"swap", "devices", true, true, change_write},
	{"trim", "devices", true, true, change_write},
	{"record", "recording", true, false, record_write},
	{"pools", "pools", false, false, NULL},
};

static const struct answer_row *answer_row(const char *command)
{
	const struct answer_row *row = answers;

	while (strcmp(row->command, command))
		row++;
	return row;
}

/* The line that the command would print. */
static void said_write(struct order *order, const struct answer_row *row,
		       const struct job *job)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	row->write(out, job);
	if (!fclose(out)) {
		text[strcspn(text, "\n")] = '\0';
		text_plain(text, order->said, sizeof(order->said));
	}
	free(text);
}

static const char *given(const char *text)
{
	return *text ? text : NULL;
}

static void ask(struct order *order, struct jobs *jobs, int64_t deadline)
{
	const struct answer_row *row = answer_row(order->command);
	const struct arguments arguments = {
		.device = given(order->device),
		.pool = given(order->pool),
		.action = given(order->action),
		.to = given(order->to),
	};
	const struct request request = {
		request_json(order->command, &arguments), row->field,
		row->order};
	const struct job *job = jobs->list;

	jobs_ask_all(jobs, &request, deadline);
	json_decref(request.json);
	if (!job->answer) {
		snprintf(order->said, sizeof(order->said), "pid %d: %.400s",
			 order->pid, job_excuse(job));
		return;
	}
	if (row->waits)
		pending_wait(jobs, deadline, true);
	if (row->write)
		said_write(order, row, job);
	else
		order->pools =
			json_incref(json_object_get(job->answer, row->field));
}

static void order_run(struct errand *errand)
{
	struct order *order = (struct order *)errand;
	int64_t deadline = ms_now() + COMMAND_MS;
	struct jobs jobs;

	if (jobs_find_one(&jobs, order->pid))
		ask(order, &jobs, deadline);
	else
		snprintf(order->said, sizeof(order->said),
			 "pid %d: it has ended", order->pid);
	jobs_close(&jobs);
}

struct order *order_new(const char *command, int pid,
			void (*done)(struct errand *errand, void *arg))
{
	struct order *order = calloc(1, sizeof(*order));

	if (!order)
		return NULL;
	order->errand.run = order_run;
	order->errand.done = done;
	order->command = command;
	order->action = "";
	order->pid = pid;
	return order;
}

void order_free(struct order *order)
{
	json_decref(order->pools);
	free(order);
}
