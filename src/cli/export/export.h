/* Recordings, written as something else: a row of formats.c and three functions
 * for each. */
#ifndef MNM_EXPORT_H
#define MNM_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>
#include <mnm/record.h>

#include "cli/report/symbols.h"
#include "live_blocks.h"
#include "open_ranges.h"

struct export
{
	FILE *to;
	const char *path; /* of the recording */
	const struct mnm_record *record;
	const json_t *source; /* what it was imported from, or NULL */
	struct symbols *symbols;
	double began; /* seconds since 1970 */
	int pid;
	int device;      /* only that one; -1: all */
	bool chosen;     /* as the first one that memory is of */
	uint64_t others; /* requests of devices that were not chosen */
	struct live_blocks live;
	struct open_ranges ranges;
	const char *ended; /* the range that ends with this event, or NULL */
	const struct replacement *replacement; /* of `to`, or NULL */
	uint64_t events;                       /* so far */
	bool stopped;                          /* by a signal */
	int64_t show_ms; /* when that is shown again; 0: never */
	bool shown;
	uint64_t written;  /* lines or objects, so far */
	uint64_t left_out; /* requests that the format has no place for */
	bool marked;       /* and it was not written yet */
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
	bool (*write)(struct export *export, struct mnm_record *record);
};

void trace_begin_out(struct export *export);
void trace_event_out(struct export *export,
		     const struct mnm_record_event *event,
		     const struct live_block *block);
void trace_end_out(struct export *export);
/* Once all was read: says what is missing of the recording. Returns whether it
 * is whole. */
bool export_end_tell(struct export *export, const struct mnm_record *record);
/* Whether to go on with the next event: nobody has sent a signal, and what was
 * written has had room. */
bool export_goes_on(struct export *export);
bool folded_write(struct export *export, struct mnm_record *record);
bool torch_write(struct export *export, struct mnm_record *record);

/* The last has a NULL name. */
extern const struct export_format export_formats[];

static inline bool export_comes(const struct mnm_record_event *event)
{
	return event->kind == MNM_RECORD_LIVE ||
	       event->kind == MNM_RECORD_ALLOC;
}

#endif
