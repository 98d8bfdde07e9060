#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "common/protocol.h"

enum { FOLDERS_MAX = 1024, PID_MAX = 4194304 };

struct search {
	void (*each)(const char *path, uid_t owner, void *arg);
	void *arg;
	char doubt[FOLDER_DOUBT_SIZE];
	int count;
	struct {
		dev_t device;
		ino_t inode;
	} seen[FOLDERS_MAX]; /* one folder may have two names */
};

const char *folder_chosen(void)
{
	const char *chosen = getenv("MNM_SOCKET_DIR");

	return chosen && *chosen ? chosen : NULL;
}

static bool seen_before(struct search *search, const struct stat *st)
{
	for (int i = 0; i < search->count; i++)
		if (search->seen[i].device == st->st_dev &&
		    search->seen[i].inode == st->st_ino)
			return true;
	if (search->count == FOLDERS_MAX)
		return true;
	search->seen[search->count].device = st->st_dev;
	search->seen[search->count++].inode = st->st_ino;
	return false;
}

/* Looks at a folder that should be the caller's own. */
static void folder_own(struct search *search, const char *path)
{
	char error[sizeof(search->doubt)];
	struct stat st;

	errno = 0;
	if (socket_dir_check(path, error, sizeof(error))) {
		if (!lstat(path, &st) && !seen_before(search, &st))
			search->each(path, st.st_uid, search->arg);
	} else if (errno != ENOENT && errno != ENOTDIR) {
		strcpy(search->doubt, error);
	}
}

/* Looks at the chosen folder, by the library's rules. */
static void folder_only(struct search *search, const char *path)
{
	char longest[PATH_MAX];

	if (*path != '/')
		snprintf(search->doubt, sizeof(search->doubt),
			 "MNM_SOCKET_DIR: '%.60s': allowed: absolute path",
			 path);
	else if (!socket_path(path, PID_MAX, longest, sizeof(longest)))
		snprintf(search->doubt, sizeof(search->doubt),
			 "MNM_SOCKET_DIR: '%.60s...': too long for a socket in "
			 "it",
			 path);
	else
		folder_own(search, path);
}

/* Looks at another user's folder, for root. Anybody may have made it. */
static void folder_other(struct search *search, const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISDIR(st.st_mode) && !(st.st_mode & 077) &&
	    steer_allowed(geteuid(), st.st_uid) && !seen_before(search, &st))
		search->each(path, st.st_uid, search->arg);
}

/* Looks at every "DIR/PREFIX...SUFFIX". */
static void folders_of_all(struct search *search, const char *dir,
			   const char *prefix, const char *suffix)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *stream = opendir(dir);

	while (stream && (entry = readdir(stream))) {
		if (entry->d_name[0] == '.' ||
		    strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", dir, entry->d_name,
			 suffix);
		folder_other(search, path);
	}
	if (stream)
		closedir(stream);
}

static void folders_default(struct search *search)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char path[PATH_MAX] = "", other[64];

	if (runtime && *runtime == '/' &&
	    snprintf(path, sizeof(path), "%s/mnm", runtime) <
		    (int)sizeof(path) - 1)
		folder_own(search, path);
	snprintf(other, sizeof(other), "/run/user/%d/mnm", (int)geteuid());
	if (strcmp(path, other))
		folder_own(search, other);
	snprintf(path, sizeof(path), "/tmp/mnm-%d", (int)geteuid());
	folder_own(search, path);
	/* Where sockets are if that folder was somebody else's when a process
	 * started. */
	snprintf(path, sizeof(path), "mnm-%d-", (int)geteuid());
	folders_of_all(search, "/tmp", path, "");
	if (geteuid())
		return;
	folders_of_all(search, "/run/user", "", "/mnm");
	folders_of_all(search, "/tmp", "mnm-", "");
}

void folders_each(void (*each)(const char *path, uid_t owner, void *arg),
		  void *arg, char doubt[FOLDER_DOUBT_SIZE])
{
	struct search search = {.each = each, .arg = arg};

	if (folder_chosen())
		folder_only(&search, folder_chosen());
	else
		folders_default(&search);
	strcpy(doubt, search.doubt);
}
