#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mem/config.h"
#include "common/file_stat.h"
#include "listener.h"
#include "common/protocol.h"
#include "sweep.h"

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static _Atomic pid_t owner; /* 0 if there is no file of ours */
static int folder = -1;     /* among the control thread's descriptors */

static int socket_new(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Whether another process listens at the address. A stale file may be there, of
 * an earlier process with this pid, or from before an exec. */
static bool address_taken(void)
{
	int fd = socket_new();
	bool taken = fd >= 0 && (!connect(fd, (struct sockaddr *)&address,
					  sizeof(address)) ||
				 errno == EAGAIN);

	if (fd >= 0)
		close(fd);
	if (taken)
		errno = EADDRINUSE;
	return taken;
}

/* Listens under another name first: at its own name the socket must never
 * refuse a connection, or `mnm` would take it for a stale one. */
static bool address_listen(int fd, int backlog)
{
	struct sockaddr_un early = address;

	/* The new suffix must not be longer than SOCKET_SUFFIX. */
	strcpy(strrchr(early.sun_path, '.'), ".new");
	unlink(early.sun_path);
	if (bind(fd, (struct sockaddr *)&early, sizeof(early)))
		return false;
	if (!chmod(early.sun_path, 0600) && !listen(fd, backlog) &&
	    !address_taken() && !rename(early.sun_path, address.sun_path))
		return true;
	unlink(early.sun_path);
	return false;
}

/* Makes the folder if it is missing. The umask may have taken rights away from
 * the owner, which are given back. The process's umask is the program's own,
 * and stays. */
static bool folder_make(const char *dir)
{
	const mode_t wanted = S_IRWXU;
	struct stat st;

	if (mkdir(dir, wanted) && errno != EEXIST)
		return false;
	if (!file_stat(dir, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid() && (st.st_mode & 0777) != wanted &&
	    !(st.st_mode & (S_IRWXG | S_IRWXO)))
		chmod(dir, wanted);
	return true;
}

/* Takes the second folder, but not in place of a chosen one: that is the one
 * that is meant, or none. */
static bool folder_second(char *dir, size_t size)
{
	return !*config_current()->socket_dir && socket_dir_second(dir, size);
}

/* Finds or makes the folder, and the socket's path in it. */
static bool path_open(char *error, size_t size)
{
	char dir[sizeof(address.sun_path)];

	if (!socket_dir(config_current()->socket_dir, dir, sizeof(dir))) {
		snprintf(error, size, "the folder's path is too long");
		return false;
	}
	if (!folder_make(dir)) {
		snprintf(error, size, "%s: %s", dir, strerror(errno));
		return false;
	}
	if (!socket_dir_check(dir, error, size) &&
	    !(folder_second(dir, sizeof(dir)) &&
	      socket_dir_check(dir, error, size)))
		return false;
	return socket_path(dir, getpid(), address.sun_path,
			   sizeof(address.sun_path));
}

bool listener_open(struct guarded_fd *listener, int backlog, char *error,
		   size_t size)
{
	int fd;

	if (!path_open(error, size))
		return false;
	fd = socket_new();
	if (fd >= 0)
		*listener = guarded_fd_open(fd);
	if (fd >= 0 && address_listen(listener->fd, backlog)) {
		owner = getpid();
		return true;
	}
	snprintf(error, size, "%s: %s", address.sun_path, strerror(errno));
	guarded_fd_close(listener);
	return false;
}

const char *listener_path(void)
{
	return address.sun_path;
}

static void folder_path(char dir[sizeof(address.sun_path)])
{
	strcpy(dir, address.sun_path);
	*strrchr(dir, '/') = '\0';
}

bool listener_folder(char *folder, size_t size)
{
	char dir[sizeof(address.sun_path)];

	folder_path(dir);
	return (size_t)snprintf(folder, size, "%s", dir) < size;
}

void listener_keep(void)
{
	char dir[sizeof(address.sun_path)];

	folder_path(dir);
	folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void listener_sweep(void)
{
	char dir[sizeof(address.sun_path)];

	folder_path(dir);
	sweep(dir);
}

bool listener_unlink(void)
{
	if (owner == getpid() && unlink(address.sun_path))
		return false;
	owner = 0;
	return true;
}

void listener_leave(void)
{
	if (!listener_unlink() && folder >= 0)
		unlinkat(folder, strrchr(address.sun_path, '/') + 1, 0);
	owner = 0;
}
