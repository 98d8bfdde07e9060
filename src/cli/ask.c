#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "ask.h"
#include "cli.h"
#include "protocol.h"

enum { ANSWER_SECONDS = 5 };

static bool dir_find(char *dir, size_t size)
{
	const char *chosen = getenv("MNM_SOCKET_DIR");

	return socket_dir(chosen ? chosen : "", dir, size);
}

/* A connected socket, or -1 and errno. A stale address is removed. */
static int ask_connect(int pid)
{
	const struct timeval patience = {ANSWER_SECONDS, 0};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char dir[sizeof(address.sun_path)];
	int fd;

	errno = ENAMETOOLONG;
	if (!dir_find(dir, sizeof(dir)) ||
	    !socket_path(dir, pid, address.sun_path, sizeof(address.sun_path)))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	if (errno == ECONNREFUSED)
		unlink(address.sun_path);
	close(fd);
	return -1;
}

static char *answer_read(int fd)
{
	char *text = NULL, buffer[4096];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	ssize_t got;

	if (!out)
		return NULL;
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, (size_t)got, out);
	fclose(out);
	if (got < 0 || !size) {
		free(text);
		return NULL;
	}
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
	dir = dir_find(path, sizeof(path)) ? opendir(path) : NULL;
	if (!dir && errno != ENOENT) {
		failure("%s: %s", path, strerror(errno));
		return -1;
	}
	while (dir && (entry = readdir(dir))) {
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
	if (dir)
		closedir(dir);
	if (count)
		qsort(*pids, (size_t)count, sizeof(int), pids_compare);
	return count;
}
