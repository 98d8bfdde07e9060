#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/file_stat.h"
#include "common/protocol.h"
#include "config.h"
#include "postmortem.h"

#define AUTO "auto"

enum { KEPT = 16 }; /* files of a folder */

static bool is_one(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && !strcmp(name + digits, POSTMORTEM_SUFFIX);
}

/* As the kernel writes it: see getdents(2). opendir would ask for memory, whose
 * lock the program may hold. */
struct entry {
	uint64_t ino;
	int64_t offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

/* Finds the oldest of the folder, and how many there are. */
static int oldest_find(int folder, char oldest[NAME_MAX + 1])
{
	static char entries[1 << 13] __attribute__((aligned(8)));
	struct timespec first = {0};
	struct stat st;
	long got;
	int count = 0;

	lseek(folder, 0, SEEK_SET);
	while ((got = syscall(SYS_getdents64, folder, entries,
			      sizeof(entries))) > 0) {
		const struct entry *entry;

		for (long at = 0; at < got; at += entry->size) {
			entry = (const struct entry *)(entries + at);
			if (!is_one(entry->name) ||
			    file_stat_at(folder, entry->name, &st))
				continue;
			if (!count++ || st.st_mtim.tv_sec < first.tv_sec ||
			    (st.st_mtim.tv_sec == first.tv_sec &&
			     st.st_mtim.tv_nsec < first.tv_nsec)) {
				first = st.st_mtim;
				snprintf(oldest, NAME_MAX + 1, "%s",
					 entry->name);
			}
		}
	}
	return count;
}

/* Makes room for one more. What can't be removed stays. */
static void old_remove(const char *path)
{
	char oldest[NAME_MAX + 1];
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (folder >= 0 && oldest_find(folder, oldest) >= KEPT &&
	       !unlinkat(folder, oldest, 0))
		;
	if (folder >= 0)
		close(folder);
}

/* In the folder of the sockets: who may read it is checked as for these. */
static bool path_of_folder(char *path, size_t size)
{
	const char *chosen = config_current()->socket_dir;
	static char folder[PATH_MAX], error[PATH_MAX];

	if (!socket_dir(chosen, folder, sizeof(folder)))
		return false;
	mkdir(folder, S_IRWXU); /* the first request may fail */
	if (!socket_dir_check(folder, error, sizeof(error)) &&
	    (*chosen || !socket_dir_second(folder, sizeof(folder)) ||
	     !socket_dir_check(folder, error, sizeof(error))))
		return false;
	old_remove(folder);
	return (size_t)snprintf(path, size, "%s/%d" POSTMORTEM_SUFFIX, folder,
				(int)getpid()) < size;
}

/* Writes the option's path with %p and %h replaced. */
static bool path_of_option(const char *from, char *path, size_t size)
{
	char host[HOST_NAME_MAX + 1] = "", pid[16], letter[2] = "";
	size_t used = 0;
	const char *part;

	gethostname(host, sizeof(host) - 1);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	for (; *from; from++) {
		*letter = *from;
		part = letter;
		if (*from == '%' && (from[1] == 'p' || from[1] == 'h'))
			part = *++from == 'p' ? pid : host;
		if (used + strlen(part) >= size)
			return false;
		used += strlen(strcpy(path + used, part));
	}
	return used;
}

static bool write_all(int fd, const char *text, size_t left)
{
	ssize_t written;

	while (left) {
		written = write(fd, text, left);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		text += written;
		left -= (size_t)written;
	}
	return true;
}

/* Makes it so that it is there as a whole or not at all. Only a file, or
 * nothing, is replaced. */
static bool file_make(const char *path, const char *text, size_t length)
{
	static char early[PATH_MAX];
	struct stat st;
	bool written;
	int fd;

	if (!file_stat(path, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode))
		return false;
	if (snprintf(early, sizeof(early), "%s.%d.new", path, (int)getpid()) >=
	    (int)sizeof(early))
		return false;
	fd = open(early, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	if (fd < 0)
		return false;
	written = write_all(fd, text, length);
	if (close(fd)) /* a full disk may show here */
		written = false;
	if (written && !rename(early, path))
		return true;
	unlink(early);
	return false;
}

/* A limit of sizes raises a signal, which must neither end the program nor be
 * left pending for it. */
static bool quietly_make(const char *path, const char *text, size_t length)
{
	const struct timespec now = {0, 0};
	sigset_t ours, before, pending;
	bool made;

	sigemptyset(&ours);
	sigpending(&pending);
	if (!sigismember(&pending, SIGXFSZ))
		sigaddset(&ours, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &ours, &before);
	made = file_make(path, text, length);
	while (sigtimedwait(&ours, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return made;
}

bool postmortem_save(const char *text, size_t length, char *path, size_t size)
{
	const char *option = config_current()->postmortem;

	return (strcmp(option, AUTO) ? path_of_option(option, path, size)
				     : path_of_folder(path, size)) &&
	       quietly_make(path, text, length);
}
