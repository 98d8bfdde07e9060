#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/file_stat.h"

#define RECORD_JOINED ".new"

enum { COPY_SIZE = 1 << 16 };

/* Writes all of it. Returns 0 or an errno. */
static int write_all(int fd, const void *from, size_t size)
{
	const char *at = from;
	ssize_t written;

	while (size) {
		written = write(fd, at, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? errno : ENOSPC;
		at += written;
		size -= (size_t)written;
	}
	return 0;
}

static int write_head(struct record_file *file)
{
	char line[256];
	int length = snprintf(line, sizeof(line),
			      RECORD_FIRST_LINE RECORD_SECOND_LINE,
			      (unsigned long long)file->id, file->part);
	int res = write_all(file->fd, line, (size_t)length);

	if (!res)
		res = write_all(file->fd, file->about, strlen(file->about));
	file->size = (uint64_t)length + strlen(file->about);
	return res;
}

/* Whether the file is empty, or a recording: nothing else is written over. */
static bool may_replace(int fd)
{
	char first[sizeof(RECORD_MAGIC) - 1];
	ssize_t got = pread(fd, first, sizeof(first), 0);

	return !got || (got == sizeof(first) &&
			!memcmp(first, RECORD_MAGIC, sizeof(first)));
}

/* Whether something is at that path that is no recording. */
static bool is_anothers(const char *path)
{
	struct stat st;
	bool others = true;
	int fd;

	if (file_stat(path, &st, AT_SYMLINK_NOFOLLOW))
		return false; /* whoever opens it hears why */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		others = !S_ISREG(st.st_mode) || !may_replace(fd);
		close(fd);
	}
	return others;
}

/* Takes the file for this process alone. Returns 0 or an errno. */
static int part_take(int fd)
{
	struct stat st;

	if (file_stat_open(fd, &st))
		return errno;
	if (!S_ISREG(st.st_mode) || !may_replace(fd))
		return EEXIST;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return EBUSY;
	return ftruncate(fd, 0) ? errno : 0;
}

/* A link that another user has put there is not followed: the file may be in a
 * folder of all users. Nothing but a file is waited for. */
static int part_open(struct record_file *file)
{
	int res;

	file->fd = open(file->path,
			O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY |
				O_NONBLOCK,
			0666);
	if (file->fd < 0)
		return errno;
	res = part_take(file->fd);
	if (!res)
		res = write_head(file);
	if (res) {
		close(file->fd);
		file->fd = -1;
	}
	return res;
}

/* The rest of the second line. */
static char *about_line(const char *about)
{
	static const char before[] = "\"program\":", after[] = "}\n";
	size_t size = strlen(about) + sizeof(before) + sizeof(after);
	char *line = malloc(size);

	if (line)
		snprintf(line, size, "%s%s%s", before, about, after);
	return line;
}

int record_file_open(struct record_file *file, const char *path, uint64_t most,
		     const char *about)
{
	char joined[PATH_MAX + sizeof(RECORD_JOINED)];
	struct timespec now;
	int res = 0;

	*file = (struct record_file){.fd = -1, .most = most};
	if (strlen(path) + sizeof(RECORD_BEFORE) > sizeof(file->before))
		return ENAMETOOLONG;
	snprintf(file->path, sizeof(file->path), "%s", path);
	strcat(strcpy(file->before, file->path), RECORD_BEFORE);
	clock_gettime(CLOCK_REALTIME, &now);
	file->id = ((uint64_t)now.tv_sec << 32 | (uint64_t)now.tv_nsec) ^
		   (uint64_t)getpid() << 40;
	file->about = about_line(about);
	snprintf(joined, sizeof(joined), "%s" RECORD_JOINED, path);
	if (is_anothers(file->before) || is_anothers(joined))
		res = EEXIST;
	else
		res = file->about ? part_open(file) : ENOMEM;
	if (res) {
		free(file->about);
		file->about = NULL;
	}
	return res;
}

bool record_file_is_full(const struct record_file *file, size_t size)
{
	return file->size + size > file->most / 2;
}

bool record_file_is_gone(const struct record_file *file)
{
	struct stat st;

	return !file_stat_open(file->fd, &st) && !st.st_nlink;
}

int record_file_turn(struct record_file *file)
{
	close(file->fd);
	file->fd = -1;
	if (rename(file->path, file->before))
		return errno;
	file->has_before = true;
	file->part++;
	return part_open(file);
}

int record_file_append(struct record_file *file, const struct bytes *frame)
{
	int res = write_all(file->fd, frame->at, frame->size);

	/* A reader need not meet half a frame. */
	if (res && ftruncate(file->fd, (off_t)file->size))
		return res;
	if (res)
		return res;
	file->size += frame->size;
	return 0;
}

/* Copies what follows the first `skip` lines of a file. */
static int copy_after(int to, const char *path, int skip)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");
	char *bytes = malloc(COPY_SIZE);
	int res = from && bytes ? 0 : errno, byte;
	size_t size;

	while (!res && skip && (byte = getc(from)) != EOF)
		skip -= byte == '\n';
	while (!res && (size = fread(bytes, 1, COPY_SIZE, from)))
		res = write_all(to, bytes, size);
	if (!res && ferror(from))
		res = EIO;
	if (from)
		fclose(from);
	else if (fd >= 0)
		close(fd);
	free(bytes);
	return res;
}

/* Makes one file of both parts, which has the number of the first: so nobody
 * takes PATH.before for a part that comes before it. */
static int parts_join(struct record_file *file)
{
	char joined[PATH_MAX + sizeof(RECORD_JOINED)];
	int fd, res;

	snprintf(joined, sizeof(joined), "%s" RECORD_JOINED, file->path);
	unlink(joined);
	fd = open(joined, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno;
	res = copy_after(fd, file->before, 0);
	if (!res)
		res = copy_after(fd, file->path, 2);
	if (close(fd) && !res)
		res = errno;
	if (!res && rename(joined, file->path))
		res = errno;
	unlink(res ? joined : file->before);
	return res;
}

int record_file_close(struct record_file *file)
{
	int res = 0;

	if (file->fd >= 0 && file->has_before)
		res = parts_join(file);
	if (file->fd >= 0 && close(file->fd) && !res)
		res = errno;
	file->fd = -1;
	free(file->about);
	file->about = NULL;
	return res;
}
