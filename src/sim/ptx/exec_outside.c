/* Functions that the caller of ptx_run() has: memory for kernels, and
 * conditions of graphs. */
#include <string.h>

#include "exec.h"

uint64_t ptx_outside_param(const struct ptx_warp *warp, const struct ptx_op *op,
			   unsigned int lane, uint32_t which, size_t bytes)
{
	uint64_t delta = ((const uint64_t *)ptx_slot(warp, op->e))[lane];
	uint64_t number = 0;

	memcpy(&number,
	       warp->local + lane * warp->run->thread_bytes + op->list[which] +
		       delta,
	       bytes);
	return number;
}

static void result_set(const struct ptx_warp *warp, const struct ptx_op *op,
		       unsigned int lane, uint32_t which, uint64_t result)
{
	uint64_t delta = ((const uint64_t *)ptx_slot(warp, op->e))[lane];

	memcpy(warp->local + lane * warp->run->thread_bytes + op->list[which] +
		       delta,
	       &result, sizeof(result));
}

void ptx_exec_malloc(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask)
{
	const struct ptx_host *host = warp->run->host;

	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint64_t size = ptx_outside_param(warp, op, i, 0, 8);

		result_set(warp, op, i, 1,
			   host->take ? host->take(host->user, size) : 0);
	}
}

void ptx_exec_free(struct ptx_warp *warp, const struct ptx_op *op,
		   uint32_t mask)
{
	const struct ptx_host *host = warp->run->host;

	for (uint32_t left = mask; left && !warp->run->result;
	     left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint64_t addr = ptx_outside_param(warp, op, i, 0, 8);

		if (addr && (!host->give || !host->give(host->user, addr)))
			ptx_run_fail(warp, op, i, PTX_ILLEGAL_ADDRESS,
				     "free() of 0x%llx, where no memory of "
				     "malloc() is",
				     (unsigned long long)addr);
	}
}

void ptx_exec_condition(struct ptx_warp *warp, const struct ptx_op *op,
			uint32_t mask)
{
	const struct ptx_host *host = warp->run->host;

	for (uint32_t left = mask; left && !warp->run->result;
	     left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint64_t handle = ptx_outside_param(warp, op, i, 0, 8);
		uint32_t value = (uint32_t)ptx_outside_param(warp, op, i, 1, 4);

		if (!host->condition ||
		    !host->condition(host->user, handle, value))
			ptx_run_fail(warp, op, i, PTX_ILLEGAL_ADDRESS,
				     "0x%llx is no condition of a graph",
				     (unsigned long long)handle);
	}
}
