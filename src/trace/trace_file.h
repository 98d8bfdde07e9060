/* An allocation trace in memory; examples/traces/FORMAT.md describes the
 * format.
 *
 * The whole file is read and checked at once. So a job never starts on a trace
 * that breaks off. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_STREAMS = 64 }; /* streams are numbered from 0 to 63 */

enum trace_kind { TRACE_MALLOC, TRACE_FREE, TRACE_MARK };

struct trace_event {
	enum trace_kind kind;
	unsigned int line;   /* in the file, from 1 */
	unsigned int stream; /* for a malloc */
	bool input;          /* for a malloc: a batch copied to the device */
	int iteration;       /* for a mark: from 0, or -1 outside of all */
	uint64_t id;         /* for both: from 1, in order of allocation */
	uint64_t bytes;      /* for a malloc: never 0 */
};

struct trace_file {
	const char *path;
	char name[64]; /* from its header, or the file's own name */
	struct trace_event *events;
	size_t count;
	size_t room;          /* how many events fit into the array */
	uint64_t last_id;     /* the highest id, and the number of mallocs */
	unsigned int streams; /* highest stream + 1, at least 1 */
	double step_ms; /* of the network's kernels, an iteration; 0: unknown */
};

/* Reads a plain or zstd-compressed trace. On failure prints one line with file
 * and line number to stderr and returns -1; there is nothing to close then. */
int trace_open(struct trace_file *trace, const char *path);

/* Returns the number of mallocs in the iteration whose mark is event `mark`. */
uint64_t trace_iteration_mallocs(const struct trace_file *trace, size_t mark);

void trace_close(struct trace_file *trace);

#endif
