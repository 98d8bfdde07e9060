#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/file_stat.h"

#define BEGIN "mnm-shadow-"

static const char lock_name[] = "lock";
static const char *const names[] = {"rec", "rec.before", "rec.new", lock_name};

static const char *parent(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder == '/' ? folder : "/tmp";
}

static void files_remove(int folder)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlinkat(folder, names[i], 0);
}

/* Removes a folder whose process has left its lock, as the kernel does when one
 * is killed. One without a lock is just being made. */
static void stale_remove(int above, const char *name)
{
	int folder = openat(above, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int lock = -1;

	if (folder < 0)
		return;
	if (!file_stat_open(folder, &st) &&
	    (st.st_uid == geteuid() || !geteuid()))
		lock = openat(folder, lock_name,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (lock >= 0 && !flock(lock, LOCK_EX | LOCK_NB)) {
		files_remove(folder);
		unlinkat(above, name, AT_REMOVEDIR);
	}
	if (lock >= 0)
		close(lock);
	close(folder);
}

void shadow_folders_clean(void)
{
	DIR *above = opendir(parent());
	const struct dirent *entry;

	while (above && (entry = readdir(above)))
		if (!strncmp(entry->d_name, BEGIN, sizeof(BEGIN) - 1))
			stale_remove(dirfd(above), entry->d_name);
	if (above)
		closedir(above);
}

static bool lock_take(struct shadow_folder *folder)
{
	char path[PATH_MAX + sizeof(lock_name)];

	snprintf(path, sizeof(path), "%s/%s", folder->path, lock_name);
	folder->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return folder->lock >= 0 && !flock(folder->lock, LOCK_EX | LOCK_NB);
}

bool shadow_folder_make(struct shadow_folder *folder, uid_t user)
{
	bool made;

	folder->lock = -1;
	snprintf(folder->path, sizeof(folder->path), "%s/" BEGIN "XXXXXX",
		 parent());
	made = mkdtemp(folder->path);
	if (made && lock_take(folder) &&
	    (user == geteuid() || !chown(folder->path, user, (gid_t)-1)))
		return true;
	failure("%s: %s", folder->path, strerror(errno));
	if (!made)
		*folder->path = '\0';
	return false;
}

void shadow_folder_remove(struct shadow_folder *folder)
{
	int opened;

	if (!*folder->path)
		return;
	opened = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (opened >= 0) {
		files_remove(opened);
		close(opened);
	}
	rmdir(folder->path);
	if (folder->lock >= 0)
		close(folder->lock);
	*folder->path = '\0';
}

bool shadow_folder_is_gone(const char *file)
{
	const char *name = strstr(file, "/" BEGIN);
	struct stat st;

	return name && file_stat(file, &st, 0) && errno == ENOENT;
}
