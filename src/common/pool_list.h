/* Every pool, a row each: POOL(name, summary). A pool is src/pools/NAME.c,
 * which defines `const struct mnm_pool_ops NAME`, and its row here. */
#ifndef MNM_POOL_LIST_H
#define MNM_POOL_LIST_H

#include <stddef.h>

/* clang-format off */
#define POOL_LIST \
POOL(page_unit_pool, \
	"whole pages; a freed block serves the next request of its size") \
POOL(vmm_pool, \
	"best fit; free pages that lie apart move together") \
POOL(best_fit_pool, \
	"best fit in segments, split and joined by PyTorch's rules") \
POOL(naive_pool, "whole pages, above 2 MiB multiples of that (MXNet's Naive)") \
POOL(round_pool, \
	"powers of two, then multiples of 2^round_cutoff (MXNet's Round)") \
POOL(no_pool, "every request goes to the driver")
/* clang-format on */

#define POOL_DEFAULT "page_unit_pool"

struct pool_row {
	const char *name, *summary;
};

/* All rows; the last has a NULL name. */
extern const struct pool_row pool_rows[];

/* The row's index, or -1 if no pool has that name. */
int pool_row_find(const char *name);

/* Writes "a, b, c" into text, at most size bytes; for error lines. */
void pool_names(char *text, size_t size);

#endif
