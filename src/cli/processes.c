#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "job.h"
#include "common/process.h"
#include "processes.h"
#include "common/protocol.h"

enum { INODES_MAX = 64, ENVIRONMENT_MAX = 256 << 10 };

static const char library[] = "/libmnm.so";
static const char control_thread[] = "mnm-control\n";

bool process_has_library(int pid)
{
	char path[64], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &size, maps) > 0)
		found = strstr(line, library);
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

/* The value of a variable that the process was started with, or NULL if it had
 * none. To be freed. */
static char *variable_of(int pid, const char *name)
{
	char *text = malloc(ENVIRONMENT_MAX), *found = NULL;
	ssize_t size =
		text ? process_read(pid, "environ", text, ENVIRONMENT_MAX) : -1;
	size_t length = strlen(name);

	for (ssize_t at = 0; at < size && !found;
	     at += (ssize_t)strlen(text + at) + 1)
		if (!strncmp(text + at, name, length) &&
		    text[at + (ssize_t)length] == '=')
			found = strdup(text + at + length + 1);
	free(text);
	return found;
}

static bool variable_is(int pid, const char *name, const char *value)
{
	char *found = variable_of(pid, name);
	bool is = found && !strcmp(found, value);

	free(found);
	return is;
}

static int parent_of(int pid)
{
	char text[1024];
	const char *end;

	if (process_read(pid, "stat", text, sizeof(text)) < 0)
		return 0;
	end = strrchr(text, ')');
	return end && strlen(end) > 4 ? atoi(end + 4) : 0;
}

/* Whether the process is a child that has executed no other program since the
 * fork. */
static bool is_forked(int pid)
{
	char own[4096], parents[4096];
	int parent = parent_of(pid);
	ssize_t length = process_read(pid, "cmdline", own, sizeof(own));

	return parent > 1 && length > 0 &&
	       process_read(parent, "cmdline", parents, sizeof(parents)) ==
		       length &&
	       !memcmp(own, parents, (size_t)length) &&
	       process_has_library(parent);
}

/* Reads the inodes of the thread's sockets. Returns their number. */
static int inodes_read(const char *thread, unsigned long inodes[INODES_MAX])
{
	char path[PATH_MAX], target[64];
	struct dirent *entry;
	ssize_t length;
	DIR *stream;
	int count = 0;

	snprintf(path, sizeof(path), "%s/fd", thread);
	stream = opendir(path);
	while (stream && count < INODES_MAX && (entry = readdir(stream))) {
		length = readlinkat(dirfd(stream), entry->d_name, target,
				    sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		count += sscanf(target, "socket:[%lu]", &inodes[count]) == 1;
	}
	if (stream)
		closedir(stream);
	return count;
}

/* Finds the path at which one of these sockets listens. The kernel tells the
 * name that the socket was made under: it differs only in the suffix. */
static bool listening_path(int pid, const unsigned long *inodes, int count,
			   char *path, size_t size)
{
	char file[64], line[PATH_MAX + 128], *slash, *dot;
	unsigned long flags, inode;
	bool found = false;
	int at;
	FILE *table;

	snprintf(file, sizeof(file), "/proc/%d/net/unix", pid);
	table = fopen(file, "re");
	while (table && !found && fgets(line, sizeof(line), table)) {
		at = 0;
		if (sscanf(line, "%*s %*x %*x %lx %*x %*x %lu %n", &flags,
			   &inode, &at) != 2 ||
		    !(flags & 0x10000) || line[at] != '/')
			continue;
		for (int i = 0; i < count; i++)
			found |= inodes[i] == inode;
		line[at + (int)strcspn(line + at, "\n")] = '\0';
		slash = strrchr(line + at, '/');
		dot = strrchr(slash, '.');
		if (dot)
			*dot = '\0';
		found = found && snprintf(path, size, "%s%s", line + at,
					  SOCKET_SUFFIX) < (int)size;
	}
	if (table)
		fclose(table);
	return found;
}

/* Finds the process's control thread, as a folder of /proc. Returns false if it
 * has none. */
static bool control_find(int pid, char *thread, size_t size)
{
	char path[64], name[64];
	struct dirent *entry;
	bool found = false;
	DIR *stream;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	stream = opendir(path);
	while (stream && !found && (entry = readdir(stream))) {
		snprintf(path, sizeof(path), "task/%.20s/comm", entry->d_name);
		found = process_read(pid, path, name, sizeof(name)) > 0 &&
			!strcmp(name, control_thread);
		snprintf(thread, size, "/proc/%d/task/%.20s", pid,
			 entry->d_name);
	}
	if (stream)
		closedir(stream);
	return found;
}

/* Adds the process by a socket that its control thread has. The path is in the
 * process's own root, which may be another than ours. */
static void socket_add(struct jobs *jobs, int pid, uid_t owner)
{
	char thread[64], path[108], folder[PATH_MAX], through[128];
	unsigned long inodes[INODES_MAX];
	int count, fd;
	char *slash;

	if (!control_find(pid, thread, sizeof(thread)))
		return;
	count = inodes_read(thread, inodes);
	if (!listening_path(pid, inodes, count, path, sizeof(path)))
		return;
	slash = strrchr(path, '/');
	*slash++ = '\0';
	snprintf(folder, sizeof(folder), "/proc/%d/root%s", pid, path);
	/* Kept for later requests. The path through it is short, even if the
	 * folder's own path is not. */
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	snprintf(through, sizeof(through), "/proc/self/fd/%d/%.60s", fd, slash);
	jobs_add_socket(jobs, through, fd, pid, owner);
}

static bool in_scope(int pid)
{
	return !variable_is(pid, "MNM_DISABLE", "1") &&
	       (!folder_chosen() ||
		variable_is(pid, "MNM_SOCKET_DIR", folder_chosen()));
}

static void process_add(struct jobs *jobs, int pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (pid == getpid() || jobs_know(jobs, pid) || stat(path, &st) ||
	    !steer_allowed(geteuid(), st.st_uid) || !process_has_library(pid) ||
	    !in_scope(pid))
		return;
	socket_add(jobs, pid, st.st_uid);
	if (!jobs_know(jobs, pid) && !is_forked(pid))
		jobs_add_loaded(jobs, pid, st.st_uid);
}

/* Whether /proc has the pids of this process's namespace. */
static bool proc_is_ours(void)
{
	char target[32];
	ssize_t length = readlink("/proc/self", target, sizeof(target) - 1);

	target[length > 0 ? length : 0] = '\0';
	return atoi(target) == getpid();
}

void jobs_add_processes(struct jobs *jobs, int pid)
{
	struct dirent *entry;
	DIR *stream;
	int found;

	if (!proc_is_ours())
		return;
	if (pid) {
		process_add(jobs, pid);
		return;
	}
	stream = opendir("/proc");
	while (stream && (entry = readdir(stream))) {
		found = atoi(entry->d_name);
		if (found > 0)
			process_add(jobs, found);
	}
	if (stream)
		closedir(stream);
}
