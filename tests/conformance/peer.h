/* A second process of a claim. */
#ifndef TESTS_CONFORMANCE_PEER_H
#define TESTS_CONFORMANCE_PEER_H

#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#include <cuda.h>

struct peer {
	pid_t pid;
	int socket;
};

/* Must come before this process has CUDA. What run() returns is 0, or the
 * line at which it found something wrong. */
struct peer peer_start(int (*run)(int socket));
void peer_tell(const struct peer *peer, const void *what, size_t size);
/* Passes an open file. */
void peer_give(const struct peer *peer, int file);
/* Waits for a byte. */
void peer_hear(const struct peer *peer);
/* Ends what it reads; returns what run() did. */
int peer_end(const struct peer *peer);

/* In the second process: leaves it when something is wrong. */
#define want(is) \
	do { \
		if (!(is)) \
			_exit(__LINE__ & 0xff ? __LINE__ & 0xff : 1); \
	} while (0)

void peer_open(void);
void peer_read(int socket, void *what, size_t size);
/* The file that peer_give() passed. */
int peer_take(int socket);

#endif
