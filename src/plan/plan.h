/* Places buffers whose lifetimes are known into one range of addresses, so that
 * no two that live at the same time overlap, and the range is as small as can
 * be found. This library knows no CUDA and no pool; docs/tstack.md explains it.
 *
 * Time is any count that grows, as of events, in which ends are exclusive: a
 * buffer that ends at 5 and one that begins at 5 may share an address. */
#ifndef MNM_PLAN_H
#define MNM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan_buffer {
	uint64_t lower, upper; /* lives in [lower, upper); lower < upper */
	uint64_t size;         /* of its addresses; 1 to 2^48 */
	uint64_t align;        /* of its offset: a power of two; 0 stands for 1 */
};

struct plan_problem {
	const struct plan_buffer *buffers;
	size_t count; /* at most PLAN_MOST */
	/* 0: time is a line. Else time is a circle of that length, in which the
	 * same happens again and again: lower < period, and
	 * upper - lower <= period, so that upper may lie past the cut. */
	uint64_t period;
};

#define PLAN_MOST ((size_t)1 << 24)

struct plan_options {
	uint64_t capacity; /* a peak that is good enough; 0: only the bound is */
	double seconds;    /* of a thread's time, at most; the first, quick
			    * answers are completed in any case */
	uint64_t seed;     /* the same problem, options and seed give the same
			    * plan where time did not end the search */
	/* Asked now and then; true ends the search with the best so far. May be
	 * NULL. */
	bool (*stop)(void *argument);
	/* Told of each better peak. May be NULL. */
	void (*better)(void *argument, uint64_t peak, uint64_t bound);
	void *argument; /* of both */
};

struct plan {
	uint64_t *offsets; /* one a buffer; of malloc */
	uint64_t peak;     /* the largest end of a buffer */
	uint64_t bound;    /* no plan has a lower peak */
	double seconds;    /* that the search took, of its thread's time */
};

enum plan_status {
	PLAN_DONE,      /* *plan is filled in, and was validated */
	PLAN_WRONG,     /* the problem breaks a rule above, or its sizes
			 * add up to 2^63 or more */
	PLAN_NO_MEMORY, /* of the host's */
};

/* Starts no thread and writes nowhere. */
enum plan_status plan_solve(const struct plan_problem *problem,
			    const struct plan_options *options,
			    struct plan *plan);
void plan_release(struct plan *plan);

/* The most bytes that live at one time: no plan has a lower peak. */
enum plan_status plan_bound(const struct plan_problem *problem,
			    uint64_t *bound);

/* Whether no two buffers that live at the same time overlap at these offsets,
 * and each is aligned. Sets *peak only then. */
enum plan_status plan_is_valid(const struct plan_problem *problem,
			       const uint64_t *offsets, bool *valid,
			       uint64_t *peak);

#endif
