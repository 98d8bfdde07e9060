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

/* What a buffer is for. A trace may have classes that are not in FORMAT.md;
 * these are TRACE_OTHER. */
#define TRACE_CLASS_LIST \
	TRACE_CLASS(PARAM, "param") \
	TRACE_CLASS(BUFFER, "buffer") \
	TRACE_CLASS(OPTIMIZER, "optimizer") \
	TRACE_CLASS(GRAD, "grad") \
	TRACE_CLASS(ACTIVATION, "activation") \
	TRACE_CLASS(ACTGRAD, "actgrad") \
	TRACE_CLASS(CACHE, "cache") \
	TRACE_CLASS(INPUT, "input") \
	TRACE_CLASS(OUTPUT, "output") \
	TRACE_CLASS(WORKSPACE, "workspace") \
	TRACE_CLASS(TEMP, "temp") \
	TRACE_CLASS(OTHER, "other")

/* clang-format off */
enum trace_class {
#define TRACE_CLASS(name, text) TRACE_##name,
	TRACE_CLASS_LIST
#undef TRACE_CLASS
	TRACE_CLASSES
};
/* clang-format on */

/* By class; as a trace spells them. */
extern const char *const trace_classes[TRACE_CLASSES];

struct trace_event {
	enum trace_kind kind;
	unsigned int line;        /* in the file, from 1 */
	unsigned int stream;      /* for a malloc */
	enum trace_class purpose; /* for a malloc */
	int iteration;            /* for a mark: from 0, or -1 outside of all */
	uint64_t id;              /* for both: from 1, in order of allocation */
	uint64_t bytes;           /* for a malloc: never 0 */
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
	/* Called for each event that is read, with the text behind the first
	 * comma of its line, if it is set. Returns what is wrong, or NULL. */
	const char *(*each)(void *argument, const struct trace_event *event,
			    const char *fields);
	void *argument;
};

/* Reads a plain or zstd-compressed trace. On failure prints one line with file
 * and line number to stderr and returns -1; there is nothing to close then. */
int trace_open(struct trace_file *trace, const char *path);

/* The same, but the line goes into `line`, without the program's name. */
int trace_load(struct trace_file *trace, const char *path, char *line,
	       size_t size);

/* The steps of trace_open, for a reader that has to look into a file to know
 * whether it is a trace. They print nothing, and return what is wrong, or NULL.
 *
 * trace_begin names an empty trace. trace_header takes a line that begins with
 * a #, trace_read all lines that are left. The caller closes the trace in any
 * case. */
struct text_file;
void trace_begin(struct trace_file *trace, const char *path);
const char *trace_header(struct trace_file *trace, const char *line);
const char *trace_read(struct trace_file *trace, struct text_file *text);

/* Whether the line is an event, if perhaps a wrong one. */
bool trace_is_event(const char *line);

/* Returns the number of mallocs in the iteration whose mark is event `mark`. */
uint64_t trace_iteration_mallocs(const struct trace_file *trace, size_t mark);

void trace_close(struct trace_file *trace);

#endif
