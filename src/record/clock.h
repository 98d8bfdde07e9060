/* A clock that is read in a few nanoseconds: the processor's counter where it
 * runs evenly, else CLOCK_MONOTONIC. */
#ifndef MNM_RECORD_CLOCK_H
#define MNM_RECORD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* Whether the counter is used; set once, before there are rings. */
extern bool record_clock_counts;

void record_clock_open(void);

static inline uint64_t record_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* In ticks, whose length clock.c finds out. */
static inline uint64_t record_clock(void)
{
#ifdef __x86_64__
	if (record_clock_counts)
		return __rdtsc();
#endif
	return record_clock_ns();
}

/* Turns ticks into nanoseconds since a moment. */
struct record_scale {
	uint64_t ticks, ns;        /* at that moment, of CLOCK_MONOTONIC */
	uint64_t last_ticks, last; /* when it was set last, and what that is in
				    * nanoseconds since then */
	double length;             /* of a tick, in nanoseconds */
};

void record_scale_begin(struct record_scale *scale);
/* Measures anew; to be called now and then. Returns the present ticks. */
uint64_t record_scale_turn(struct record_scale *scale);
uint64_t record_scale_ns(const struct record_scale *scale, uint64_t ticks);

#endif
