/* Files of other tools, made recordings: a row of import_file.c and a function
 * for each format. */
#ifndef MNM_IMPORT_H
#define MNM_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>
#include <mnm/record.h>

#include "record/bytes.h"
#include "trace/text_file.h"

enum { IMPORT_WRONG_SIZE = 256, IMPORT_POOLS = 256 };

struct import;
struct import_site;
struct import_stream;

/* A recording that is put together. */
struct import {
	const char *path;       /* of what is read */
	struct text_file *text; /* its lines, if it has any */
	char wrong[IMPORT_WRONG_SIZE];
	/* The events that are no frame yet, with texts of their own. */
	struct mnm_record_event *events;
	size_t count, text_bytes;
	struct frame_writer *writer;
	struct bytes frames;
	double began; /* seconds since 1970 */
	json_t *pools, *header;
	struct import_site *sites;     /* with names */
	struct import_stream *streams; /* with handles */
	uint32_t stream_last;
	/* Progress on a terminal. */
	uint64_t total, told;
	bool shown;
	const char *cut; /* how the file ends too early, or NULL */
	unsigned int cut_line;
};

struct import_format {
	const char *name, *help;
	bool text; /* it has lines */
	bool (*is)(const char *line);
	const char *(*read)(struct import *import);
};

/* The last has a NULL name. */
extern const struct import_format import_formats[];

/* Returns false without memory. */
bool import_begin(struct import *import, const char *path);
void import_end(struct import *import);

/* Each returns NULL, or what is wrong. */

/* Adds an event. Its text is copied. */
const char *import_event(struct import *import,
			 const struct mnm_record_event *event);

/* The site of a name, "FILE\tFUNCTION", and its event if it is a new one. */
const char *import_name(struct import *import, const char *name, uint64_t time,
			uint64_t *site);

/* The number of a pool, of which a recording has 256 at most. */
const char *import_pool(struct import *import, const char *name, uint8_t *pool);

/* The number of a stream that has a handle: a small one, as of CUDA's own
 * streams, is the number itself. */
const char *import_stream(struct import *import, uint64_t handle,
			  uint32_t *stream);

/* The most bytes that an event may be of. Whatever is asked for may fail, but
 * no block has more than 2^56, so that few sums of them are too large. */
static inline uint64_t import_size_most(uint8_t kind)
{
	return kind == MNM_RECORD_ALLOC || kind == MNM_RECORD_LIVE
		       ? UINT64_C(1) << 56
		       : UINT64_MAX;
}

/* Writes what is wrong, and returns it. */
const char *import_wrong(struct import *import, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The first two lines of the recording, from malloc; NULL without memory. Call
 * it after import_flush. */
char *import_head(const struct import *import, const char *format);

/* Makes a frame of what is no frame yet. */
const char *import_flush(struct import *import);

/* Shows how much is read, if that takes long. */
void import_progress(struct import *import, uint64_t done);
void import_progress_end(struct import *import);

/* What is wrong with the lines, once all were read. One whose last line is not
 * whole, as of a program that was killed, is right up to there. */
const char *import_text_end(struct import *import);

/* Reads a file; without a format, finds that by looking at it. On failure
 * prints a line and returns false. */
bool import_file(struct import *import, const struct import_format **format);

/* The readers. A text has been looked at up to its first line, which comes
 * again. */
const char *import_csv(struct import *import);
const char *import_rmm(struct import *import);
const char *import_trace(struct import *import);
const char *import_torch(struct import *import);

/* Whether a first line is that of the format. */
bool import_is_csv(const char *line);
bool import_is_rmm(const char *line);
bool import_is_trace(const char *line);

#endif
