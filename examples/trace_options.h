/* The command line of trace_job. */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { STREAMS_MOST = 8 };

struct options {
	const char *path;
	size_t most_pages; /* of a buffer, for kernels; SIZE_MAX: all */
	long iterations;   /* stop after these, >= 1; LONG_MAX: never */
	long every;        /* iterations between two runs of `run`, >= 1 */
	const char *run;   /* a command, or NULL */
	long streams;      /* 1 to STREAMS_MOST, or 0 for the trace's */
	bool second;       /* a second thread runs what follows the peak */
	bool mark;         /* mnm is told of iterations */
	bool compute;      /* kernels last as long as the network's */
	bool progress;
	bool times; /* print the time of each iteration */
};

/* Returns false if the program only has to exit with *status: after --help, and
 * after a bad option, which one line on stderr names. */
bool options_parse(struct options *options, int argc, char **argv, int *status);

#endif
