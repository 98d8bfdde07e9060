#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "common/protocol.h"
#include "sweep.h"

/* The number before the suffix; 0: the file is another's. */
static pid_t number_of(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return number > 0 && number <= 4194304 && !strcmp(end, SOCKET_SUFFIX)
		       ? (pid_t)number
		       : 0;
}

/* In another namespace the number may be in use, or be nobody's. */
void sweep(const char *folder)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct dirent *entry;
	pid_t number;
	DIR *stream = opendir(folder);

	while (stream && (entry = readdir(stream))) {
		socket_remove_aside(folder, entry->d_name);
		number = number_of(entry->d_name);
		if (number && socket_path(folder, number, path, sizeof(path)) &&
		    kill(number, 0) && errno == ESRCH)
			socket_remove_left(path);
	}
	if (stream)
		closedir(stream);
}
