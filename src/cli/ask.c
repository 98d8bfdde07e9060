#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "common/process.h"
#include "processes.h"
#include "common/protocol.h"
#include "common/text.h"

enum {
	ANSWER_MAX = 2 << 20, /* bytes */
	ANSWER_STEP = 16 << 10,
	AGAIN_MS = 20,     /* until a full queue is tried again */
	STOPPED_MS = 1000, /* for which a stopped process may go on again */
	ANSWER_MS = 250,   /* before the deadline, to hear what was done */
};

static const char not_understood[] = "the answer is not understood";
static const char other_version[] = "it has another version of mnm";

volatile sig_atomic_t ask_stopped;

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t ms_now(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

/* Whether the process is stopped, and was asked a while ago. */
static bool job_stopped(const struct job *job, int64_t begun)
{
	return ms_now() - begun >= STOPPED_MS && job->peer &&
	       strchr("Tt", process_state(job->peer));
}

static void job_drop(struct job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	job->fd = -1;
	free(job->text);
	job->text = NULL;
	job->asked = false;
}

static void job_fails(struct job *job, enum job_state state, const char *why)
{
	job_drop(job);
	job->state = state;
	text_plain(why, job->error, sizeof(job->error));
}

/* Whether the process has ended. One that is about to end loses its memory
 * before its sockets. */
static bool job_ended(const struct job *job)
{
	return job->peer ? !process_has_library(job->peer)
			 : kill(job->pid, 0) && errno == ESRCH;
}

/* The connection has ended before an answer. */
static void job_closes(struct job *job)
{
	if (job_ended(job))
		job_fails(job, JOB_ENDED, "it ended");
	else
		job_fails(job, JOB_SILENT, "closed without an answer");
}

/* The whole answer is there. */
static void answer_take(struct job *job)
{
	json_t *answer;

	if (!job->size) {
		job_closes(job);
		return;
	}
	job->text[job->size] = '\0';
	answer = json_loadb(job->text, job->size, 0, NULL);
	if (json_is_object(answer)) {
		job_drop(job);
		job->answered_ms = ms_now();
		job->answer = answer;
		return;
	}
	json_decref(answer);
	/* Versions that spoke no JSON answered so. */
	job_fails(job, job->state,
		  strncmp(job->text, "error: ", 7) ? not_understood
						   : other_version);
}

static void answer_read(struct job *job)
{
	size_t room = job->size + ANSWER_STEP;
	char *grown = realloc(job->text, room + 1);
	ssize_t got;

	if (!grown || room > ANSWER_MAX) {
		job->text = grown ? grown : job->text;
		job_fails(job, job->state, "the answer is too long");
		return;
	}
	job->text = grown;
	got = recv(job->fd, job->text + job->size, ANSWER_STEP, 0);
	if (got > 0)
		job->size += (size_t)got;
	else if (!got || (errno != EAGAIN && errno != EINTR))
		answer_take(job);
}

/* Sends the request, over the connection that is there or a new one. */
static bool request_send(struct job *job, const char *line)
{
	size_t length = strlen(line);

	if (job->fd < 0 && !job_reconnect(job)) {
		if (errno != EAGAIN)
			job_fails(job, JOB_ENDED, "it ended");
		return false;
	}
	if (send(job->fd, line, length, MSG_NOSIGNAL) == (ssize_t)length)
		return true;
	job_closes(job);
	return false;
}

/* Makes one turn: polls the jobs that were asked, and tries again to ask those
 * whose queue was full. Returns false if there is nobody left to wait for. */
static bool ask_turn(struct jobs *jobs, const char *line, int64_t begun,
		     int64_t deadline, struct pollfd *polls)
{
	int64_t left = deadline - ms_now();
	bool busy = false;
	int count = 0;

	for (int i = 0; i < jobs->count; i++) {
		struct job *job = &jobs->list[i];

		polls[i].fd = -1;
		if (job->asked && job_stopped(job, begun))
			job_fails(job, JOB_SILENT, "");
		if (!job->asked)
			continue;
		count++;
		if (!job->text && request_send(job, line))
			job->text = calloc(1, 1);
		busy |= job->asked && job->fd < 0;
		polls[i].fd = job->asked ? job->fd : -1;
		polls[i].events = POLLIN;
	}
	if (!count || left <= 0 || ask_stopped)
		return false;
	if (left > STOPPED_MS)
		left = STOPPED_MS;
	if (busy && left > AGAIN_MS)
		left = AGAIN_MS;
	if (poll(polls, (nfds_t)jobs->count, (int)left) < 1)
		return true;
	for (int i = 0; i < jobs->count; i++)
		if (polls[i].fd >= 0 && polls[i].revents)
			answer_read(&jobs->list[i]);
	return true;
}

/* Writes the whole line, with the time by which an order has to be carried out.
 * Returns false if it is too long. */
static bool line_write(char line[REQUEST_MAX], const struct request *request,
		       int64_t deadline)
{
	int64_t left = deadline - ms_now() - ANSWER_MS;
	char *text;
	int length;

	if (request->order)
		json_object_set_new(
			request->json, "until",
			json_integer(clock_ms(CLOCK_REALTIME) + left));
	text = json_dumps(request->json, JSON_COMPACT);
	length = snprintf(line, REQUEST_MAX, "%s\n", text ? text : "");
	free(text);
	return length < REQUEST_MAX;
}

/* Forgets what the job answered before. */
static void job_begin(struct job *job)
{
	json_decref(job->answer);
	job->answer = NULL;
	job->size = 0;
	*job->error = '\0';
}

/* Whether the answer has that field, which is a list of devices or pools, a
 * recording, or a text. */
static bool field_fits(const json_t *answer, const char *name)
{
	const json_t *field = json_object_get(answer, name);

	if (!strcmp(name, "devices") || !strcmp(name, "pools"))
		return json_is_array(field);
	return strcmp(name, "recording") ? json_is_string(field)
					 : json_is_object(field);
}

/* What is wrong with an answer, or NULL if it is one to such a request. */
static const char *answer_fault(const json_t *answer,
				const struct request *request)
{
	const json_t *schema = json_object_get(answer, "schema");
	const json_t *error = json_object_get(answer, "error");

	if (json_is_integer(schema) &&
	    json_integer_value(schema) != ANSWER_SCHEMA)
		return other_version;
	if (json_is_string(error))
		return json_string_value(error);
	return !error && field_fits(answer, request->answer) ? NULL
							     : not_understood;
}

/* Leaves the job with an answer, or with an error. */
static void answer_check(struct job *job, const struct request *request)
{
	json_t *answer = job->answer;
	const char *fault = answer ? answer_fault(answer, request) : NULL;

	if (!fault)
		return;
	job->answer = NULL;
	job_fails(job, job->state, fault);
	json_decref(answer);
}

void jobs_ask(struct jobs *jobs, const struct request *request,
	      int64_t deadline)
{
	struct pollfd *polls = calloc((size_t)jobs->count + 1, sizeof(*polls));
	int64_t begun = ms_now();
	char line[REQUEST_MAX];
	bool fits = line_write(line, request, deadline);

	for (int i = 0; i < jobs->count; i++) {
		if (!jobs->list[i].asked)
			continue;
		job_begin(&jobs->list[i]);
		if (!fits)
			job_fails(&jobs->list[i], jobs->list[i].state,
				  "the request is too long");
	}
	while (polls && ask_turn(jobs, line, begun, deadline, polls))
		;
	for (int i = 0; i < jobs->count; i++) {
		struct job *job = &jobs->list[i];

		if (job->asked)
			job_fails(job, JOB_SILENT, "");
		answer_check(job, request);
	}
	free(polls);
}

void jobs_ask_all(struct jobs *jobs, const struct request *request,
		  int64_t deadline)
{
	for (int i = 0; i < jobs->count; i++)
		jobs->list[i].asked = jobs->list[i].state == JOB_SERVES;
	jobs_ask(jobs, request, deadline);
}

void jobs_ask_stat(struct jobs *jobs, bool all, int64_t deadline)
{
	const struct request request = {json_pack("{s:s}", "command", "stat"),
					"devices", false};

	(all ? jobs_ask_all : jobs_ask)(jobs, &request, deadline);
	json_decref(request.json);
}

/* The program may have ended while others were asked. */
static void loaded_review(struct job *job)
{
	if (job->state == JOB_LOADED && strchr("?ZX", process_state(job->pid)))
		job->state = JOB_ENDED;
}

void jobs_look(struct jobs *jobs, int64_t deadline)
{
	jobs_find(jobs);
	jobs_ask_stat(jobs, true, deadline);
	for (int i = 0; i < jobs->count; i++)
		loaded_review(&jobs->list[i]);
}
