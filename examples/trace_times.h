/* The times of a job's iterations, in milliseconds. */
#ifndef TRACE_TIMES_H
#define TRACE_TIMES_H

/* Sorts them and returns the median, or 0 if there are none. */
float times_median(float *times, long count);

/* Prints one line on stdout, in their order. */
void times_print(const float *times, long count);

#endif
