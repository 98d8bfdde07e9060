#include "trace_times.h"

#include <stdio.h>
#include <stdlib.h>

static int compare_times(const void *a, const void *b)
{
	float left = *(const float *)a, right = *(const float *)b;

	return (left > right) - (left < right);
}

float times_median(float *times, long count)
{
	long half = count / 2;

	if (!count)
		return 0;
	qsort(times, (size_t)count, sizeof(*times), compare_times);
	if (count % 2)
		return times[half];
	return (times[half - 1] + times[half]) / 2;
}

void times_print(const float *times, long count)
{
	printf("times");
	for (long i = 0; i < count; i++)
		printf(" %.6f", times[i]);
	printf("\n");
}
