#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "file_stat.h"
#include "protocol.h"

bool socket_path(const char *dir, int pid, char *path, size_t size)
{
	int length = snprintf(path, size, "%s/%d%s", dir, pid, SOCKET_SUFFIX);

	return length > 0 && (size_t)length < size &&
	       (size_t)length < sizeof(((struct sockaddr_un *)0)->sun_path);
}

/* $XDG_RUNTIME_DIR may name a folder that is not there (su, cron). */
static bool runtime_usable(const char *runtime)
{
	struct stat st;

	return runtime && *runtime == '/' && !file_stat(runtime, &st, 0) &&
	       S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

bool socket_dir(const char *chosen, char *path, size_t size)
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	char longest[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int length;

	if (*chosen)
		length = snprintf(path, size, "%s", chosen);
	else if (runtime_usable(runtime))
		length = snprintf(path, size, "%s/mnm", runtime);
	else
		length = snprintf(path, size, "/tmp/mnm-%d", (int)geteuid());
	return length > 0 && (size_t)length < size &&
	       socket_path(path, 4194304, longest, sizeof(longest));
}

static bool dir_is_own(const char *path, struct stat *st)
{
	return !file_stat(path, st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(st->st_mode) && st->st_uid == geteuid();
}

/* Finds a folder that the user has already. */
static bool second_find(const char *prefix, char *path, size_t size)
{
	struct dirent *entry;
	struct stat st;
	bool found = false;
	DIR *stream = opendir("/tmp");

	while (stream && !found && (entry = readdir(stream))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(path, size, "/tmp/%.64s", entry->d_name);
		found = dir_is_own(path, &st) && (st.st_mode & 0777) == 0700;
	}
	if (stream)
		closedir(stream);
	return found;
}

bool socket_dir_second(char *path, size_t size)
{
	char first[64], prefix[32];
	struct stat st;

	snprintf(first, sizeof(first), "/tmp/mnm-%d", (int)geteuid());
	errno = EEXIST;
	if (strcmp(path, first) || dir_is_own(path, &st))
		return false;
	snprintf(prefix, sizeof(prefix), "mnm-%d-", (int)geteuid());
	if (second_find(prefix, path, size))
		return true;
	snprintf(path, size, "/tmp/%sXXXXXX", prefix);
	return mkdtemp(path);
}

bool steer_allowed(uid_t client, uid_t process)
{
	return client == process || !client;
}

bool socket_dir_check(const char *dir, char *error, size_t size)
{
	struct stat st;

	if (file_stat(dir, &st, AT_SYMLINK_NOFOLLOW)) {
		snprintf(error, size, "%s: %s", dir, strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 077))
		return true;
	snprintf(error, size, "%s: has to be a folder of yours with mode 0700",
		 dir);
	return false;
}
