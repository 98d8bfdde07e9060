/* A recording again, as it went on one device: what its page draws. */
#ifndef MNM_COURSE_H
#define MNM_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "iterations.h"
#include "moments.h"
#include "regions.h"
#include "series.h"
#include "slow_calls.h"
#include "stack.h"
#include "summary.h"

enum { SIZE_CLASSES = 64 }; /* powers of two */

/* What there is to know of a device over time. */
enum course_figure {
	COURSE_LIVE,     /* bytes that live */
	COURSE_TAKEN,    /* bytes that their blocks take in pools */
	COURSE_RESERVED, /* bytes that pools have reserved */
	COURSE_IDLE,     /* reserved bytes that no block takes */
	/* Parts of what is reserved, or, if that is not known, of what blocks
	 * take. */
	COURSE_UNUSED,   /* that nobody asked for */
	COURSE_ROUNDING, /* that sizes were rounded up by */
	COURSE_FIGURES
};

struct course {
	unsigned int device;
	const struct device_summary *summary;
	/* Now: bytes that live, and what a pool serves of them, which takes so
	 * many in the pool. */
	uint64_t live, served, taken, reserved;
	bool pooled; /* it is known what some block takes */
	struct series series[COURSE_FIGURES];
	struct stack stack;
	/* undriven: requests that a pool has served without the driver, also
	 * for a part of one. */
	uint64_t requests, undriven;
	uint64_t counts[SIZE_CLASSES], bytes[SIZE_CLASSES];
	struct slow_calls slow_calls;
	struct iterations iterations;
	struct moments moments;
	struct regions regions;
	json_t *failures, *tree, *map;
};

/* NULL without memory. */
struct course *course_open(unsigned int device, const struct summary *summary,
			   const struct mnm_record *record,
			   struct symbols *symbols);
void course_close(struct course *course);

/* A block of the device comes or goes. */
void course_block(struct course *course, uint64_t bucket, uint64_t time,
		  const struct live_block *block, bool comes);

/* An event of the device, or of all, after what it changes; but for those of
 * MNM_RECORD_TOOK, which are added to slow_calls. */
void course_event(struct course *course, uint64_t bucket, uint64_t time,
		  const struct mnm_record_event *event);

/* An iteration begins that was not marked, or the last one has ended. */
void course_border(struct course *course, uint64_t time, bool last);

/* This is the moment of the peak. */
void course_peak(struct course *course, const struct live_blocks *live);

/* All of it, at the end. */
json_t *course_json(struct course *course);

#endif
