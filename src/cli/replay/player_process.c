#include "player_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"

enum { ROOM_MS = 100 };

bool bytes_write(int fd, const void *from, size_t size)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};

	while (size) {
		ssize_t wrote = write(fd, from, size);

		if (wrote < 0 && errno == EAGAIN && !stop_came())
			poll(&room, 1, ROOM_MS);
		else if (wrote < 0 && errno != EINTR)
			return false;
		wrote = wrote > 0 ? wrote : 0;
		from = (const char *)from + wrote;
		size -= (size_t)wrote;
	}
	return true;
}

/* In the child. Either descriptor may be in the other's place. */
static void player_become(int steps, int result, const char *pool)
{
	static char name[] = "mnm", command[] = "replay", play[] = "--play",
		    file[] = "-";
	char *const argv[] = {name, command, play, file, NULL};
	int from[] = {fcntl(steps, F_DUPFD_CLOEXEC, PLAYER_RESULT + 1),
		      fcntl(result, F_DUPFD_CLOEXEC, PLAYER_RESULT + 1)};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("MNM_POOL", pool, 1);
	if (dup2(from[0], PLAYER_STEPS) < 0 || dup2(from[1], PLAYER_RESULT) < 0)
		_exit(EXIT_FAILED);
	execv("/proc/self/exe", argv);
	_exit(EXIT_NOT_FOUND);
}

/* Maps a new file for the result. Returns its descriptor, or -1. */
static int result_open(struct player_process *process)
{
	size_t size = sizeof(*process->result);
	int fd = memfd_create("mnm-result", MFD_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)size))
		map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	process->result = map;
	if (map != MAP_FAILED)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The player's end of the pipe is closed as it ends. */
static bool start(struct player_process *process, int steps, const char *pool)
{
	int result = result_open(process), ends[2];

	if (result < 0)
		return false;
	if (pipe(ends)) {
		close(result);
		return false;
	}
	process->ended = ends[0];
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	process->pid = fork();
	if (!process->pid)
		player_become(steps, result, pool);
	close(ends[1]);
	close(result);
	return process->pid > 0;
}

bool player_process_start(struct player_process *process, int steps,
			  const char *pool)
{
	process->ended = -1;
	if (start(process, steps, pool))
		return true;
	failure("no player can be started: %s", strerror(errno));
	player_process_close(process);
	return false;
}

static bool verdict(const struct player_result *result, int status,
		    const char *title)
{
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

bool player_process_end(struct player_process *process, const char *title)
{
	int status = 0;

	if (stop_came())
		kill(process->pid, SIGKILL);
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	return !stop_came() && verdict(process->result, status, title);
}

void player_process_close(struct player_process *process)
{
	if (process->ended >= 0)
		close(process->ended);
	if (process->result != MAP_FAILED)
		munmap((void *)process->result, sizeof(*process->result));
	process->ended = -1;
	process->result = MAP_FAILED;
}
