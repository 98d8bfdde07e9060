/* Which placed blocks the program has, as a tool sees it (cuda/tool.h). */
#ifndef MNM_SHOWN_H
#define MNM_SHOWN_H

#include <stddef.h>
#include <stdint.h>

struct block;

/* The program has so many bytes there from now on; it is about to lose a block
 * that it has. Nothing is shown of blocks that are allocations of CUDA's, which
 * CUDA shows itself. */
void shown_begin(uint64_t addr, size_t bytes);
void shown_end(const struct block *block);

#endif
