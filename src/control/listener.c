#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "config.h"
#include "listener.h"
#include "protocol.h"

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static pid_t owner; /* 0: there is no file of ours */

static int socket_new(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Whether somebody listens at the address. */
static bool address_alive(void)
{
	const struct sockaddr *to = (struct sockaddr *)&address;
	int fd = socket_new();
	bool refused = fd >= 0 && connect(fd, to, sizeof(address)) &&
		       errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return !refused;
}

static bool address_bind(int fd)
{
	const struct sockaddr *at = (struct sockaddr *)&address;

	if (!bind(fd, at, sizeof(address)))
		return true;
	/* One of a former process with this pid, or of one before exec. */
	if (errno != EADDRINUSE || address_alive() || unlink(address.sun_path))
		return false;
	return !bind(fd, at, sizeof(address));
}

/* Finds or makes the folder, and the socket's path in it. */
static bool path_open(char *error, size_t size)
{
	char dir[sizeof(address.sun_path)];

	if (!socket_dir(config_current()->socket_dir, dir, sizeof(dir)) ||
	    !socket_path(dir, getpid(), address.sun_path,
			 sizeof(address.sun_path))) {
		snprintf(error, size, "the folder's path is too long");
		return false;
	}
	if (mkdir(dir, 0700) && errno != EEXIST) {
		snprintf(error, size, "%s: %s", dir, strerror(errno));
		return false;
	}
	return socket_dir_check(dir, error, size);
}

bool listener_open(struct own_fd *listener, int backlog, char *error,
		   size_t size)
{
	int fd;

	if (!path_open(error, size))
		return false;
	fd = socket_new();
	if (fd < 0)
		goto out;
	*listener = own_fd_open(fd);
	if (!address_bind(listener->fd))
		goto out_close;
	owner = getpid();
	if (!chmod(address.sun_path, 0600) && !listen(listener->fd, backlog))
		return true;
	listener_unlink();
out_close:
	own_fd_close(listener);
out:
	snprintf(error, size, "%s: %s", address.sun_path, strerror(errno));
	return false;
}

void listener_unlink(void)
{
	if (owner == getpid())
		unlink(address.sun_path);
	owner = 0;
}
