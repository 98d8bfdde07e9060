/* For the tests of checked pools: a pool whose answers a test decides, and what
 * was said of it. */
#ifndef TESTS_UNIT_CHECKED_H
#define TESTS_UNIT_CHECKED_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked/checked.h"
#include "common/log.h"
#include "run.h"

static char said[512];
static atomic_int lines;
static void (*heard)(void); /* called with each line */

void __wrap_log_line(enum log_level level, const char *format, ...);
void __wrap_log_line(enum log_level level, const char *format, ...)
{
	va_list args;

	ck_assert_int_eq(level, LOG_ERROR);
	va_start(args, format);
	vsnprintf(said, sizeof(said), format, args);
	va_end(args);
	lines++;
	if (heard)
		heard();
}

/* The pools that a test has opened. They live as long as its process does, and
 * are no leaks while they can be reached. */
enum { OPENED_MOST = 8 };
static struct mnm_pool *opened[OPENED_MOST];
static int opened_count;

/* The checked pool in front of one with that table, opened. */
static inline struct mnm_pool *checked_opened(const struct mnm_pool_ops *inner,
					      enum mnm_backing backing)
{
	static const struct mnm_pool_options options = {
		.size = sizeof(options), .page_size = 4096, .vmm_spare = 3};
	const struct mnm_pool_ops *ops = checked_ops(inner);
	struct mnm_pool *pool;

	ck_assert_ptr_nonnull(ops);
	pool = calloc(1, ops->size);
	pool->ops = ops;
	pool->backing = backing;
	ck_assert_int_lt(opened_count, OPENED_MOST);
	opened[opened_count++] = pool;
	ck_assert(ops->open(pool, &options));
	return pool;
}

/* The pool has been switched off, and one line says why. */
static inline void faulted(const struct mnm_pool *pool, const char *why)
{
	ck_assert_msg(checked_is_off(pool->ops), "not noticed: %s", why);
	ck_assert_int_eq(lines, 1);
	ck_assert_msg(strstr(said, why), "\"%s\", not \"%s\"", said, why);
}

#endif
