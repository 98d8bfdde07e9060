/* Barriers of a block. */
#include "run.h"

static void result_set(struct ptx_warp *warp, const struct ptx_op *op,
		       unsigned int lane, const struct ptx_barrier *barrier)
{
	uint32_t *d = ptx_slot(warp, op->d);
	bool is = op->mode == PTX_BARRIER_AND ? barrier->set >= barrier->arrived
					      : barrier->set != 0;

	if (op->mode == PTX_BARRIER_POPC)
		d[lane] = barrier->set;
	else
		*d = (*d & ~(UINT32_C(1) << lane)) | (uint32_t)is << lane;
}

/* A number of threads is one of whole warps: those that a warp lacks, or that
 * have ended, come with the others. */
static bool has_all(const struct ptx_block *block,
		    const struct ptx_barrier *barrier)
{
	unsigned int arrived = barrier->arrived;

	if (!barrier->expected)
		return arrived >= block->live;
	for (uint32_t left = barrier->warps; left; left &= left - 1) {
		unsigned int w = (unsigned int)__builtin_ctz(left);

		arrived += PTX_LANES - (unsigned int)__builtin_popcount(
					       block->warps[w].live);
	}
	return arrived >= barrier->expected;
}

void ptx_barrier_check(struct ptx_block *block, unsigned int number)
{
	struct ptx_barrier *barrier = &block->barriers[number];

	if (!barrier->arrived || !has_all(block, barrier))
		return;
	for (unsigned int w = 0; w < block->run->warps; w++) {
		struct ptx_warp *warp = &block->warps[w];
		uint32_t there = warp->waiting[number];

		for (uint32_t left = there & warp->answered; left;
		     left &= left - 1) {
			unsigned int i = (unsigned int)__builtin_ctz(left);

			result_set(warp, warp->answers[i], i, barrier);
		}
		warp->blocked &= ~there;
		warp->answered &= ~there;
		warp->waiting[number] = 0;
	}
	*barrier = (struct ptx_barrier){0};
}
