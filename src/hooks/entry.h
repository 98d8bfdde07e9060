/* How each entry that we export begins.
 *
 * Tools that watch a process, such as UCX, write a jump over the first bytes of
 * an entry and make the instructions that stood there runnable elsewhere. They
 * know few instructions. So src/common/entry.awk begins each entry with
 * instructions that do nothing, that such tools know, and that are together as
 * long as the longest jump. */
#ifndef MNM_ENTRY_H
#define MNM_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

/* The first four bytes of these instructions. */
#ifdef __x86_64__
#define ENTRY_BEGIN UINT32_C(0x00ec8148)
#elif defined(__aarch64__)
#define ENTRY_BEGIN UINT32_C(0x52800010)
#else
#error "how an entry begins is written for x86-64 and aarch64 only"
#endif

/* Whether somebody has written over an entry of ours. Any thread may do so at
 * any time, so each call that would bypass the entry checks it first. */
static inline bool entry_is_patched(const void *entry)
{
	return __builtin_expect(*(const uint32_t *)entry != ENTRY_BEGIN, 0);
}

#endif
