/* Recordings, written as something else: a row of formats.c and three functions
 * for each. */
#ifndef MNM_EXPORT_H
#define MNM_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <mnm/record.h>

#include "live_blocks.h"

struct export
{
	FILE *to;
	const char *path; /* of the recording */
	const struct mnm_record *record;
	double began; /* seconds since 1970 */
	int pid;
	int device; /* only that one; -1: all */
	struct live_blocks live;
	uint64_t written;              /* lines or objects, so far */
	uint64_t bytes[UINT8_MAX + 1]; /* live, by device */
	uint32_t streams[64];          /* as they were met */
	unsigned int stream_count;
};

struct export_format {
	const char *name;
	const char *help;
	/* Whether only one device can be told of. */
	bool one_device;
	void (*begin)(struct export *export);
	/* An event, and the block that has come or gone with it; or NULL. */
	void (*event)(struct export *export,
		      const struct mnm_record_event *event,
		      const struct live_block *block);
	void (*end)(struct export *export);
	/* In place of these three: reads the recording by itself, as often as
	 * it has to. Returns false once it has said what is wrong. */
	bool (*write)(struct export *export);
};

bool folded_write(struct export *export);

/* The last has a NULL name. */
extern const struct export_format export_formats[];

/* How a stream is numbered in traces, which know 64. */
unsigned int export_stream(struct export *export, uint32_t stream);

#endif
