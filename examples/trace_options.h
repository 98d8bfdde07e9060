/* The command line of trace_job. */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { STREAMS_MOST = 8 };

struct options {
	const char *path;
	size_t most_pages; /* of a buffer that kernels touch; SIZE_MAX: all */
	long iterations;   /* to stop after, >= 1; LONG_MAX: none */
	long every;        /* iterations between two runs of `run`, >= 1 */
	const char *run;   /* NULL: nothing */
	long streams;      /* 1 to STREAMS_MOST; 0: as the trace says */
	bool compute;      /* kernels last as long as the network's */
	bool progress;
	bool times; /* print that of each iteration */
};

/* Returns false when there is nothing to do but to exit with *status: after
 * --help, and after a bad option, which one line on stderr names. */
bool options_parse(struct options *options, int argc, char **argv, int *status);

#endif
