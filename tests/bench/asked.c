/* What requests to the control socket cost the program's own threads. One
 * thread allocates and frees without a pause, another asks.
 *
 *   stat   what a request costs the busy thread: slices of time with requests,
 *          one after the other, are compared with slices without any. Likewise
 *          for requests that read no figures, which shows what two busy
 *          processors cost each other.
 *   swap   the longest call of the busy thread while the pool is swapped with
 *          many blocks live, and in as long a time without a swap
 *
 * Prints medians in microseconds as one line of JSON. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "contender.h"
#include "crew.h"
#include "fail.h"

enum {
	LIVE = 100000,
	BLOCK = 4096,
	SLICES = 101, /* odd; every second one has requests */
	WINDOW = 16
};

static const double slice_seconds = 0.02;  /* with stat */
static const unsigned int slice_us = 3000; /* with swap, about */

static struct contender who;
static int cores[2];
/* The present slice of time, from 0. Odd slices have requests. */
static atomic_int slice;
/* By slice. To be read when the thread that wrote them has ended. */
static double asked_us[SLICES]; /* of all requests, until their answers */
static unsigned long requests[SLICES];
static double took[SLICES], pairs[SLICES]; /* seconds, with stat */
static double longest_us[SLICES]; /* one call of the busy thread, with swap */

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values, int count)
{
	if (!count)
		fail("requests",
		     "none was answered in time: too busy a machine");
	qsort(values, (size_t)count, sizeof(*values), compare);
	return values[count / 2];
}

/* Returns the median of every second value, from `first` on. */
static double median_of(const double *values, int first)
{
	double some[SLICES / 2];

	for (int i = 0; i < SLICES / 2; i++)
		some[i] = values[first + 2 * i];
	return median(some, SLICES / 2);
}

static void *block_take(size_t size)
{
	void *block = who.alloc(size);

	if (!block)
		fail(who.version, "out of memory");
	return block;
}

/* Makes pairs for a slice, and sets *made to their number. Returns the
 * seconds. */
static double stat_slice(double *made)
{
	double start = seconds_now(), now;
	size_t size = 1 << 20;

	*made = 0;
	do {
		void *blocks[WINDOW];

		for (int i = 0; i < WINDOW; i++)
			blocks[i] = block_take(size);
		for (int i = 0; i < WINDOW; i++)
			who.free(blocks[i], size);
		*made += WINDOW;
		now = seconds_now();
	} while (now - start < slice_seconds);
	return now - start;
}

/* Sends requests in odd slices, in every second one of them for figures, until
 * the last slice is over. */
static void *stat_ask(void *arg)
{
	int now;

	pin(cores[1]);
	while ((now = slice) < SLICES) {
		if (now % 2) {
			asked_us[now] += ask(now % 4 == 1 ? REQUEST("stat")
							  : REQUEST("pools")) *
					 1e6;
			requests[now]++;
		} else {
			usleep(200);
		}
	}
	return arg;
}

static void stat_measure(void)
{
	for (int i = 0; i < SLICES; i++) {
		slice = i;
		took[i] = stat_slice(&pairs[i]);
	}
	slice = SLICES;
}

struct asked {
	double cost_us, answered_us; /* of a request, medians */
};

/* Takes every fourth slice, from `first` on. */
static struct asked stat_cost(int first)
{
	double cost[SLICES], asked[SLICES];
	int count = 0;

	for (int i = first; i < SLICES - 1; i += 4) {
		double quiet = (took[i - 1] / pairs[i - 1] +
				took[i + 1] / pairs[i + 1]) /
			       2;
		double more = (took[i] - quiet * pairs[i]) * 1e6;

		if (!requests[i])
			continue;
		cost[count] = more / (double)requests[i];
		asked[count++] = asked_us[i] / (double)requests[i];
	}
	return (struct asked){median(cost, count), median(asked, count)};
}

static void stat_print(void)
{
	struct asked stat = stat_cost(1), other = stat_cost(3);

	printf("{\"cost_us\": %.4f, \"answered_us\": %.2f, "
	       "\"other_us\": %.4f}\n",
	       stat.cost_us, stat.answered_us, other.cost_us);
}

/* Swaps in odd slices. The next free gives the pools' memory back. */
static void *swap_ask(void *arg)
{
	static const char *const pools[] = {
		REQUEST("swap\",\"pool\":\"no_pool"),
		REQUEST("swap\",\"pool\":\"page_unit_pool")};

	pin(cores[1]);
	for (int i = 0; i < SLICES; i++) {
		slice = i;
		if (i % 2)
			asked_us[i] = ask(pools[i / 2 % 2]) * 1e6;
		usleep(slice_us);
	}
	slice = SLICES;
	return arg;
}

static void swap_note(int now, double start)
{
	double took = (seconds_now() - start) * 1e6;

	if (took > longest_us[now])
		longest_us[now] = took;
}

static void swap_measure(void)
{
	int now;

	while ((now = slice) < SLICES) {
		double start = seconds_now();
		void *block = block_take(BLOCK);

		swap_note(now, start);
		start = seconds_now();
		who.free(block, BLOCK);
		swap_note(now, start);
	}
}

static void swap_print(void)
{
	printf("{\"longest_us\": %.2f, \"quiet_us\": %.2f, "
	       "\"answered_us\": %.2f}\n",
	       median_of(longest_us, 1), median_of(longest_us, 0),
	       median_of(asked_us, 1));
}

int main(int argc, char **argv)
{
	bool swaps = argc == 5 && !strcmp(argv[4], "swap");
	static void *live[LIVE];
	pthread_t thread;

	if (argc != 5 || (!swaps && strcmp(argv[4], "stat"))) {
		fputs("Usage: asked DRIVER.so CORE CORE stat|swap\n", stderr);
		return 2;
	}
	cores[0] = atoi(argv[2]);
	cores[1] = atoi(argv[3]);
	contender_open(&who, argv[1]);
	for (int i = 0; i < (swaps ? LIVE : 1); i++)
		live[i] = block_take(BLOCK);
	ask(REQUEST("stat"));
	if (pthread_create(&thread, NULL, swaps ? swap_ask : stat_ask, NULL))
		fail("threads", "no more can be started");
	pin(cores[0]);
	if (swaps)
		swap_measure();
	else
		stat_measure();
	pthread_join(thread, NULL);
	if (swaps)
		swap_print();
	else
		stat_print();
	for (int i = 0; i < (swaps ? LIVE : 1); i++)
		who.free(live[i], BLOCK);
	return 0;
}
