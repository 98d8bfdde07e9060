#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "scale.h"

enum { LOOK_MS = 100, SHOW_AFTER_MS = 500, STEPS = 4096 };

/* A player whose files are open. */
struct launched {
	pid_t pid;
	int result, ended; /* descriptors; `ended` is one end of a pipe, whose
			    * other end the player has */
	struct player_result *map;
};

static bool bytes_write(int fd, const void *from, size_t size)
{
	while (size) {
		ssize_t wrote = write(fd, from, size);

		if (wrote < 0 && errno != EINTR)
			return false;
		wrote = wrote > 0 ? wrote : 0;
		from = (const char *)from + wrote;
		size -= (size_t)wrote;
	}
	return true;
}

static bool steps_write(int fd, const struct script *script, double scale)
{
	static struct script_step part[STEPS];
	const struct player_start start = {
		.devices = (uint32_t)script->devices,
		.marks_told = script->marks_are_told,
		.requests = script->requests,
		.marks = script->marks,
	};
	bool fits = bytes_write(fd, &start, sizeof(start));
	size_t count;

	for (size_t i = 0; fits && i < script->count; i += count) {
		count = script->count - i < STEPS ? script->count - i : STEPS;
		for (size_t j = 0; j < count; j++)
			part[j] = scaled_step(&script->steps[i + j], scale);
		fits = bytes_write(fd, part, count * sizeof(*part));
	}
	return fits;
}

bool steps_open(struct steps_file *steps, const struct script *script,
		double scale)
{
	steps->count = script->count;
	steps->fd = memfd_create("mnm-steps", MFD_CLOEXEC);
	if (steps->fd >= 0 && steps_write(steps->fd, script, scale))
		return true;
	failure("no memory for %zu steps: %s", script->count, strerror(errno));
	steps_close(steps);
	return false;
}

void steps_close(struct steps_file *steps)
{
	if (steps->fd >= 0)
		close(steps->fd);
	steps->fd = -1;
}

/* In the child. It ends with its parent. */
static void player_become(const struct steps_file *steps, int result,
			  const char *pool)
{
	static char name[] = "mnm", command[] = "replay", play[] = "--play",
		    file[] = "-";
	char *const argv[] = {name, command, play, file, NULL};

	int from[] = {fcntl(steps->fd, F_DUPFD_CLOEXEC, PLAYER_RESULT + 1),
		      fcntl(result, F_DUPFD_CLOEXEC, PLAYER_RESULT + 1)};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("MNM_POOL", pool, 1);
	if (dup2(from[0], PLAYER_STEPS) < 0 ||
	    dup2(from[1], PLAYER_RESULT) < 0 ||
	    lseek(PLAYER_STEPS, 0, SEEK_SET) < 0)
		_exit(EXIT_FAILED);
	execv("/proc/self/exe", argv);
	_exit(EXIT_NOT_FOUND);
}

static bool launch(struct launched *launched, const struct steps_file *steps,
		   const char *pool)
{
	size_t size = sizeof(*launched->map);
	int ends[2];

	launched->map = MAP_FAILED;
	launched->result = memfd_create("mnm-result", MFD_CLOEXEC);
	if (launched->result < 0 || ftruncate(launched->result, (off_t)size))
		return false;
	launched->map =
		mmap(NULL, size, PROT_READ, MAP_SHARED, launched->result, 0);
	if (launched->map == MAP_FAILED || pipe(ends))
		return false;
	launched->ended = ends[0];
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	launched->pid = fork();
	if (!launched->pid)
		player_become(steps, launched->result, pool);
	close(ends[1]);
	return launched->pid > 0;
}

static void progress_show(const struct steps_file *steps, const char *title,
			  const struct player_result *result)
{
	fprintf(stderr, "\r\033[K%s: %.0f %%; Ctrl-C ends it", title,
		100.0 * (double)result->steps /
			(double)(steps->count ? steps->count : 1));
	fflush(stderr);
}

/* Waits for the player's end, which closes its end of the pipe. */
static void await(const struct launched *launched,
		  const struct steps_file *steps, const char *title)
{
	struct pollfd ended = {.fd = launched->ended, .events = POLLIN};
	int64_t begun = progress_ms();
	bool shown = false;

	while (poll(&ended, 1, LOOK_MS) <= 0 && !stop_came()) {
		if (!progress_obeys() || progress_ms() - begun < SHOW_AFTER_MS)
			continue;
		progress_show(steps, title, launched->map);
		shown = true;
	}
	if (shown)
		progress_clear();
}

static bool verdict(const struct launched *launched, int status,
		    const char *title)
{
	const struct player_result *result = launched->map;

	if (stop_came())
		return false;
	if (result->state == PLAYER_FAILED)
		failure("%s: %.*s", title, STAGE_WHAT, result->what);
	else if (WIFSIGNALED(status))
		failure("%s: the player was ended by signal %d", title,
			WTERMSIG(status));
	else if (result->state == PLAYER_PLAYS)
		failure("%s: the player could not start: exit status %d", title,
			WEXITSTATUS(status));
	else
		return true;
	return false;
}

bool player_run(const struct steps_file *steps, const char *pool,
		const char *title, struct player_result *result)
{
	struct launched launched = {.pid = -1, .ended = -1};
	bool good = launch(&launched, steps, pool);
	int status = 0;

	if (good) {
		await(&launched, steps, title);
		if (stop_came())
			kill(launched.pid, SIGKILL);
		waitpid(launched.pid, &status, 0);
		good = verdict(&launched, status, title);
		memcpy(result, launched.map, sizeof(*result));
	} else {
		failure("no player can be started: %s", strerror(errno));
	}
	if (launched.ended >= 0)
		close(launched.ended);
	if (launched.map != MAP_FAILED)
		munmap(launched.map, sizeof(*launched.map));
	if (launched.result >= 0)
		close(launched.result);
	return good;
}
