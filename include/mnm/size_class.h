/* Size classes: the spans that a pool rounds requests up to.
 *
 * A pool publishes its classes, so that threads can keep some of its blocks for
 * themselves and find one without asking the pool. For that, without slack, the
 * span of each request must be the one that is computed here, and a block must
 * serve only requests of its own span. All sizes are in bytes. */
#ifndef MNM_SIZE_CLASS_H
#define MNM_SIZE_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mnm_size_classes {
	/* The bytes that each span is a multiple of: a power of two from 512
	 * on, or 0 if the pool's spans follow no such rule. */
	size_t unit;
	/* So many spans from one power of two up to the next, where these are
	 * at least a unit apart: a power of two. 0: each multiple of the unit
	 * is a span. */
	size_t divisions;
	/* Spans above it are the multiples of it: a power of two, at least a
	 * unit. 0: there is no such bound. */
	size_t coarse;
	/* Larger blocks are not kept in front of the pool; 0: all are. */
	size_t kept_most;
};

static inline bool mnm_size_class_is_kept(
	const struct mnm_size_classes *classes, size_t span)
{
	return !classes->kept_most || span <= classes->kept_most;
}

/* Whether each multiple of the unit is a span, however large. */
static inline bool mnm_size_classes_are_linear(
	const struct mnm_size_classes *classes)
{
	return !classes->divisions && !classes->coarse;
}

/* The distance between the spans where a request of that size is. */
static inline size_t mnm_size_class_step(const struct mnm_size_classes *classes,
					 size_t size)
{
	size_t octave, step;

	if (classes->coarse && size > classes->coarse)
		return classes->coarse;
	if (!classes->divisions || size < 2)
		return classes->unit;
	octave = (size_t)1 << (63 - __builtin_clzl(size - 1));
	step = octave >> __builtin_ctzl(classes->divisions);
	return step > classes->unit ? step : classes->unit;
}

/* The span of a request, or 0 if no number of bytes is as large. The classes
 * have a unit. */
static inline size_t mnm_size_class_span(const struct mnm_size_classes *classes,
					 size_t size)
{
	size_t mask = mnm_size_class_step(classes, size) - 1;

	return size > SIZE_MAX - mask ? 0 : (size + mask) & ~mask;
}

#endif
