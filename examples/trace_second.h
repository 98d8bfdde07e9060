/* The second thread of trace_job: it runs an iteration from its live peak on,
 * as PyTorch runs the backward pass in a thread of its own. The first thread
 * waits meanwhile. */
#ifndef TRACE_SECOND_H
#define TRACE_SECOND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct trace_file;

struct second {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int (*run)(void *arg); /* NULL: it has nothing to do */
	void *arg;
	int result;
	bool ends;
};

/* Returns an error number. */
int second_start(struct second *second);
void second_end(struct second *second);

/* Calls run(arg) in the second thread, and returns what it returns. */
int second_run(struct second *second, int (*run)(void *arg), void *arg);

/* The events of an iteration are those from its first mark up to the mark of
 * another. iteration_peak returns the event behind the one by which most bytes
 * of this iteration are live, and sets *end to the one behind its last. */
size_t iteration_peak(const struct trace_file *trace, size_t mark, size_t *end);

#endif
