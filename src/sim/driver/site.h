/* Where something was done: the call, the host thread, the stream if any. */
#ifndef SIM_SITE_H
#define SIM_SITE_H

#include <stdbool.h>
#include <stdint.h>

struct stream;

struct site {
	const char *call;
	long thread;
	unsigned long long stream;
	const char *stream_kind; /* NULL if in no stream */
	uint64_t place;          /* in the stream, from 1; as in the log */
	bool widened; /* it touches rows, and counts as touching the gaps */
};

/* The call that this thread is in. */
struct site site_here(void);
/* The operation that this call is about to put into a stream. */
struct site site_in(const struct stream *stream);

#endif
