/* What is in a warp's slots before it begins. */
#include <string.h>

#include "run.h"

static uint64_t constant_value(const struct ptx_run *run,
			       const struct ptx_constant *at)
{
	if (at->kind == PTX_CONSTANT_PARAM)
		return (uintptr_t)run->params + at->bits;
	if (at->kind == PTX_CONSTANT_VARIABLE)
		return run->variables[at - run->program->constants].begin +
		       at->bits;
	if (at->kind == PTX_CONSTANT_GRID)
		return (uintptr_t)run->grid_barrier >> at->bits;
	return at->bits;
}

static uint32_t part_of(const unsigned int *sizes, char part)
{
	return part == 'x'   ? sizes[0]
	       : part == 'y' ? sizes[1]
	       : part == 'z' ? sizes[2]
			     : 0;
}

static uint32_t special_value(const struct ptx_warp *warp,
			      const struct ptx_special *at, unsigned int lane)
{
	const struct ptx_run *run = warp->run;
	const unsigned int *block = run->launch->block;
	unsigned int thread = warp->index * PTX_LANES + lane;
	unsigned int tid[] = {thread % block[0], thread / block[0] % block[1],
			      thread / block[0] / block[1]};
	uint32_t one = UINT32_C(1) << lane;

	switch ((enum ptx_special_kind)at->which) {
	case PTX_SPECIAL_TID:
		return part_of(tid, at->part);
	case PTX_SPECIAL_NTID:
		return part_of(block, at->part);
	case PTX_SPECIAL_CTAID:
		return part_of(warp->block->id, at->part);
	case PTX_SPECIAL_NCTAID:
		return part_of(run->launch->grid, at->part);
	case PTX_SPECIAL_LANEID:
		return lane;
	case PTX_SPECIAL_WARPID:
		return warp->index;
	case PTX_SPECIAL_NWARPID:
		return run->warps;
	case PTX_SPECIAL_LANEMASK_EQ:
		return one;
	case PTX_SPECIAL_LANEMASK_LE:
		return one | (one - 1);
	case PTX_SPECIAL_LANEMASK_LT:
		return one - 1;
	case PTX_SPECIAL_LANEMASK_GE:
		return ~(one - 1);
	case PTX_SPECIAL_LANEMASK_GT:
		return ~(one | (one - 1));
	case PTX_SPECIAL_DYNAMIC_SMEM:
		return (uint32_t)run->launch->shared_bytes;
	case PTX_SPECIAL_TOTAL_SMEM:
		return (uint32_t)run->shared_bytes -
		       (run->program->reserves ? PTX_RESERVED_SMEM : 0);
	case PTX_SPECIAL_RESERVED_SMEM:
		return (uint32_t)run->shared_bytes - PTX_RESERVED_SMEM;
	case PTX_SPECIAL_ONE:
		return 1;
	case PTX_SPECIAL_ZERO:
		return 0;
	}
	return 0;
}

static void special_put(struct ptx_warp *warp, const struct ptx_special *at)
{
	uint32_t *slot = ptx_slot(warp, at->slot);
	uint32_t same = special_value(warp, at, 0);

	/* This one is filled again for each block. */
	if (at->which == PTX_SPECIAL_CTAID)
		for (unsigned int i = 0; i < PTX_LANES; i++)
			slot[i] = same;
	else
		for (unsigned int i = 0; i < PTX_LANES; i++)
			slot[i] = special_value(warp, at, i);
}

void ptx_frame_fill(struct ptx_warp *warp)
{
	const struct ptx_program *program = warp->run->program;

	for (uint32_t i = 0; i < program->constant_count; i++) {
		const struct ptx_constant *at = &program->constants[i];
		uint64_t value = constant_value(warp->run, at);
		unsigned char *slot = ptx_slot(warp, at->slot);
		uint32_t lanes = value ? PTX_ALL_LANES : 0;

		if (!at->bytes)
			memcpy(slot, &lanes, sizeof(lanes));
		for (unsigned int k = 0; k < PTX_LANES && at->bytes; k++)
			memcpy(slot + (size_t)k * at->bytes, &value, at->bytes);
	}
	for (uint32_t i = 0; i < program->special_count; i++)
		special_put(warp, &program->specials[i]);
}

void ptx_frame_begin(struct ptx_warp *warp)
{
	const struct ptx_program *program = warp->run->program;

	for (uint32_t i = 0; i < program->special_count; i++)
		if (program->specials[i].which == PTX_SPECIAL_CTAID)
			special_put(warp, &program->specials[i]);
	for (uint32_t i = 0; i < program->routine_count; i++) {
		const struct ptx_routine *at = &program->routines[i];

		*(uint32_t *)ptx_slot(warp, at->active) = 0;
		if (at->recursive)
			memset(ptx_slot(warp, at->delta), 0,
			       PTX_LANES * sizeof(uint64_t));
	}
	for (unsigned int i = 0; program->recursive && i < PTX_LANES; i++) {
		warp->stacks[i].kept_bytes = 0;
		warp->stacks[i].top = program->thread_bytes;
	}
}
