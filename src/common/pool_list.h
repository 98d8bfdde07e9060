/* Every pool, a row each: POOL(name, backing, summary). A pool is
 * src/pools/NAME.c, which defines `const struct mnm_pool_ops NAME`, and its row
 * here. The backing is what its regions are made of if the user names nothing;
 * none if it has no regions. */
#ifndef MNM_POOL_LIST_H
#define MNM_POOL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "pool_choice.h"

/* clang-format off */
#define POOL_LIST \
POOL(page_unit_pool, NONE, \
	"whole pages; a freed block serves the next request of its size") \
POOL(vmm_pool, VIRTUAL, \
	"best fit; free pages that lie apart move together") \
POOL(tstack_pool, VIRTUAL, \
	"learns what repeats, and places blocks by a plan of it") \
POOL(best_fit_pool, DEVICE, \
	"best fit in segments, split and joined by PyTorch's rules") \
POOL(naive_pool, NONE, \
	"whole pages, above 2 MiB multiples of that (MXNet's Naive)") \
POOL(round_pool, NONE, \
	"powers of two, then multiples of 2^round_cutoff (MXNet's Round)") \
POOL(no_pool, NONE, "every request goes to the driver")
/* clang-format on */

#define POOL_DEFAULT "page_unit_pool"

enum {
	POOL_ROWS_MAX = 64,   /* ours and those of plug-ins */
	POOL_NAME_MAX = 63,   /* bytes, without the NUL */
	POOL_NAMES_SIZE = 256 /* of a text for pool_names */
};

struct mnm_pool_ops;
struct mnm_pool_row;

struct pool_row {
	const char *name, *summary;
	enum mnm_backing backing; /* of its own */
	/* How its choices are spelled, by backing: NAME, NAME@device ... */
	const char *spelled[BACKING_COUNT];
	/* Of a plug-in's pool; else both are NULL. */
	const char *file;
	const struct mnm_pool_ops *ops;
	bool off; /* atomic; it is switched off, see checked/checked.h */
};

/* All rows, ours first; the last has a NULL name. Those of plug-ins are added
 * before the options are read, so no reader needs a lock. */
extern const struct pool_row *const pool_rows;

/* The row's index, or -1 if no pool has that name. */
int pool_row_find(const char *name);

int pool_rows_count(void);

/* The pool of that name serves no more, and can't be chosen. */
void pool_row_switch_off(const char *name);
bool pool_row_is_off(const struct pool_row *row);

/* Adds the pools of a plug-in, whose rows are right and fit. `file` has to
 * stay. Returns false without memory. */
bool pool_rows_add(const struct mnm_pool_row *rows, unsigned int count,
		   const char *file);

/* Writes "a, b, c" into text, at most size bytes; for error lines. What does
 * not fit is "...". */
void pool_names(char *text, size_t size);

#endif
