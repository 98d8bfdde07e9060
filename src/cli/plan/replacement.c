#include "replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/file_stat.h"

/* Whether the path is a regular file or nothing. */
static bool is_replaced(const char *path, struct stat *st)
{
	st->st_mode = 0;
	if (!file_stat(path, st, AT_SYMLINK_NOFOLLOW))
		return S_ISREG(st->st_mode);
	return errno == ENOENT;
}

static bool path_failed(const char *path, int error)
{
	failure("%s: %s", path, strerror(error));
	return false;
}

static bool is_same(const char *path, const char *read)
{
	struct stat st, other;

	return !file_stat(path, &st, 0) && !file_stat(read, &other, 0) &&
	       S_ISREG(st.st_mode) && st.st_dev == other.st_dev &&
	       st.st_ino == other.st_ino;
}

static bool is_read(const char *path, const char *read)
{
	char before[PATH_MAX + sizeof(".before")];

	snprintf(before, sizeof(before), "%s.before", read);
	return is_same(path, read) || is_same(path, before);
}

bool replacement_possible(const char *path, const char *read)
{
	char folder[PATH_MAX];
	const char *written = path;
	int access = W_OK;
	struct stat st;

	if (strlen(path) + sizeof(".4194304.part") > sizeof(folder))
		return path_failed(path, ENAMETOOLONG);
	if (read && is_read(path, read))
		return !failure("%s: it is what is read, and would be lost",
				path);
	if (is_replaced(path, &st)) {
		written = dirname(strcpy(folder, path));
		access |= X_OK;
	} else if (S_ISDIR(st.st_mode)) {
		return path_failed(path, EISDIR);
	}
	if (faccessat(AT_FDCWD, written, access, AT_EACCESS))
		return path_failed(path, errno);
	return true;
}

static void signals_block(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGXFSZ); /* a limit of file sizes is met: ulimit -f */
	sigprocmask(SIG_BLOCK, &set, before);
}

bool replacement_is_stopped(const struct replacement *replacement)
{
	sigset_t waits;

	return *replacement->beside && !sigpending(&waits) &&
	       (sigismember(&waits, SIGINT) == 1 ||
		sigismember(&waits, SIGTERM) == 1 ||
		sigismember(&waits, SIGHUP) == 1);
}

FILE *replacement_begin(struct replacement *replacement, const char *path)
{
	struct stat st;
	int fd;

	replacement->path = path;
	replacement->file = NULL;
	*replacement->beside = '\0';
	if (!is_replaced(path, &st)) {
		replacement->file = fopen(path, "we");
		if (!replacement->file)
			path_failed(path, errno);
		return replacement->file;
	}
	signals_block(&replacement->before);
	snprintf(replacement->beside, sizeof(replacement->beside), "%s.%d.part",
		 path, (int)getpid());
	fd = open(replacement->beside,
		  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd >= 0 && S_ISREG(st.st_mode))
		fchmod(fd, st.st_mode & 07777);
	if (fd >= 0)
		replacement->file = fdopen(fd, "w");
	if (replacement->file)
		return replacement->file;
	path_failed(path, errno);
	if (fd >= 0) {
		close(fd);
		unlink(replacement->beside);
	}
	sigprocmask(SIG_SETMASK, &replacement->before, NULL);
	return NULL;
}

void replacement_drop(struct replacement *replacement)
{
	fclose(replacement->file);
	if (!*replacement->beside)
		return;
	unlink(replacement->beside);
	sigprocmask(SIG_SETMASK, &replacement->before, NULL);
}

bool replacement_end(struct replacement *replacement)
{
	bool failed = ferror(replacement->file), beside = *replacement->beside;
	int error;

	errno = 0;
	failed |= fflush(replacement->file) != 0;
	error = errno;
	failed |= fclose(replacement->file) != 0;
	error = error ? error : errno;
	if (beside && !failed) {
		failed = rename(replacement->beside, replacement->path) != 0;
		error = errno;
	}
	if (failed && error)
		path_failed(replacement->path, error);
	else if (failed)
		failure("%s: it can't be written", replacement->path);
	if (beside && failed)
		unlink(replacement->beside);
	if (beside)
		sigprocmask(SIG_SETMASK, &replacement->before, NULL);
	return !failed;
}
