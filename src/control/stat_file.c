#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "mem/config.h"
#include "common/file_stat.h"
#include "common/log.h"
#include "mem/mem.h"
#include "stat_file.h"

enum { READER_MS = 1000 };

/* Writes the path with %p replaced by the pid. */
static void path_expand(const char *from, char *to, size_t size)
{
	size_t used = 0;

	to[0] = '\0';
	while (*from && used + 1 < size) {
		if (from[0] == '%' && from[1] == 'p') {
			used += (size_t)snprintf(to + used, size - used, "%d",
						 (int)getpid());
			from += 2;
			continue;
		}
		to[used++] = *from++;
		to[used] = '\0';
	}
}

/* Writes all of the text. Waits for a slow reader no longer than READER_MS at a
 * time. */
static bool text_write(int fd, const char *text)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	size_t left = strlen(text);
	ssize_t written;

	while (left) {
		written = write(fd, text, left);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 &&
		    (errno != EAGAIN || poll(&ready, 1, READER_MS) < 1))
			return false;
		if (written < 0)
			continue;
		text += written;
		left -= (size_t)written;
	}
	return true;
}

/* Writes into something that is not a file of its own: a terminal, a pipe,
 * /dev/stderr. If a pipe has no reader, that is an error at once. */
static bool device_write(const char *path, const char *text)
{
	int fd = open(path,
		      O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool written = fd >= 0 && text_write(fd, text);
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
	return written;
}

/* Writes the file so that it is there as a whole or not at all. */
static bool file_write(const char *path, const char *text)
{
	char early[PATH_MAX + 32];
	bool written;
	int fd, saved;

	snprintf(early, sizeof(early), "%s.%d.new", path, (int)getpid());
	unlink(early);
	fd = open(early, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	written = text_write(fd, text);
	if (close(fd)) /* a full disk may show here */
		written = false;
	if (written && !rename(early, path))
		return true;
	saved = errno;
	unlink(early);
	errno = saved;
	return false;
}

/* Whether the path names something that is open already. It may be a file,
 * which must not be replaced by another. Not all of /dev is such: /dev/shm
 * holds files. */
static bool names_open_one(const char *path)
{
	static const char *const starts[] = {"/dev/std", "/dev/fd/", "/proc/"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(path, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Whether the path is a link that belongs neither to root nor to the user. In a
 * folder that others may write to, it could lead to any file of the user's. */
static bool is_anothers_link(const char *path)
{
	struct stat st;

	return !file_stat(path, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISLNK(st.st_mode) && st.st_uid && st.st_uid != geteuid();
}

static bool path_write(const char *path, const char *text)
{
	char *target;
	struct stat st;
	bool written;

	if (names_open_one(path))
		return device_write(path, text);
	if (is_anothers_link(path)) {
		errno = EACCES;
		return false;
	}
	if (!file_stat(path, &st, 0) && !S_ISREG(st.st_mode))
		return device_write(path, text);
	target = realpath(path, NULL); /* a link to a file stays one */
	written = file_write(target ? target : path, text);
	free(target);
	return written;
}

/* Signals that a failed write raises must neither end the program nor be left
 * pending for it. */
static bool quietly_write(const char *path, const char *text)
{
	const struct timespec now = {0, 0};
	sigset_t ours, before, pending;
	bool written;
	int saved;

	sigemptyset(&ours);
	sigpending(&pending);
	if (!sigismember(&pending, SIGPIPE))
		sigaddset(&ours, SIGPIPE);
	if (!sigismember(&pending, SIGXFSZ))
		sigaddset(&ours, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &ours, &before);
	written = path_write(path, text);
	saved = errno;
	while (sigtimedwait(&ours, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return written;
}

static void stat_file_write(void)
{
	char path[sizeof(config_current()->stat_file) + 16];
	size_t size;
	char *line;

	if (!mem_enabled())
		return;
	path_expand(config_current()->stat_file, path, sizeof(path));
	line = command_stat(&size);
	errno = ENOMEM;
	if (!line || !quietly_write(path, line))
		log_warn("statistics not written to %s: %s", path,
			 strerror(errno));
	free(line);
}

void stat_file_promise(void)
{
	if (*config_current()->stat_file)
		atexit(stat_file_write);
}
