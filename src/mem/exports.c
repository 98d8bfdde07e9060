#include "exports.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/file_stat.h"
#include "common/protocol.h"

static const char magic[16] = "mnm placed block";

/* A handle of ours. */
struct own_handle {
	char magic[sizeof(magic)];
	uint64_t number; /* random, so that no two processes choose the same */
	int64_t pid;
	char zeros[HANDLE_BYTES - 2 * sizeof(uint64_t) - sizeof(magic)];
};

_Static_assert(sizeof(struct own_handle) == HANDLE_BYTES,
	       "a handle has no more bytes, and no gaps");

/* A handle that this process has made. */
struct made {
	uint64_t addr; /* of the block */
	struct own_handle handle;
	struct export export;
	struct made *next;
	char path[]; /* of its link */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *list;
static pid_t maker; /* whose they are; a forked child has none */

static bool path_of(const char *folder, const struct own_handle *handle,
		    char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s/%d-%016llx" EXPORT_SUFFIX, folder,
			(int)handle->pid,
			(unsigned long long)handle->number) < PATH_MAX;
}

/* Two letters for each byte. */
enum { TEXT_LENGTH = 2 * sizeof(struct export) };

static void text_write(const struct export *export, char text[TEXT_LENGTH + 1])
{
	const unsigned char *bytes = (const unsigned char *)export;

	for (size_t i = 0; i < sizeof(*export); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static int digit_value(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = digit ? strchr(digits, digit) : NULL;

	return found ? (int)(found - digits) : -1;
}

static bool text_read(const char *text, struct export *export)
{
	unsigned char *bytes = (unsigned char *)export;

	for (size_t i = 0; i < sizeof(*export); i++) {
		int high = digit_value(text[2 * i]);
		int low = digit_value(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

/* Runs as the process exits. What is left by a process that is killed, another
 * one sweeps away (control/sweep.h). */
static void links_leave(void)
{
	if (getpid() != maker)
		return;
	for (const struct made *at = list; at; at = at->next)
		unlink(at->path);
}

/* Under lock. The link to the handle of a block; to NULL if it has none. */
static struct made **link_of(uint64_t addr)
{
	struct made **link = &list;

	while (*link && (*link)->addr != addr)
		link = &(*link)->next;
	return link;
}

/* Under lock. */
static void drop(struct made **link)
{
	struct made *made = *link;

	*link = made->next;
	unlink(made->path);
	free(made);
}

/* The function of libc's for this call is newer than the oldest libc that we
 * run on. Returns false, with errno set, where the kernel is older. */
static bool random_take(uint64_t *number)
{
	return syscall(SYS_getrandom, number, sizeof(*number), 0) ==
	       sizeof(*number);
}

/* Under lock. A handle for the block. NULL, with errno set, if it can't be. */
static struct made *make(const char *folder, uint64_t addr,
			 const struct export *export)
{
	struct own_handle handle = {.pid = getpid()};
	char path[PATH_MAX], text[TEXT_LENGTH + 1];
	struct made *made;

	memcpy(handle.magic, magic, sizeof(magic));
	if (!random_take(&handle.number) || !path_of(folder, &handle, path))
		return NULL;
	made = malloc(sizeof(*made) + strlen(path) + 1);
	if (!made)
		return NULL;
	*made = (struct made){addr, handle, *export, list};
	strcpy(made->path, path);
	text_write(export, text);
	if (symlink(text, path)) {
		free(made);
		return NULL;
	}
	if (maker != getpid())
		atexit(links_leave);
	maker = getpid();
	list = made;
	return made;
}

bool export_make(const char *folder, uint64_t addr, const struct export *export,
		 unsigned char handle[HANDLE_BYTES])
{
	struct made **link, *made;

	pthread_mutex_lock(&lock);
	link = link_of(addr);
	/* Another block may have had the address, in a context that ended. */
	if (*link && memcmp(&(*link)->export, export, sizeof(*export)))
		drop(link);
	made = *link_of(addr);
	if (!made)
		made = make(folder, addr, export);
	if (made)
		memcpy(handle, &made->handle, HANDLE_BYTES);
	pthread_mutex_unlock(&lock);
	return made;
}

void export_end(uint64_t addr)
{
	int saved = errno;
	struct made **link;

	pthread_mutex_lock(&lock);
	link = link_of(addr);
	if (*link)
		drop(link);
	pthread_mutex_unlock(&lock);
	errno = saved;
}

bool export_is_ours(const unsigned char handle[HANDLE_BYTES])
{
	return !memcmp(handle, magic, sizeof(magic));
}

static bool is_right(const struct export *export)
{
	return export->size && export->offset + export->size > export->offset &&
	       !export_is_ours(export->handle);
}

bool export_find(const char *folder, const unsigned char handle[HANDLE_BYTES],
		 struct export *export)
{
	char path[PATH_MAX], text[TEXT_LENGTH + 1];
	struct own_handle own;
	struct stat st;

	memcpy(&own, handle, sizeof(own));
	return path_of(folder, &own, path) &&
	       !file_stat(path, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_uid == geteuid() &&
	       readlink(path, text, sizeof(text)) == TEXT_LENGTH &&
	       text_read(text, export) && is_right(export);
}
