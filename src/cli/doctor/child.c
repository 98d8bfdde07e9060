#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"

enum { TEXT_MAX = 1 << 20 /* bytes */ };

static int64_t ms_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void child_become(char *const argv[], const char *variable,
			 const char *value, int out)
{
	int null = open("/dev/null", O_RDONLY);

	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (value)
		setenv(variable, value, 1);
	execv(argv[0], argv);
	_exit(127);
}

/* Reads to the end. Returns false if the time is over, or reading fails. What
 * exceeds TEXT_MAX is lost. */
static bool text_read(int fd, char *text, int64_t deadline)
{
	struct pollfd ready = {fd, POLLIN, 0};
	char rest[4096];
	size_t size = 0;
	ssize_t got = 1;

	while (got > 0) {
		int64_t left = deadline - ms_now();

		if (left <= 0 || poll(&ready, 1, (int)left) < 1)
			break;
		if (size < TEXT_MAX)
			got = read(fd, text + size, TEXT_MAX - size);
		else
			got = read(fd, rest, sizeof(rest));
		if (got > 0 && size < TEXT_MAX)
			size += (size_t)got;
	}
	text[size] = '\0';
	return got == 0;
}

bool child_run(struct child *child, char *const argv[], const char *variable,
	       const char *value, int limit_ms)
{
	int ends[2];
	pid_t pid;

	child->text = malloc(TEXT_MAX + 1);
	if (!child->text)
		return false;
	if (pipe2(ends, O_CLOEXEC)) {
		free(child->text);
		return false;
	}
	pid = fork();
	if (!pid)
		child_become(argv, variable, value, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		child->late =
			!text_read(ends[0], child->text, ms_now() + limit_ms);
		if (child->late)
			kill(pid, SIGKILL);
		waitpid(pid, &child->status, 0);
	} else {
		free(child->text);
	}
	close(ends[0]);
	return pid > 0;
}

char *line_find(const char *text, const char *words)
{
	size_t length = strlen(words);

	while (text && strncmp(text, words, length)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text)
		return NULL;
	text += length;
	return strndup(text, strcspn(text, "\n"));
}
