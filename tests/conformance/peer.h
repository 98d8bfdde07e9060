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

/* Starts the second process. This has to come before this process uses CUDA.
 * run() returns 0, or the line at which it found something wrong. */
struct peer peer_start(int (*run)(int socket));
void peer_tell(const struct peer *peer, const void *what, size_t size);
/* Passes an open file. */
void peer_give(const struct peer *peer, int file);
/* Waits for a byte from the second process. */
void peer_hear(const struct peer *peer);
/* Closes the socket, so that the second process reads its end. Returns what
 * run() returned. */
int peer_end(const struct peer *peer);

/* For the second process: ends it if something is wrong. */
#define want(is) \
	do { \
		if (!(is)) \
			_exit(__LINE__ & 0xff ? __LINE__ & 0xff : 1); \
	} while (0)

void peer_open(void);
void peer_read(int socket, void *what, size_t size);
/* Returns the file that peer_give() passed. */
int peer_take(int socket);

#endif
