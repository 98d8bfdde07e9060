/* A socket of ours among the program's descriptors. A program may close what
 * it does not know, and then get the number for something else; so the inode
 * is remembered, and looked at before each use. */
#ifndef MNM_GUARDED_FD_H
#define MNM_GUARDED_FD_H

#include <stdbool.h>
#include <sys/types.h>

struct guarded_fd {
	int fd; /* -1: none */
	ino_t inode;
};

/* Owns fd, under a higher number if there is one: closed standard streams
 * must not become our sockets. */
struct guarded_fd guarded_fd_open(int fd);

bool guarded_fd_is_ours(const struct guarded_fd *own);

/* Closes it if it is still ours. */
void guarded_fd_close(struct guarded_fd *own);

#endif
