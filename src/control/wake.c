#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wake.h"

/* A name that the kernel chose, which is not in the file system: the program
 * may be in another root by the time it is used. */
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_size;

static int socket_new(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

struct own_fd wake_open(void)
{
	socklen_t size = sizeof(address);
	int fd = socket_new();

	if (fd < 0)
		return (struct own_fd){-1, 0};
	if (bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) ||
	    getsockname(fd, (struct sockaddr *)&address, &size)) {
		close(fd);
		return (struct own_fd){-1, 0};
	}
	address_size = size;
	return own_fd_open(fd);
}

bool wake_take(const struct own_fd *wake)
{
	char byte;

	return recv(wake->fd, &byte, 1, MSG_DONTWAIT) >= 0;
}

void wake_send(void)
{
	int fd = socket_new();

	if (fd < 0)
		return;
	sendto(fd, "", 1, MSG_DONTWAIT, (struct sockaddr *)&address,
	       address_size);
	close(fd);
}
