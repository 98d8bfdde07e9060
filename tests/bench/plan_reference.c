/* Some work that is always the same, and prints the thread's time that it took,
 * in seconds. scripts/bench-plan runs it between the runs that it times: what
 * makes it slower makes them slower, too. It does what planners do: it sorts,
 * and follows indices through a table. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 1 << 16, ROUNDS = 4 };

static uint32_t keys[COUNT], next[COUNT];

static double thread_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int key_compare(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* A part of the result depends on all of the work, so that none is left out. */
static uint32_t work(void)
{
	uint32_t state = 1, at = 0;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < COUNT; i++) {
			state ^= state << 13;
			state ^= state >> 17;
			state ^= state << 5;
			keys[i] = state;
			next[i] = state % COUNT;
		}
		qsort(keys, COUNT, sizeof(*keys), key_compare);
		for (int i = 0; i < 4 * COUNT; i++)
			at = (next[at] + keys[at]) % COUNT;
	}
	return at;
}

int main(void)
{
	double before = thread_seconds();
	uint32_t result = work();

	printf("%.6f %u\n", thread_seconds() - before, (unsigned int)result);
	return EXIT_SUCCESS;
}
