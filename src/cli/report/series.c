#include "series.h"

#include <stdlib.h>

static void point_add(struct series *series, struct series_point point)
{
	const struct series_point *before =
		series->count ? &series->points[series->count - 1] : NULL;

	if (before && before->time == point.time &&
	    before->value == point.value)
		return;
	if (!series->points || series->count == series->room) {
		size_t room = series->room ? 2 * series->room : 256;
		struct series_point *more =
			realloc(series->points, room * sizeof(*more));

		if (!more)
			return;
		series->points = more;
		series->room = room;
	}
	series->points[series->count++] = point;
}

static void bucket_end(struct series *series)
{
	bool falls = series->greatest.time <= series->least.time;

	if (!series->open)
		return;
	point_add(series, series->first);
	point_add(series, falls ? series->greatest : series->least);
	point_add(series, falls ? series->least : series->greatest);
	point_add(series, series->last);
	series->open = false;
}

void series_put(struct series *series, uint64_t bucket, uint64_t time,
		int64_t value)
{
	struct series_point point = {time, value};

	if (series->open && bucket != series->bucket)
		bucket_end(series);
	if (!series->open) {
		series->open = true;
		series->bucket = bucket;
		series->first = series->least = series->greatest = point;
	}
	if (value < series->least.value)
		series->least = point;
	if (value > series->greatest.value)
		series->greatest = point;
	series->last = point;
}

int64_t series_greatest(const struct series *series)
{
	int64_t most = series->open ? series->greatest.value : 0;

	for (size_t i = 0; i < series->count; i++)
		if (series->points[i].value > most)
			most = series->points[i].value;
	return most;
}

json_t *series_end(struct series *series)
{
	json_t *times = NULL, *values = NULL;
	uint64_t before = 0;

	bucket_end(series);
	if (series->count) {
		times = json_array();
		values = json_array();
	}
	for (size_t i = 0; i < series->count; i++) {
		const struct series_point *point = &series->points[i];

		json_array_append_new(
			times,
			json_integer((json_int_t)(point->time - before)));
		json_array_append_new(values, json_integer(point->value));
		before = point->time;
	}
	free(series->points);
	*series = (struct series){0};
	return times ? json_pack("{s:o,s:o}", "t", times, "v", values) : NULL;
}
