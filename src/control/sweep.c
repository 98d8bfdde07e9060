#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "common/protocol.h"
#include "sweep.h"

/* The number before the suffix, or 0 if the file is not a socket of ours. */
static pid_t number_of(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return number > 0 && number <= 4194304 && !strcmp(end, SOCKET_SUFFIX)
		       ? (pid_t)number
		       : 0;
}

/* The number alone does not tell: in another namespace it may be in use, or be
 * nobody's. So socket_remove_left looks whether somebody listens. */
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
