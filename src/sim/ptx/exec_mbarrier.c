/* Barriers that are objects in shared memory, as PTX ISA 8.7 describes them
 * ("Parallel Synchronization and Communication Instructions: mbarrier"). What
 * is in their 8 bytes is this file's own: arrivals that complete a phase,
 * arrivals that it still waits for, and its number. Threads of a block never
 * run at the same time, so nothing here is atomic. */
#include <string.h>

#include "place.h"

enum { COUNT_BITS = 20, COUNT_MOST = (1 << COUNT_BITS) - 1 };

struct object {
	uint32_t expected, pending;
	uint32_t phase;
};

static struct object unpack(uint64_t bits)
{
	return (struct object){
		.expected = bits & COUNT_MOST,
		.pending = bits >> COUNT_BITS & COUNT_MOST,
		.phase = (uint32_t)(bits >> 2 * COUNT_BITS),
	};
}

static uint64_t pack(struct object object)
{
	return object.expected | (uint64_t)object.pending << COUNT_BITS |
	       (uint64_t)object.phase << 2 * COUNT_BITS;
}

static uint32_t number_at(const struct ptx_warp *warp, uint32_t slot,
			  unsigned int lane)
{
	return ((const uint32_t *)ptx_slot(warp, slot))[lane];
}

static uint64_t *object_at(struct ptx_warp *warp, const struct ptx_op *op,
			   unsigned int lane)
{
	uint64_t addr = ptx_address(warp, op, lane);

	if (addr & (sizeof(uint64_t) - 1)) {
		ptx_run_fail(warp, op, lane, PTX_MISALIGNED,
			     "0x%llx is not aligned to 8 bytes",
			     (unsigned long long)addr);
		return NULL;
	}
	return (uint64_t *)(void *)ptx_place(warp, op, lane, addr,
					     sizeof(uint64_t), true);
}

void ptx_exec_mbarrier_init(struct ptx_warp *warp, const struct ptx_op *op,
			    uint32_t mask)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint32_t count = number_at(warp, op->b, i);
		uint64_t *at = object_at(warp, op, i);

		if (!at)
			return;
		if (!count || count > COUNT_MOST) {
			ptx_run_fail(warp, op, i, PTX_TRAPPED,
				     "an mbarrier for %u arrivals; allowed: 1 "
				     "to %d",
				     count, COUNT_MOST);
			return;
		}
		*at = pack((struct object){count, count, 0});
	}
}

/* The state that a thread gets is what the object was before. */
void ptx_exec_mbarrier_arrive(struct ptx_warp *warp, const struct ptx_op *op,
			      uint32_t mask)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint32_t count = number_at(warp, op->b, i);
		uint64_t *at = object_at(warp, op, i), before;
		struct object object;

		if (!at)
			return;
		before = *at;
		object = unpack(before);
		if (!count || count > object.pending) {
			ptx_run_fail(warp, op, i, PTX_TRAPPED,
				     "%u arrivals at an mbarrier that waits "
				     "for %u",
				     count, object.pending);
			return;
		}
		object.pending -= count;
		if (op->mode == PTX_MBARRIER_DROP)
			object.expected -= count;
		if (!object.pending) {
			object.pending = object.expected;
			object.phase++;
		}
		*at = pack(object);
		if (op->d != UINT32_MAX)
			((uint64_t *)ptx_slot(warp, op->d))[i] = before;
	}
}

/* Who finds the phase incomplete will ask again, so others have their turn. */
void ptx_exec_mbarrier_test(struct ptx_warp *warp, const struct ptx_op *op,
			    uint32_t mask)
{
	uint32_t *p = ptx_slot(warp, op->d), over = 0;

	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		const uint64_t *at = object_at(warp, op, i);
		uint32_t phase;

		if (!at)
			return;
		phase = unpack(*at).phase;
		if (op->mode == PTX_MBARRIER_PARITY)
			phase = (phase ^ number_at(warp, op->b, i)) & 1;
		else
			phase ^= unpack(((uint64_t *)ptx_slot(warp, op->b))[i])
					 .phase;
		over |= (uint32_t)(phase != 0) << i;
	}
	*p = (*p & ~mask) | over;
	warp->resting |= mask & ~over;
}

void ptx_exec_mbarrier_pending(struct ptx_warp *warp, const struct ptx_op *op,
			       uint32_t mask)
{
	const uint64_t *a = ptx_slot(warp, op->a);
	uint32_t *d = ptx_slot(warp, op->d);

	PTX_FOR_LANES(mask, { d[i] = unpack(a[i]).pending; });
}

void ptx_exec_rest(struct ptx_warp *warp, const struct ptx_op *op,
		   uint32_t mask)
{
	(void)op;
	warp->resting |= mask;
}
