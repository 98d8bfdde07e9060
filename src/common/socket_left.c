#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "file_stat.h"
#include "protocol.h"

static bool is_left(const struct sockaddr_un *address)
{
	bool refused;
	struct stat st;
	int fd;

	if (file_stat(address->sun_path, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISSOCK(st.st_mode))
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

/* The path to move a socket to: in the same folder, a name that no socket has.
 * Returns false if it is too long. */
static bool socket_move_aside(const struct sockaddr_un *from,
			      struct sockaddr_un *to)
{
	int length = (int)(strrchr(from->sun_path, '/') - from->sun_path);
	int size = (int)sizeof(to->sun_path);

	return snprintf(to->sun_path, (size_t)size, "%.*s/%d%s", length,
			from->sun_path, (int)getpid(), SOCKET_ASIDE) < size;
}

/* The socket is moved aside and then checked again, as nobody can replace it
 * there. */
void socket_remove_left(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX}, moved = address;

	if (strlen(path) >= sizeof(address.sun_path))
		return;
	strcpy(address.sun_path, path);
	if (!is_left(&address) || !socket_move_aside(&address, &moved) ||
	    rename(address.sun_path, moved.sun_path))
		return;
	if (is_left(&moved))
		unlink(moved.sun_path);
	else
		rename(moved.sun_path, address.sun_path);
}

void socket_remove_aside(const char *dir, const char *name)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	size_t digits = strspn(name, "0123456789");

	if (digits && !strcmp(name + digits, SOCKET_ASIDE) &&
	    snprintf(path, sizeof(path), "%s/%s", dir, name) <
		    (int)sizeof(path))
		socket_remove_left(path);
}
