/* The folder of the control sockets. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../ask.h"
#include "check.h"
#include "common/protocol.h"

static int socket_files(const char *dir)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	const char *suffix;
	int count = 0;

	while (stream && (entry = readdir(stream))) {
		suffix = strrchr(entry->d_name, '.');
		count += suffix && !strcmp(suffix, SOCKET_SUFFIX);
	}
	if (stream)
		closedir(stream);
	return count;
}

/* Another folder's name may begin with this one's. */
static bool lies_in(const char *path, const char *dir)
{
	size_t length = strlen(dir);

	return !strncmp(path, dir, length) && path[length] == '/';
}

/* Counts the sockets of programs that run, and removes those of programs that
 * were killed. */
static void programs_count(struct report *report, const char *dir)
{
	int before = socket_files(dir), alive = 0;
	struct jobs jobs;

	jobs_find(&jobs);
	for (int i = 0; i < jobs.count; i++)
		alive += lies_in(jobs.list[i].address.sun_path, dir);
	jobs_close(&jobs);
	report_add(report, LEVEL_OK, "sockets", NULL,
		   "%s: running programs: %d, stale sockets: %d, removed: %d",
		   dir, alive, before - alive, before - socket_files(dir));
}

void sockets_check(struct report *report)
{
	const char *chosen = getenv("MNM_SOCKET_DIR");
	const char *advice = "programs are served, and `mnm` can't reach "
			     "them: set MNM_SOCKET_DIR to a folder of yours "
			     "with mode 0700";
	char dir[sizeof(((struct sockaddr_un *)0)->sun_path)], error[256];
	bool made;

	if (chosen && *chosen && *chosen != '/')
		return; /* options_check has said so */
	if (!socket_dir(chosen ? chosen : "", dir, sizeof(dir))) {
		report_add(report, LEVEL_PROBLEM, "sockets", advice,
			   "the folder's path is too long for a socket in it; "
			   "allowed: %zu bytes in all",
			   sizeof(dir) - 1);
		return;
	}
	made = !mkdir(dir, 0700);
	if (!made && errno != EEXIST)
		report_add(report, LEVEL_PROBLEM, "sockets", advice,
			   "%s can't be made: %s", dir, strerror(errno));
	else if (!socket_dir_check(dir, error, sizeof(error)))
		report_add(report, LEVEL_PROBLEM, "sockets", advice, "%s",
			   error);
	else if (access(dir, R_OK | W_OK | X_OK))
		report_add(report, LEVEL_PROBLEM, "sockets", advice, "%s: %s",
			   dir, strerror(errno));
	else if (made)
		report_add(report, LEVEL_OK, "sockets", NULL, "%s can be made",
			   dir);
	else
		programs_count(report, dir);
	if (made)
		rmdir(dir);
}
