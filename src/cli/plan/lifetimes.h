/* The lifetimes that a file names, for the planner.
 *
 * A file is a CSV, a trace of allocations (examples/traces/FORMAT.md), each
 * plain or compressed by zstd, or a recording (mnm/record.h). The first line of
 * a CSV names its columns, which stand in any order: id, lower, upper and size,
 * and perhaps align and class. A column offset is read over. The time of a
 * trace is the number of mallocs and frees before. */
#ifndef MNM_LIFETIMES_H
#define MNM_LIFETIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

struct text_file;
struct trace_file;

/* What is asked of a file. */
struct lifetimes_wanted {
	const char *path;
	uint64_t unit;   /* sizes are rounded up to it; 0: the format's own */
	uint64_t period; /* 0: time is a line */
	bool has_iteration;
	uint64_t iteration; /* of a trace, if has_iteration */
	int device;         /* of a recording; -1: the first one in it */
};

enum { LIFETIMES_CLASSES = 12, LIFETIMES_CLASS_SIZE = 32, WRONG_SIZE = 200 };

struct lifetimes {
	struct plan_buffer *buffers;
	size_t *ids;            /* where each buffer's id begins in `text` */
	unsigned char *classes; /* an index of class_names for each buffer */
	size_t count, room;     /* of the three */
	char *text;
	size_t text_used, text_room;
	/* The last of LIFETIMES_CLASSES has all that find no room. */
	char class_names[LIFETIMES_CLASSES][LIFETIMES_CLASS_SIZE];
	int class_count; /* 0: there are no classes */
	bool is_trace, has_align;
	uint64_t period, unit;
	uint64_t total;         /* of the sizes and alignments */
	char wrong[WRONG_SIZE]; /* what is wrong with the file */
};

/* Reads a file. On failure prints one line, with file and line number where it
 * is a line's, and returns false; there is nothing to close then. */
bool lifetimes_open(struct lifetimes *lifetimes,
		    const struct lifetimes_wanted *wanted);
void lifetimes_close(struct lifetimes *lifetimes);

const char *lifetimes_id(const struct lifetimes *lifetimes, size_t buffer);

/* The rest is for the readers of the formats. Each returns what is wrong,
 * or NULL. */

/* Reads a CSV whose header is there. */
const char *lifetimes_read_csv(struct lifetimes *lifetimes,
			       struct text_file *text, char *header);

/* Reads a trace of which text_line returns the first event next. */
const char *lifetimes_read_trace(struct lifetimes *lifetimes,
				 const struct lifetimes_wanted *wanted,
				 struct trace_file *trace,
				 struct text_file *text);

/* The same from a trace in memory, whose events have the line 0. */
const char *lifetimes_of_trace(struct lifetimes *lifetimes,
			       const struct lifetimes_wanted *wanted,
			       const struct trace_file *trace);

/* Reads the recording of the wanted path into the trace first. */
const char *lifetimes_read_recording(struct lifetimes *lifetimes,
				     const struct lifetimes_wanted *wanted,
				     struct trace_file *trace);

/* Makes the text that says what is wrong. */
const char *lifetimes_wrong(struct lifetimes *lifetimes, const char *format,
			    ...) __attribute__((format(printf, 2, 3)));

/* Rounds a buffer's size, and adds it if it keeps the planner's rules. */
const char *lifetimes_add(struct lifetimes *lifetimes,
			  struct plan_buffer buffer, const char *id,
			  unsigned char class_index);

/* The class of that name, a new one if need be. */
unsigned char lifetimes_class(struct lifetimes *lifetimes, const char *name);

#endif
