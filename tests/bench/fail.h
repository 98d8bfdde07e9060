/* Ends a benchmark whose figures would be wrong. */
#ifndef MNM_BENCH_FAIL_H
#define MNM_BENCH_FAIL_H

#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn)) static inline void fail(const char *what,
						  const char *why)
{
	fprintf(stderr, "pair: %s: %s\n", what, why);
	exit(1);
}

#endif
