/* A walk over the calling thread's stack, with each step checked: a wrong one
 * ends it, and reads nothing that can't be read. */
#ifndef MNM_RECORD_WALK_H
#define MNM_RECORD_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "eh_frame.h"

enum { WALK_COPY_SIZE = 2048 }; /* bytes; divides a page */

struct walk {
	uint64_t pc, stack, frame; /* registers of the function at hand */
	/* Are known to be readable, but for the first one. */
	uint64_t page, code_page;
	/* From a step by guess on, nothing is known to be the thread's own, and
	 * another may unmap it: so it is read as a copy. 0: of nothing. */
	bool by_guess;
	uint64_t copied;
	/* WALK_COPY_SIZE bytes; NULL: a filter may kill who asks the kernel, so
	 * a guess ends the walk. */
	uint8_t *copy;
	/* The file of the code that was followed last, and whether the last
	 * step was through a trampoline, which has called that. */
	const struct eh_module *module;
	bool by_trampoline;
	/* The loaded file that has the code, or NULL; and what is known of that
	 * place, or NULL. */
	const struct eh_rule *(*rule_find)(uint64_t code,
					   const struct eh_module **module);
};

/* To the function that has called the one at hand. Returns false if nobody is
 * known to have. */
bool walk_step(struct walk *walk);

/* Where the calling function was called, for a walk from there. */
#define WALK_HERE \
	.pc = walk_code_address( \
		((const uint64_t *)__builtin_frame_address(0))[1]), \
	.stack = (uintptr_t)__builtin_dwarf_cfa(), \
	.frame = ((const uint64_t *)__builtin_frame_address(0))[0]

/* Of a function that begins a walk. */
#define READS_STACK __attribute__((noinline, no_sanitize("address", "thread")))

static inline uint64_t walk_code_address(uint64_t word)
{
#ifdef __aarch64__
	word &= (UINT64_C(1) << 48) - 1; /* without its signature */
#endif
	return word;
}

#endif
