#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "protocol.h"
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

/* Not by its number alone: in another namespace that may be in use. A process
 * that begins refuses nobody at its path. */
static bool is_left(const struct sockaddr_un *address, pid_t number)
{
	bool refused;
	int fd;

	if (!kill(number, 0) || errno != ESRCH)
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	refused = connect(fd, (const struct sockaddr *)address,
			  sizeof(*address)) &&
		  errno == ECONNREFUSED;
	close(fd);
	return refused;
}

void sweep(const char *folder)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct dirent *entry;
	pid_t number;
	DIR *stream = opendir(folder);

	while (stream && (entry = readdir(stream))) {
		number = number_of(entry->d_name);
		if (number &&
		    socket_path(folder, number, address.sun_path,
				sizeof(address.sun_path)) &&
		    is_left(&address, number))
			unlink(address.sun_path);
	}
	if (stream)
		closedir(stream);
}
