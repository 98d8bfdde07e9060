/* Shared by the small programs. Each line of standard input is a number, the
 * seed of a round. Each round prints one line, its result. So a test may do
 * something between any two rounds:
 *
 *     seq 10 | graph_relaunch */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_THREADS = 256 }; /* in a block */

static inline unsigned round_blocks(unsigned count)
{
	return (count + ROUND_THREADS - 1) / ROUND_THREADS;
}

/* Returns how many values a round has. Sizes come again, but not at once. */
static inline unsigned round_count(unsigned seed)
{
	return 1000 + seed % 4 * 7000;
}

/* Ends the program with its usage if it was given more than `wanted` words. */
static inline void rounds_open(int argc, int wanted, const char *usage)
{
	if (argc == wanted + 1)
		return;
	fprintf(stderr,
		"usage: %s, with a number of 0 to 1000000 a line on "
		"standard input\n",
		usage);
	exit(2);
}

/* Reads the next seed. Returns false at the end. A wrong one ends the
 * program. */
static inline bool round_next(unsigned *seed)
{
	char line[64], *end;
	unsigned long value;

	if (!fgets(line, sizeof(line), stdin))
		return false;
	errno = 0;
	value = strtoul(line, &end, 10);
	if (errno || end == line || (*end && *end != '\n') || value > 1000000) {
		fprintf(stderr, "%s: not a number of 0 to 1000000: %.*s\n",
			program_invocation_short_name, (int)strcspn(line, "\n"),
			line);
		exit(2);
	}
	*seed = (unsigned)value;
	return true;
}

/* Prints a round's result. A wrong one ends the program. */
static inline void round_end(unsigned seed, unsigned result, unsigned expected)
{
	if (result != expected) {
		fprintf(stderr, "%s: round %u: %08x where %08x is right\n",
			program_invocation_short_name, seed, result, expected);
		exit(1);
	}
	printf("round %u result %08x\n", seed, result);
	fflush(stdout);
}

#endif
