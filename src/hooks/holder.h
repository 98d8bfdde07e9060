/* What an address is of: a block, or a part of what another process has passed
 * on. CUDA may only know the allocation that has it. */
#ifndef MNM_HOLDER_H
#define MNM_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/pool_choice.h"
#include "cuda/real.h" /* CUDA's types */

struct block;

struct holder {
	struct block *block;      /* that holds it, or NULL */
	uint64_t word;            /* of the block */
	bool placed;              /* the address is in a region */
	enum mnm_backing backing; /* of that; else none */
	bool imported;            /* by a handle of ours, see mem/exports.h */
	/* Of the block, or of what is imported. */
	CUdeviceptr base;
	size_t size;
};

struct holder holder_of(CUdeviceptr addr);

/* Whether the address is in something that the program has, which may be a part
 * of an allocation of CUDA's. */
bool holder_is_known(const struct holder *holder);

/* An address that is never an allocation of CUDA's. */
extern char holder_none;
#define NO_ALLOCATION ((CUdeviceptr)&holder_none)

/* The address to ask CUDA about: addr, or, if the program has nothing at addr
 * in memory of ours, one that is no allocation. */
CUdeviceptr holder_address(const struct holder *holder, CUdeviceptr addr);

#endif
