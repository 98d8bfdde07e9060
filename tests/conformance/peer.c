#include "peer.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "claims.h"

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

struct peer peer_start(int (*run)(int socket))
{
	struct peer peer;
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	peer.pid = fork();
	ck_assert_int_ge(peer.pid, 0);
	if (!peer.pid) {
		close(ends[1]);
		_exit(run(ends[0]));
	}
	close(ends[0]);
	peer.socket = ends[1];
	return peer;
}

void peer_tell(const struct peer *peer, const void *what, size_t size)
{
	ck_assert_int_eq(write(peer->socket, what, size), size);
}

void peer_give(const struct peer *peer, int file)
{
	char byte = 'f';
	struct iovec part = {&byte, 1};
	union control control = {.bytes = {0}};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(file));
	memcpy(CMSG_DATA(&control.header), &file, sizeof(file));
	ck_assert_int_eq(sendmsg(peer->socket, &message, 0), 1);
}

void peer_hear(const struct peer *peer)
{
	char byte;

	ck_assert_int_eq(read(peer->socket, &byte, 1), 1);
}

int peer_end(const struct peer *peer)
{
	int status;

	shutdown(peer->socket, SHUT_WR);
	ck_assert_int_eq(waitpid(peer->pid, &status, 0), peer->pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

void peer_open(void)
{
	CUcontext ctx;

	want(!cuInit(0));
	want(!cuDevicePrimaryCtxRetain(&ctx, 0));
	want(!cuCtxSetCurrent(ctx));
}

void peer_read(int socket, void *what, size_t size)
{
	want(read(socket, what, size) == (ssize_t)size);
}

int peer_take(int socket)
{
	char byte;
	struct iovec part = {&byte, 1};
	union control control;
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int file;

	want(recvmsg(socket, &message, 0) == 1);
	want(CMSG_FIRSTHDR(&message));
	memcpy(&file, CMSG_DATA(&control.header), sizeof(file));
	return file;
}
