#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "cli.h"
#include "common/option.h"
#include "common/pool_choice.h"
#include "descriptors.h"
#include "output.h"
#include "print.h"
#include "common/text.h"

/* The columns' widths. A line has at most 79 characters; with users, or where a
 * pool's name has a backing, the program's column is narrower. With both, it
 * keeps its least width, and lines are longer. */
enum {
	PROGRAM_WIDTH = 18,
	PROGRAM_LEAST = 9,
	USER_WIDTH = 8,
	POOL_WIDTH = 14,
	BACKED_WIDTH = 21, /* of a pool's name with its backing */
	NAME_SIZE = 64,
	HITS_SIZE = 16,
};

struct table {
	bool users; /* the programs have several users */
	int pool_width;
};

static int program_width(const struct table *table)
{
	int width = PROGRAM_WIDTH - (table->users ? USER_WIDTH + 1 : 0) -
		    (table->pool_width - POOL_WIDTH);

	return width < PROGRAM_LEAST ? PROGRAM_LEAST : width;
}

static void user_print(const struct table *table, uid_t uid)
{
	const struct passwd *user = table->users ? getpwuid(uid) : NULL;
	char name[USER_WIDTH + 1];

	if (user)
		text_plain(user->pw_name, name, sizeof(name));
	else
		snprintf(name, sizeof(name), "%u", (unsigned int)uid);
	if (table->users)
		printf("%-*s ", USER_WIDTH, name);
}

static void start_print(const struct table *table, const struct job *job,
			const char *device)
{
	char title[NAME_SIZE];
	int width = program_width(table);

	printf("%7d  ", job->pid);
	user_print(table, job->uid);
	printf("%-*.*s %6s  ", width, width,
	       job_title(job, title, sizeof(title)), device);
}

/* The share of the requests that idle blocks have served. */
static const char *hits_text(const json_t *device, char text[HITS_SIZE])
{
	int64_t allocs = field_number(device, "allocs");
	int64_t hits = field_number(device, "hits");
	int tenths;

	if (!allocs)
		return "-";
	if (allocs < 0 || hits < 0 || hits > allocs)
		return "?";
	tenths = (int)(1000 * (double)hits / (double)allocs);
	if (hits == allocs)
		return "100 %";
	snprintf(text, HITS_SIZE, "%d.%d %%", tenths / 10, tenths % 10);
	return text;
}

static void device_print(const struct table *table, const struct job *job,
			 const json_t *device)
{
	char name[DEVICE_NAME_SIZE], pool[NAME_SIZE], live[TEXT_BYTES_SIZE],
		reserved[TEXT_BYTES_SIZE], hits[HITS_SIZE];

	start_print(table, job, field_device(device, name));
	printf("%-*.*s  %8s  %8s  %6s\n", table->pool_width, table->pool_width,
	       field_text(device, "pool", pool, sizeof(pool)),
	       text_bytes(field_live(device), live),
	       text_bytes(field_number(device, "device_bytes"), reserved),
	       hits_text(device, hits));
}

/* Whether the job should have answered and has not. */
static bool is_odd(const struct job *job)
{
	return job->state != JOB_ENDED && job->state != JOB_LOADED &&
	       !job->answer;
}

static void job_print(const struct table *table, const struct job *job)
{
	const json_t *devices = json_object_get(job->answer, "devices");
	size_t count = field_count(job->answer, "devices", DEVICE_ALL);

	for (size_t i = 0; i < count; i++)
		device_print(table, job, json_array_get(devices, i));
	if (count)
		return;
	printf("%s", is_odd(job) ? highlight(HIGHLIGHT_WARNING) : "");
	start_print(table, job, "-");
	printf("%.38s%s\n",
	       job->answer ? "no device in use yet" : job_excuse(job),
	       is_odd(job) ? highlight(HIGHLIGHT_END) : "");
}

/* Whether a pool's name has a backing. */
static bool is_backed(const struct job *job)
{
	const json_t *devices = json_object_get(job->answer, "devices");
	size_t count = field_count(job->answer, "devices", DEVICE_ALL);
	char pool[POOL_CHOICE_SIZE];

	for (size_t i = 0; i < count; i++)
		if (strchr(field_text(json_array_get(devices, i), "pool", pool,
				      sizeof(pool)),
			   '@'))
			return true;
	return false;
}

static void table_print(const struct jobs *jobs)
{
	struct table table = {.pool_width = POOL_WIDTH};

	for (int i = 0; i < jobs->count; i++) {
		table.users |= jobs->list[i].uid != jobs->list[0].uid;
		if (is_backed(&jobs->list[i]))
			table.pool_width = BACKED_WIDTH;
	}
	printf("%s%7s  ", highlight(HIGHLIGHT_HEAD), "PID");
	if (table.users)
		printf("%-*s ", USER_WIDTH, "USER");
	printf("%-*s %6s  %-*s  %8s  %8s  %6s%s\n", program_width(&table),
	       "PROGRAM", "DEVICE", table.pool_width, "POOL", "LIVE",
	       "RESERVED", "HITS", highlight(HIGHLIGHT_END));
	for (int i = 0; i < jobs->count; i++)
		if (jobs->list[i].state != JOB_ENDED)
			job_print(&table, &jobs->list[i]);
}

static void list_print(const struct jobs *jobs)
{
	json_t *list = json_array();

	for (int i = 0; i < jobs->count; i++)
		if (jobs->list[i].state != JOB_ENDED)
			json_array_append_new(list, job_json(&jobs->list[i]));
	json_print(list);
	json_decref(list);
}

/* Takes one look at all programs, which is over by the deadline. Returns the
 * exit status. */
static int look(const struct arguments *arguments, int64_t deadline)
{
	int status = EXIT_DONE;
	struct jobs jobs;

	jobs_look(&jobs, deadline);
	for (int i = 0; i < jobs.count; i++)
		if (is_odd(&jobs.list[i]))
			status = EXIT_FAILED;
	if (jobs.failed)
		status = EXIT_FAILED;
	if (ask_stopped)
		; /* a job that may still answer is not silent */
	else if (arguments->json)
		list_print(&jobs);
	else if (jobs.count || !jobs.failed)
		table_print(&jobs);
	if (!jobs.count && !jobs.failed && !arguments->json &&
	    !arguments->watch)
		failure("no program of yours runs under mnm");
	jobs_close(&jobs);
	return status;
}

static void stop(int signal)
{
	(void)signal;
	ask_stopped = 1;
}

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

static void stop_on_signals(void)
{
	struct sigaction action = {.sa_handler = stop};

	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		sigaction(stops[i], &action, NULL);
}

/* Waits for so many seconds. A signal ends the wait, even one that has just
 * come. */
static void rest(double seconds)
{
	struct timespec step = {(time_t)seconds, 0};
	sigset_t set, before;

	step.tv_nsec = (long)((seconds - (double)step.tv_sec) * 1e9);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		sigaddset(&set, stops[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	if (!ask_stopped)
		ppoll(NULL, 0, &step, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Looks again and again, until it is stopped or nobody reads. */
static int watch(const struct arguments *arguments)
{
	bool clears = !arguments->json && output_obeys();
	int64_t patience = (int64_t)(arguments->watch * 1000);
	bool again = false;

	if (patience < 1000)
		patience = 1000;
	if (patience > COMMAND_MS)
		patience = COMMAND_MS;
	stop_on_signals();
	while (!ask_stopped && !ferror(stdout)) {
		if (clears)
			printf("\033[H\033[2J");
		else if (again && !arguments->json)
			putchar('\n');
		again = true;
		look(arguments, ms_now() + patience);
		fflush(stdout);
		rest(arguments->watch);
	}
	if (clears)
		putchar('\n'); /* after the ^C that the terminal shows */
	return EXIT_DONE;
}

int ps_run(const struct command *command, const struct arguments *arguments)
{
	int64_t deadline = ms_now() + COMMAND_MS;

	(void)command;
	descriptors_raise();
	return arguments->watch > 0 ? watch(arguments)
				    : look(arguments, deadline);
}
