/* The threads of a warp. Those that stand at the same operation do it together.
 * Of several such groups the one that is furthest behind runs, until it meets
 * another: so they come together again where branches do. */
#include <string.h>

#include "exec.h"
#include "run.h"

enum { TURN = 20000 }; /* operations, while other groups wait */

/* The lanes that run now, and where they are. */
struct group {
	uint32_t mask;
	uint32_t pc;
	uint32_t meeting; /* the next place where other lanes are */
};

#define BIT(i)  UINT32_C(1) << (i)
#define BITS(i) BIT(i), BIT((i) + 1), BIT((i) + 2), BIT((i) + 3)

const uint32_t ptx_lane_bits[PTX_LANES] = {BITS(0),  BITS(4),  BITS(8),
					   BITS(12), BITS(16), BITS(20),
					   BITS(24), BITS(28)};

static uint32_t least(uint32_t x, uint32_t y)
{
	return x < y ? x : y;
}

/* The lanes at the lowest place that is not below `from`. */
PTX_WIDE static struct group group_find(const struct ptx_warp *warp,
					uint32_t ready, uint32_t from)
{
	struct group group = {0, UINT32_MAX, UINT32_MAX};
	uint32_t places[PTX_LANES];
	uint8_t here[PTX_LANES];

	for (unsigned int i = 0; i < PTX_LANES; i++) {
		uint32_t pc = warp->pc[i];

		pc = ready & ptx_lane_bits[i] && pc >= from ? pc : UINT32_MAX;
		places[i] = pc;
		group.pc = least(group.pc, pc);
	}
	if (group.pc == UINT32_MAX)
		return group;
	for (unsigned int i = 0; i < PTX_LANES; i++) {
		uint32_t pc = places[i];

		here[i] = pc == group.pc;
		group.meeting =
			least(group.meeting, pc > group.pc ? pc : UINT32_MAX);
	}
	group.mask = ptx_mask_of(here);
	return group;
}

PTX_WIDE static void group_leave(struct ptx_warp *warp, uint32_t mask,
				 uint32_t pc)
{
	for (unsigned int i = 0; i < PTX_LANES; i++)
		warp->pc[i] = mask & ptx_lane_bits[i] ? pc : warp->pc[i];
}

static void lanes_end(struct ptx_warp *warp, uint32_t mask)
{
	struct ptx_block *block = warp->block;

	warp->live &= ~mask;
	warp->syncing = 0; /* those look again whom they wait for */
	block->live -= (unsigned int)__builtin_popcount(mask);
	for (unsigned int i = 0; i < PTX_BARRIERS; i++)
		ptx_barrier_check(block, i);
}

static void table_jump(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask)
{
	const uint32_t *index = ptx_slot(warp, op->a);

	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		if (index[i] >= op->count) {
			ptx_run_fail(warp, op, i, PTX_TRAPPED,
				     "brx.idx to label %u of %u", index[i],
				     op->count);
			return;
		}
		warp->pc[i] = op->list[index[i]];
	}
}

/* Whether a lane waits where the operation is done. Lanes that only wait for
 * each other (bar.warp.sync) may do so at different places. */
static bool waits_at(const struct ptx_warp *warp, const struct ptx_op *op,
		     unsigned int lane, uint32_t pc)
{
	const struct ptx_op *ops = warp->run->program->ops;

	return warp->pc[lane] == pc ||
	       (op->run == ptx_exec_nothing &&
		ops[warp->pc[lane]].run == ptx_exec_nothing);
}

/* Does an operation for the lanes that are named, if all of them wait for it.
 */
static void sync_do(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t named, uint32_t pc)
{
	uint32_t there = 0;

	if (named & ~warp->syncing)
		return;
	for (uint32_t left = named; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		there |= (uint32_t)waits_at(warp, op, i, pc) << i;
	}
	if (named & ~there) {
		ptx_run_fail(warp, op, (unsigned int)__builtin_ctz(named),
			     PTX_TRAPPED,
			     "threads of a warp meet at different places");
		return;
	}
	warp->syncing &= ~there;
	op->run(warp, op, there);
	PTX_FOR_LANES(there, { warp->pc[i]++; });
}

/* Lanes that come together may name different ones: each set of lanes that name
 * the same waits for its own. */
static void sync_try(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask, uint32_t pc)
{
	const uint32_t *members = ptx_slot(warp, op->target);

	group_leave(warp, mask, pc);
	warp->syncing |= mask;
	while (mask && !warp->run->result) {
		uint32_t named = members[__builtin_ctz(mask)], same = 0;

		for (uint32_t left = mask; left; left &= left - 1) {
			unsigned int i = (unsigned int)__builtin_ctz(left);

			same |= (uint32_t)(members[i] == named) << i;
		}
		mask &= ~same;
		sync_do(warp, op, (named & warp->live) | same, pc);
	}
}

static void barrier_join(struct ptx_warp *warp, const struct ptx_op *op,
			 uint32_t mask, uint32_t number, uint32_t threads)
{
	uint32_t set = *(uint32_t *)ptx_slot(warp, op->c) & mask;
	struct ptx_barrier *barrier = &warp->block->barriers[number];

	barrier->expected = threads;
	barrier->arrived += (unsigned int)__builtin_popcount(mask);
	barrier->set += (unsigned int)__builtin_popcount(set);
	barrier->warps |= UINT32_C(1) << warp->index;
	if (op->mode != PTX_BARRIER_ARRIVE) {
		warp->blocked |= mask;
		warp->waiting[number] |= mask;
		if (op->mode != PTX_BARRIER_SYNC) {
			warp->answered |= mask;
			PTX_FOR_LANES(mask, { warp->answers[i] = op; });
		}
	}
	ptx_barrier_check(warp->block, number);
}

/* Lanes that come together may name different barriers. */
static void barrier_wait(struct ptx_warp *warp, const struct ptx_op *op,
			 uint32_t mask, uint32_t pc)
{
	const uint32_t *numbers = ptx_slot(warp, op->a);
	const uint32_t *threads = ptx_slot(warp, op->b);

	group_leave(warp, mask, pc + 1);
	while (mask) {
		unsigned int lane = (unsigned int)__builtin_ctz(mask);
		uint32_t number = numbers[lane], count = threads[lane];
		uint32_t same = 0;

		if (number >= PTX_BARRIERS) {
			ptx_run_fail(warp, op, lane, PTX_TRAPPED,
				     "barrier %u of %d", number, PTX_BARRIERS);
			return;
		}
		for (uint32_t left = mask; left; left &= left - 1) {
			unsigned int i = (unsigned int)__builtin_ctz(left);

			same |= (uint32_t)(numbers[i] == number &&
					   threads[i] == count)
				<< i;
		}
		mask &= ~same;
		barrier_join(warp, op, same, number, count);
	}
}

enum fate {
	GOES_ON,
	LEFT, /* the group stands at its pc, with others or to be looked at */
	GONE, /* each lane has been told its place */
};

static enum fate at_place(const struct group *group)
{
	return group->pc < group->meeting ? GOES_ON : LEFT;
}

/* Does what is not plain for the lanes in mask. */
static enum fate step(struct ptx_warp *warp, const struct ptx_op *op,
		      struct group *group, uint32_t mask)
{
	uint32_t next = group->pc + 1;

	if (!mask || (op->step == PTX_STEP_BRANCH && mask == group->mask)) {
		group->pc = mask ? op->target : next;
		return at_place(group);
	}
	group_leave(warp, group->mask & ~mask, next);
	switch ((enum ptx_step)op->step) {
	case PTX_STEP_BRANCH:
		group_leave(warp, mask, op->target);
		break;
	case PTX_STEP_TABLE:
		table_jump(warp, op, mask);
		break;
	case PTX_STEP_RETURN:
		ptx_routine_leave(warp, op, mask);
		break;
	case PTX_STEP_EXIT:
		lanes_end(warp, mask);
		break;
	case PTX_STEP_CALL:
		ptx_routine_enter(warp, op, mask, next);
		break;
	case PTX_STEP_POINTER:
		ptx_pointer_enter(warp, op, mask, next);
		break;
	case PTX_STEP_SYNC:
		sync_try(warp, op, mask, group->pc);
		break;
	case PTX_STEP_BARRIER:
		barrier_wait(warp, op, mask, group->pc);
		break;
	case PTX_STEP_REST:
		op->run(warp, op, mask);
		group_leave(warp, mask, next);
		break;
	case PTX_STEP_TRAP:
		ptx_run_fail(warp, op, (unsigned int)__builtin_ctz(mask),
			     PTX_TRAPPED, "trap");
		break;
	case PTX_STEP_PLAIN:
		break;
	}
	return GONE;
}

/* Does operations that need no look at guards. Returns how many. */
static unsigned int straight_run(struct ptx_warp *warp, const struct ptx_op *op,
				 const struct group *group, unsigned int most)
{
	const struct ptx_run *run = warp->run;
	unsigned int done = 0;

	most = least(most, least(op->straight, group->meeting - group->pc));
	do {
		op[done].run(warp, &op[done], group->mask);
		done++;
	} while (done < most && !run->result);
	return done;
}

/* Runs a group until it is no more, meets others or has done its turn. */
static unsigned int group_run(struct ptx_warp *warp, struct group *group,
			      unsigned int most)
{
	const struct ptx_op *ops = warp->run->program->ops;
	enum fate fate = GOES_ON;
	unsigned int done = 0;

	while (fate == GOES_ON && done < most) {
		const struct ptx_op *op = &ops[group->pc];
		uint32_t mask;

		if (op->straight) {
			unsigned int ran =
				straight_run(warp, op, group, most - done);

			done += ran;
			group->pc += ran;
			fate = warp->run->result ? LEFT : at_place(group);
			continue;
		}
		mask = *(uint32_t *)ptx_slot(warp, op->guard);
		mask = (mask ^ op->guard_flip) & group->mask;
		done++;
		if (op->step != PTX_STEP_PLAIN) {
			fate = step(warp, op, group, mask);
			continue;
		}
		if (mask)
			op->run(warp, op, mask);
		group->pc++;
		fate = warp->run->result ? LEFT : at_place(group);
	}
	if (fate != GONE)
		group_leave(warp, group->mask, group->pc);
	return done;
}

unsigned int ptx_warp_run(struct ptx_warp *warp, unsigned int most)
{
	uint32_t from = 0;
	unsigned int done = 0;

	while (done < most && !warp->run->result) {
		uint32_t ready = warp->live & ~warp->blocked & ~warp->syncing;
		unsigned int turn = most - done < TURN ? most - done : TURN;
		struct group group;
		unsigned int ran;

		ready &= ~warp->resting;
		if (!ready)
			break;
		group = group_find(warp, ready, from);
		if (!group.mask) {
			from = 0;
			continue;
		}
		ran = group_run(warp, &group, turn);
		done += ran;
		/* A lane that waits for others must not keep them waiting. */
		from = ran == TURN ? group.pc + 1 : 0;
		if (ran == TURN)
			warp->resting = 0;
	}
	warp->resting = 0;
	return done;
}
