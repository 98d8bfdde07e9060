/* A socket of ours among the program's descriptors. A program may close a
 * descriptor that it does not know, and then get the number for something else.
 * So the socket's inode is remembered, and checked before each use. */
#ifndef MNM_GUARDED_FD_H
#define MNM_GUARDED_FD_H

#include <stdbool.h>
#include <sys/types.h>

struct guarded_fd {
	int fd; /* -1 if there is none */
	ino_t inode;
};

/* Takes over fd, under a higher number if one is free: a closed standard stream
 * must not become our socket. */
struct guarded_fd guarded_fd_open(int fd);

bool guarded_fd_is_ours(const struct guarded_fd *own);

/* Closes it if it is still ours. */
void guarded_fd_close(struct guarded_fd *own);

#endif
