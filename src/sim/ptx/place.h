/* Where the host has what the lanes of a warp touch. */
#ifndef SIM_PTX_PLACE_H
#define SIM_PTX_PLACE_H

#include "exec.h"

struct ptx_places {
	/* If all lanes take part and their places are the same number of bytes
	 * apart: that of lane 0, and the number. Else NULL. */
	unsigned char *first;
	size_t step;
	unsigned char *at[PTX_LANES]; /* of each lane in the mask, else */
};

/* The places of the operation's address, `size` bytes each. If a lane must not
 * touch them, ends the run and returns false. */
bool ptx_places_find(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask, size_t size, bool write,
		     struct ptx_places *places);

/* The same for all lanes, if their places are the same number of bytes apart.
 * NULL if they are not, or must not be touched. */
unsigned char *ptx_place_even(struct ptx_warp *warp, const struct ptx_op *op,
			      size_t size, bool write, size_t *step);

/* The place of what a lane may touch at an address. If it may not, ends the run
 * and returns NULL. */
unsigned char *ptx_place(struct ptx_warp *warp, const struct ptx_op *op,
			 unsigned int lane, uint64_t addr, size_t size,
			 bool write);

static inline uint64_t ptx_address(const struct ptx_warp *warp,
				   const struct ptx_op *op, unsigned int lane)
{
	if (op->narrow)
		return (uint32_t)(((const uint32_t *)ptx_slot(warp,
							      op->a))[lane] +
				  (uint32_t)op->value);
	return ((const uint64_t *)ptx_slot(warp, op->a))[lane] +
	       (uint64_t)op->value;
}

#endif
