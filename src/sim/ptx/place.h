/* Where the host has what the lanes of a warp touch. */
#ifndef SIM_PTX_PLACE_H
#define SIM_PTX_PLACE_H

#include "exec.h"

/* Blocks are often 8 or 16 wide, so that lanes are looked at in rows of 8. */
enum { PTX_ROW = 8, PTX_ROWS = PTX_LANES / PTX_ROW };

/* Where the lanes of each row are the same number of bytes apart. */
struct ptx_rows {
	unsigned char *first[PTX_ROWS]; /* of each row's first lane */
	size_t step;
};

static inline void ptx_rows_same(struct ptx_rows *rows, unsigned char *at)
{
	for (unsigned int i = 0; i < PTX_ROWS; i++)
		rows->first[i] = at;
	rows->step = 0;
}

struct ptx_places {
	bool even; /* all lanes take part, and are as rows says */
	struct ptx_rows rows;
	unsigned char *at[PTX_LANES]; /* of each lane in the mask, else */
};

/* The places of the operation's address, `size` bytes each. If a lane must not
 * touch them, ends the run and returns false. */
bool ptx_places_find(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask, size_t size, bool write,
		     struct ptx_places *places);

/* The same for all lanes, if those of each row are evenly apart. False if they
 * are not, or must not be touched. */
bool ptx_places_even(struct ptx_warp *warp, const struct ptx_op *op,
		     size_t size, bool write, struct ptx_rows *rows);

/* The place of what a lane may touch at an address. If it may not, ends the run
 * and returns NULL. */
unsigned char *ptx_place(struct ptx_warp *warp, const struct ptx_op *op,
			 unsigned int lane, uint64_t addr, size_t size,
			 bool write);

/* The place of what all lanes have at an address. NULL if they must not touch
 * it, or each has its own. */
unsigned char *ptx_place_if(struct ptx_warp *warp, const struct ptx_op *op,
			    uint64_t addr, size_t size, bool write);

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
