#include "fleet.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "setting.h"

enum {
	JOBS_MAX = 64,
	LIMIT_MS = 60000, /* for one program; a longer run counts as a hang */
	LIMIT_SLOW_MS = 180000, /* under a sanitizer */
	PROGRESS_MS = 2000,
	LAPS_TO_JUDGE = 50, /* so many programs say how often a plan serves */
	SHOWN = 8192, /* bytes of a failed program's stderr that are shown */
};

struct job {
	pid_t pid; /* 0 if no program runs */
	int watch; /* its pidfd */
	int said;  /* file in memory that gets its stderr */
	uint64_t seed;
	long long deadline; /* ms */
	struct tally *tally;
};

static struct job jobs[JOBS_MAX];
static volatile sig_atomic_t interrupted;
static struct program program;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int limit_ms(void)
{
#ifdef PROOF_FREE
	return LIMIT_SLOW_MS;
#else
	return LIMIT_MS;
#endif
}

static void child_run(const struct fleet *fleet, const struct job *job)
{
	signal(SIGINT, SIG_IGN); /* the parent lets this one end */
	dup2(job->said, STDERR_FILENO);
	program_draw(&program, job->seed, &fleet->wish);
	if (fleet->verbose)
		program_print(&program);
	setting_apply(&program.setting, job->seed, program.device_count);
	run_program(&program, fleet->native, job->tally);
	exit(EXIT_SUCCESS);
}

static bool job_start(const struct fleet *fleet, struct job *job, uint64_t seed)
{
	memset(job->tally, 0, sizeof(*job->tally));
	if (ftruncate(job->said, 0) || lseek(job->said, 0, SEEK_SET))
		return false;
	job->seed = seed;
	fflush(stdout);
	job->pid = fork();
	if (!job->pid)
		child_run(fleet, job);
	if (job->pid < 0)
		return false;
	job->watch = pidfd_open(job->pid, 0);
	job->deadline = now_ms() + limit_ms();
	return job->watch >= 0;
}

static void tally_add(struct tally *sum, const struct tally *tally)
{
	sum->programs += tally->programs;
	sum->steps += tally->steps;
	sum->allocs += tally->allocs;
	sum->reuses += tally->reuses;
	sum->fences += tally->fences;
	sum->syncs += tally->syncs;
	sum->swaps += tally->swaps;
	sum->captures += tally->captures;
	sum->launches += tally->launches;
	sum->compared += tally->compared;
	sum->streams += tally->streams;
	sum->events += tally->events;
	sum->threads += tally->threads;
	sum->laps += tally->laps;
	sum->planned += tally->planned;
	sum->several += tally->several;
	sum->placed += tally->placed;
	sum->stepped += tally->stepped;
}

static void failure_print(const struct fleet *fleet, const struct job *job,
			  const char *why)
{
	const char *plugins = getenv("MNM_POOL_PLUGINS");
	char text[SHOWN + 1];
	ssize_t got = pread(job->said, text, SHOWN, 0);

	text[got > 0 ? got : 0] = '\0';
	program_draw(&program, job->seed, &fleet->wish);
	printf("seed %llu FAILED: %s\n", (unsigned long long)job->seed, why);
	setting_print(&program.setting);
	printf("%sreplay: ", fleet->verbose ? "" : text);
	if (plugins)
		printf("MNM_POOL_PLUGINS='%s' ", plugins);
	printf("proof --seed %llu%s", (unsigned long long)job->seed,
	       fleet->native ? " --native" : "");
	if (fleet->wish.pool)
		printf(" --pool %s", fleet->wish.pool);
	if (fleet->wish.level)
		printf(" --level %s", fleet->wish.level);
	if (fleet->wish.kind)
		printf(" --kind %s", fleet->wish.kind);
	printf("\n");
}

/* All that a program has written to stderr. */
static void said_print(const struct job *job)
{
	char text[SHOWN];
	off_t at = 0;
	ssize_t got;

	for (; (got = pread(job->said, text, sizeof(text), at)) > 0; at += got)
		fwrite(text, 1, (size_t)got, stderr);
}

/* Whether a pool of ours has answered wrongly, see MNM_CHECK_POOLS. */
static bool pool_is_off(const struct job *job)
{
	char text[SHOWN + 1];
	ssize_t got = pread(job->said, text, SHOWN, 0);

	text[got > 0 ? got : 0] = '\0';
	return strstr(text, "is switched off");
}

static void job_end(struct fleet *fleet, struct job *job, bool late)
{
	char why[64] = "";
	int status;

	if (late)
		kill(job->pid, SIGKILL);
	waitpid(job->pid, &status, 0);
	close(job->watch);
	job->pid = 0;
	if (fleet->verbose)
		said_print(job);
	if (late)
		snprintf(why, sizeof(why), "it hangs");
	else if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		snprintf(why, sizeof(why), "status %d", WEXITSTATUS(status));
	else if (job->tally->failures)
		snprintf(why, sizeof(why), "%lu failures",
			 job->tally->failures);
	else if (pool_is_off(job))
		snprintf(why, sizeof(why), "a pool was switched off");
	else if (!job->tally->finished)
		snprintf(why, sizeof(why), "it ended early");
	tally_add(&fleet->sum, job->tally);
	if (!*why)
		return;
	fleet->sum.failures++;
	failure_print(fleet, job, why);
}

/* Waits until some job has ended or has run out of time. */
static void jobs_wait(struct fleet *fleet)
{
	struct pollfd polls[JOBS_MAX];
	struct job *polled[JOBS_MAX];
	long long now = now_ms(), wait = PROGRESS_MS;
	nfds_t count = 0;

	for (int i = 0; i < fleet->jobs; i++) {
		if (!jobs[i].pid)
			continue;
		if (jobs[i].deadline - now < wait)
			wait = jobs[i].deadline - now;
		polls[count] = (struct pollfd){jobs[i].watch, POLLIN, 0};
		polled[count++] = &jobs[i];
	}
	if (poll(polls, count, wait > 0 ? (int)wait : 0) < 0 && errno != EINTR)
		perror("poll");
	now = now_ms();
	for (nfds_t i = 0; i < count; i++)
		if (polls[i].revents || polled[i]->deadline <= now)
			job_end(fleet, polled[i], !polls[i].revents);
}

static bool jobs_open(int count)
{
	struct tally *tallies =
		mmap(NULL, sizeof(*tallies) * (size_t)count,
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (tallies == MAP_FAILED)
		return false;
	for (int i = 0; i < count; i++) {
		jobs[i].tally = &tallies[i];
		jobs[i].said = memfd_create("said", MFD_CLOEXEC);
		if (jobs[i].said < 0)
			return false;
	}
	return true;
}

static void progress_print(const struct fleet *fleet)
{
	static long long next;

	if (!isatty(STDOUT_FILENO) || now_ms() < next)
		return;
	next = now_ms() + PROGRESS_MS;
	printf("\r%lu programs, %lu failures ", fleet->sum.programs,
	       fleet->sum.failures);
	fflush(stdout);
}

/* If plans were not followed, the programs of laps would prove nothing. */
static bool plans_are_followed(const struct tally *sum)
{
	if (sum->laps < LAPS_TO_JUDGE ||
	    (sum->placed >= sum->laps / 3 && sum->stepped >= sum->laps / 10))
		return true;
	printf("FAILED: of %lu programs of laps, only %lu followed a plan, and "
	       "%lu without a lock\n",
	       sum->laps, sum->placed, sum->stepped);
	return false;
}

bool fleet_run(struct fleet *fleet)
{
	const struct sigaction on = {.sa_handler = on_interrupt};
	unsigned long started = 0;
	bool more = true;
	int busy;

	if (fleet->jobs > JOBS_MAX)
		fleet->jobs = JOBS_MAX;
	sigaction(SIGINT, &on, NULL);
	sigaction(SIGTERM, &on, NULL);
	if (!jobs_open(fleet->jobs)) {
		perror("proof");
		return false;
	}
	do {
		busy = 0;
		for (int i = 0; i < fleet->jobs; i++) {
			more = !interrupted &&
			       (!fleet->count || started < fleet->count);
			if (!jobs[i].pid && more &&
			    !job_start(fleet, &jobs[i],
				       fleet->first + started++)) {
				perror("proof");
				return false;
			}
			busy += jobs[i].pid != 0;
		}
		if (busy)
			jobs_wait(fleet);
		progress_print(fleet);
	} while (busy);
	return plans_are_followed(&fleet->sum) && !fleet->sum.failures;
}
