#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/protocol.h"
#include "sweep.h"

enum file_kind { FILE_OTHER, FILE_SOCKET, FILE_EXPORT };

/* What a file of ours is, and the number of its process. */
static enum file_kind kind_of(const char *name, pid_t *number)
{
	char *end;
	long first = strtol(name, &end, 10);
	const char *suffix = strrchr(name, '.');

	if (first <= 0 || first > 4194304)
		return FILE_OTHER;
	*number = (pid_t)first;
	if (!strcmp(end, SOCKET_SUFFIX))
		return FILE_SOCKET;
	return *end == '-' && suffix && !strcmp(suffix, EXPORT_SUFFIX)
		       ? FILE_EXPORT
		       : FILE_OTHER;
}

/* The number alone does not tell: in another namespace it may be in use, or be
 * nobody's. So socket_remove_left looks whether somebody listens. A process
 * that has exported memory has a socket, until it ends. */
static void process_sweep(int folder, const char *socket, const char *name,
			  enum file_kind kind)
{
	socket_remove_left(socket);
	if (kind == FILE_EXPORT && access(socket, F_OK))
		unlinkat(folder, name, 0);
}

void sweep(const char *folder)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	enum file_kind kind;
	struct dirent *entry;
	pid_t number;
	DIR *stream = opendir(folder);

	while (stream && (entry = readdir(stream))) {
		socket_remove_aside(folder, entry->d_name);
		kind = kind_of(entry->d_name, &number);
		if (kind != FILE_OTHER &&
		    socket_path(folder, number, path, sizeof(path)) &&
		    kill(number, 0) && errno == ESRCH)
			process_sweep(dirfd(stream), path, entry->d_name, kind);
	}
	if (stream)
		closedir(stream);
}
