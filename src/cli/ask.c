#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "cli.h"
#include "protocol.h"

enum {
	ANSWER_MS = 5000,
	ANSWER_MAX = 1 << 20, /* bytes */
};

/* The folder of the sockets. False: there is none (errno ENOENT), or it is
 * not to be trusted, which has been said. */
static bool dir_find(char *dir, size_t size)
{
	const char *chosen = getenv("MNM_SOCKET_DIR");
	char error[256];

	errno = 0;
	if (!socket_dir(chosen ? chosen : "", dir, size)) {
		failure("MNM_SOCKET_DIR or XDG_RUNTIME_DIR: path is too long");
		return false;
	}
	if (socket_dir_check(dir, error, sizeof(error)))
		return true;
	if (errno != ENOENT) {
		failure("%s", error);
		errno = EPERM;
	}
	return false;
}

/* A connected socket, or -1 and errno. A stale address is removed. */
static int ask_connect(int pid)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char dir[sizeof(address.sun_path)];
	int fd;

	if (!dir_find(dir, sizeof(dir)))
		return -1;
	errno = ENAMETOOLONG;
	if (!socket_path(dir, pid, address.sun_path, sizeof(address.sun_path)))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	if (errno == ECONNREFUSED && kill(pid, 0) && errno == ESRCH)
		unlink(address.sun_path);
	close(fd);
	return -1;
}

static int64_t ms_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads some bytes until the deadline; as read, and -1 after it. */
static ssize_t read_until(int fd, char *buffer, size_t size, int64_t deadline)
{
	struct pollfd ready = {fd, POLLIN, 0};
	int64_t left = deadline - ms_now();

	if (left <= 0 || poll(&ready, 1, (int)left) < 1)
		return -1;
	return read(fd, buffer, size);
}

/* What a program may not do to a terminal. */
static void answer_clean(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text) && *text != '\n')
			*text = '?';
}

static char *answer_read(int fd)
{
	int64_t deadline = ms_now() + ANSWER_MS;
	char *text = malloc(ANSWER_MAX + 1);
	size_t size = 0;
	ssize_t got;

	if (!text)
		return NULL;
	do {
		got = read_until(fd, text + size, ANSWER_MAX - size, deadline);
		size += got > 0 ? (size_t)got : 0;
	} while (got > 0 && size < ANSWER_MAX);
	if (got || !size) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	answer_clean(text);
	return text;
}

char *ask_text(int pid, const char *request, const char **why)
{
	char line[REQUEST_MAX], *text = NULL;
	int length = snprintf(line, sizeof(line), "%s\n", request);
	int fd = ask_connect(pid);

	*why = NULL;
	if (fd < 0) {
		if (errno != ENOENT && errno != ECONNREFUSED)
			*why = strerror(errno);
		return NULL;
	}
	*why = "request is too long";
	if (length < (int)sizeof(line)) {
		*why = "no answer";
		if (send(fd, line, (size_t)length, MSG_NOSIGNAL) == length)
			text = answer_read(fd);
	}
	close(fd);
	return text;
}

json_t *ask_json(int pid, const char *request)
{
	const char *why;
	char *text = ask_text(pid, request, &why);
	json_t *answer = NULL;

	if (!text) {
		failure("pid %d: %s", pid,
			why ? why : "no program of yours under mnm has it");
		return NULL;
	}
	if (!strncmp(text, "error: ", 7))
		failure("pid %d: %.*s", pid, (int)strcspn(text + 7, "\n"),
			text + 7);
	else if (!(answer = json_loads(text, 0, NULL)))
		failure("pid %d: the answer is not JSON", pid);
	free(text);
	return answer;
}

static int pid_of(const struct dirent *entry)
{
	char *end;
	long pid = strtol(entry->d_name, &end, 10);

	return pid > 0 && pid <= 4194304 && !strcmp(end, SOCKET_SUFFIX)
		       ? (int)pid
		       : 0;
}

static int pids_compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int ask_list(int **pids)
{
	char path[128];
	struct dirent *entry;
	int count = 0, pid, fd, *grown;
	DIR *dir;

	*pids = NULL;
	if (!dir_find(path, sizeof(path)))
		return errno == ENOENT ? 0 : -1;
	dir = opendir(path);
	if (!dir) {
		failure("%s: %s", path, strerror(errno));
		return -1;
	}
	while ((entry = readdir(dir))) {
		pid = pid_of(entry);
		fd = pid ? ask_connect(pid) : -1;
		if (fd < 0)
			continue;
		close(fd);
		grown = realloc(*pids, (size_t)(count + 1) * sizeof(int));
		if (!grown)
			break;
		*pids = grown;
		grown[count++] = pid;
	}
	closedir(dir);
	if (count)
		qsort(*pids, (size_t)count, sizeof(int), pids_compare);
	return count;
}

void device_name(const json_t *object, char name[DEVICE_NAME_SIZE])
{
	const json_t *device = json_object_get(object, "device");

	if (json_is_string(device))
		snprintf(name, DEVICE_NAME_SIZE, "%s",
			 json_string_value(device));
	else
		snprintf(name, DEVICE_NAME_SIZE, "%d",
			 (int)json_integer_value(device));
}
