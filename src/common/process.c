#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

enum { START_FIELD = 19 }; /* among those after the program's name and ')' */

ssize_t process_read(int pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t got = 1;
	size_t used = 0;
	int fd;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	else
		snprintf(path, sizeof(path), "/proc/self/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (used + 1 < size && got) {
		got = read(fd, text + used, size - 1 - used);
		if (got < 0 && errno != EINTR)
			break;
		used += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	text[used] = '\0';
	return got < 0 ? -1 : (ssize_t)used;
}

int process_words(int pid, char *text, size_t size,
		  const char *words[PROCESS_WORDS])
{
	ssize_t length = process_read(pid, "cmdline", text, size);
	int count = 0;

	for (ssize_t at = 0; at < length && count < PROCESS_WORDS;
	     at += (ssize_t)strlen(text + at) + 1)
		words[count++] = text + at;
	return count;
}

/* The fields of the process's line after the program's name, which may hold
 * anything; NULL if the line can't be read. */
static const char *fields_read(int pid, char *text, size_t size)
{
	char *end;

	if (process_read(pid, "stat", text, size) < 0)
		return NULL;
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end + 2 : NULL;
}

char process_state(int pid)
{
	char text[1024];
	const char *fields = fields_read(pid, text, sizeof(text));

	return fields ? *fields : '?';
}

/* The kernel tells the time since the machine's start. */
int64_t process_start(int pid)
{
	char text[1024];
	const char *at = fields_read(pid, text, sizeof(text));
	long hertz = sysconf(_SC_CLK_TCK);
	struct timespec up;
	int64_t age;

	for (int i = 0; at && i < START_FIELD; i++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	if (!at || hertz <= 0 || clock_gettime(CLOCK_BOOTTIME, &up))
		return 0;
	age = up.tv_sec -
	      (int64_t)(strtoull(at, NULL, 10) / (unsigned long long)hertz);
	return time(NULL) - age;
}
