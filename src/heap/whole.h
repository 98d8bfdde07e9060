/* Sizes of which blocks have been passed to other processes. Such memory can't
 * be used again here, and only a block that is an allocation of its own goes
 * back to the driver. So pools that place blocks take such blocks whole from
 * the driver from then on. */
#ifndef MNM_WHOLE_H
#define MNM_WHOLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bit for the sizes from each power of two up to the next. */
extern _Atomic uint64_t whole_sizes;

static inline uint64_t whole_bit(size_t size)
{
	return size ? UINT64_C(1) << (63 - __builtin_clzll(size)) : 0;
}

static inline bool size_is_whole(size_t size)
{
	return atomic_load_explicit(&whole_sizes, memory_order_relaxed) &
	       whole_bit(size);
}

static inline bool sizes_are_whole(void)
{
	return atomic_load(&whole_sizes);
}

/* A block of that size has been passed on. Returns whether it is the first of
 * such sizes. */
bool size_make_whole(size_t size);

#endif
