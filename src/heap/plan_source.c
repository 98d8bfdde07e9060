#include "plan_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file_stat.h"
#include "common/option.h"
#include "plan/job.h"
#include "plan/plan_file.h"

enum { FD_LEAST = 64 };

static const char *source = "";

void plan_source_set(const char *option)
{
	source = option;
}

bool plan_source_is_set(void)
{
	return *source;
}

void plan_source_path(unsigned int device, char path[PLAN_SOURCE_SIZE])
{
	size_t used = 0;

	*path = '\0';
	for (const char *from = source; *from && used + 1 < PLAN_SOURCE_SIZE;) {
		size_t left = PLAN_SOURCE_SIZE - used;

		if (from[0] != '%' || from[1] != 'd') {
			path[used++] = *from++;
			path[used] = '\0';
			continue;
		}
		if (device == DEVICE_HOST)
			used += (size_t)snprintf(path + used, left, "host");
		else
			used += (size_t)snprintf(path + used, left, "%u",
						 device);
		from += 2;
	}
}

/* Reads what fits, and one byte more if there is more, as the file may grow
 * meanwhile. Returns how many bytes, or -1 with errno set. */
static ssize_t bytes_read(int fd, unsigned char *bytes)
{
	size_t used = 0;
	ssize_t got;

	do {
		got = read(fd, bytes + used, PLAN_FILE_MOST + 1 - used);
		used += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 ? -1 : (ssize_t)used;
}

/* Returns what is wrong, or NULL. */
static const char *file_read(struct plan_job *job, int fd,
			     const struct stat *st)
{
	unsigned char *bytes;
	ssize_t got;

	if (!S_ISREG(st->st_mode))
		return "it is no regular file";
	if (st->st_size > PLAN_FILE_MOST)
		return "it is too large for a plan";
	bytes = malloc(PLAN_FILE_MOST + 1);
	if (!bytes)
		return "there is no memory for it";
	job->file = bytes;
	got = bytes_read(fd, bytes);
	if (got < 0)
		return strerror(errno);
	if (got > PLAN_FILE_MOST)
		return "it is too large for a plan";
	job->file_size = (size_t)got;
	/* It is kept for those who ask for the plan. */
	bytes = realloc(bytes, job->file_size + 1);
	if (bytes)
		job->file = bytes;
	return NULL;
}

/* If the table is the program's as well, it may close any descriptor, and open
 * another one of that number. */
static void file_close(int fd, const struct stat *st)
{
	struct stat now;

	if (!file_stat_open(fd, &now) && now.st_dev == st->st_dev &&
	    now.st_ino == st->st_ino)
		close(fd);
}

/* As high as a descriptor in the program's table is best. It is there only if
 * the thread could not have a table of its own (preload/fd_table.h). */
static int file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FD_LEAST);

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

void plan_source_read(struct plan_job *job)
{
	char path[PLAN_SOURCE_SIZE];
	struct stat st;
	int fd;

	plan_source_path(job->device, path);
	fd = file_open(path);
	if (fd < 0 || file_stat_open(fd, &st)) {
		job->wrong = strerror(errno);
		return;
	}
	job->wrong = file_read(job, fd, &st);
	file_close(fd, &st);
}
