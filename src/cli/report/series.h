/* A figure over time, in a bounded number of points: of each bucket of time the
 * first value, the last, the least and the greatest. So a line through them
 * looks like one through all. */
#ifndef MNM_SERIES_H
#define MNM_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct series_point {
	uint64_t time; /* nanoseconds */
	int64_t value;
};

struct series {
	struct series_point *points;
	size_t count, room;
	bool open; /* there is a bucket */
	uint64_t bucket;
	struct series_point first, last, least, greatest; /* of it */
};

/* Adds a value; times never fall, and each bucket's come one after another.
 * Without memory, points are left out. */
void series_put(struct series *series, uint64_t bucket, uint64_t time,
		int64_t value);

/* The greatest value of all; 0 without any. */
int64_t series_greatest(const struct series *series);

/* Ends the series, and returns {"t": [...], "v": [...]}, where each time but
 * the first is the difference to the one before. NULL without a point. */
json_t *series_end(struct series *series);

#endif
