/* Calls of functions. A function that is called in itself has its registers
 * kept on a stack of the lane, and its variables further up in the thread's
 * memory. */
#include <stdlib.h>
#include <string.h>

#include "exec.h"
#include "run.h"

/* What a call takes of a thread's stack besides its variables. A GPU keeps some
 * registers there, too; it is not known how many. */
enum { CALL_BYTES = 16 };

static bool is_active(const struct ptx_warp *warp,
		      const struct ptx_routine *routine, unsigned int lane)
{
	return *(const uint32_t *)ptx_slot(warp, routine->active) >> lane & 1;
}

static uint64_t *number_of(const struct ptx_warp *warp, uint32_t slot,
			   unsigned int lane)
{
	return (uint64_t *)ptx_slot(warp, slot) + lane;
}

/* Where a routine that is active already has its memory in the next call. */
static bool frame_make(struct ptx_warp *warp, const struct ptx_op *op,
		       const struct ptx_routine *routine, unsigned int lane)
{
	const struct ptx_frame *frame = &routine->frame;
	struct ptx_stack *stack = &warp->stacks[lane];
	size_t delta;

	if (!is_active(warp, routine, lane)) {
		*number_of(warp, routine->next, lane) = 0;
		return true;
	}
	/* The delta keeps the frame aligned. */
	delta = stack->top + CALL_BYTES - frame->begin + frame->align - 1;
	delta &= ~(frame->align - 1);
	if (frame->begin + frame->bytes + delta > warp->run->thread_bytes) {
		ptx_run_fail(warp, op, lane, PTX_STACK_FULL,
			     "the stack of a thread is full");
		return false;
	}
	*number_of(warp, routine->next, lane) = delta;
	return true;
}

void ptx_exec_frame(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	const struct ptx_routine *routine =
		&warp->run->program->routines[op->target];

	for (uint32_t left = mask; left; left &= left - 1)
		if (!frame_make(warp, op, routine,
				(unsigned int)__builtin_ctz(left)))
			return;
}

/* Moves what a lane has to keep of a routine, to the stack or back. */
static unsigned char *kept_move(struct ptx_warp *warp,
				const struct ptx_routine *routine,
				unsigned int lane, unsigned char *at, bool back)
{
	for (uint32_t k = 0; k < routine->kept_count; k++) {
		const struct ptx_kept *kept = &routine->kept[k];
		unsigned char *slot = ptx_slot(warp, kept->slot);
		uint32_t bit = UINT32_C(1) << lane, mask;

		if (kept->bytes) {
			slot += (size_t)lane * kept->bytes;
			memcpy(back ? slot : at, back ? at : slot, kept->bytes);
			at += kept->bytes;
			continue;
		}
		memcpy(&mask, slot, sizeof(mask));
		if (back) {
			mask = *at ? mask | bit : mask & ~bit;
			memcpy(slot, &mask, sizeof(mask));
		} else {
			*at = (mask & bit) != 0;
		}
		at++;
	}
	return at;
}

/* What else is kept. */
struct record {
	uint64_t delta;
	size_t top;
	uint32_t back;
};

static bool stack_push(struct ptx_warp *warp, const struct ptx_op *op,
		       const struct ptx_routine *routine, unsigned int lane)
{
	struct ptx_stack *stack = &warp->stacks[lane];
	size_t bytes = sizeof(struct record) + routine->kept_bytes;
	struct record record = {
		.delta = *number_of(warp, routine->delta, lane),
		.top = stack->top,
		.back = ((uint32_t *)ptx_slot(warp, routine->back))[lane],
	};

	if (stack->kept_bytes + bytes > stack->kept_room) {
		size_t room = 2 * stack->kept_room + bytes;
		unsigned char *more = realloc(stack->kept, room);

		if (!more) {
			ptx_run_fail(warp, op, lane, PTX_NO_MEMORY,
				     "out of memory");
			return false;
		}
		stack->kept = more;
		stack->kept_room = room;
	}
	memcpy(kept_move(warp, routine, lane, stack->kept + stack->kept_bytes,
			 false),
	       &record, sizeof(record));
	stack->kept_bytes += bytes;
	stack->top = routine->frame.begin + routine->frame.bytes +
		     *number_of(warp, routine->next, lane);
	return true;
}

static void stack_pop(struct ptx_warp *warp, const struct ptx_routine *routine,
		      unsigned int lane)
{
	struct ptx_stack *stack = &warp->stacks[lane];
	struct record record;

	stack->kept_bytes -= sizeof(record) + routine->kept_bytes;
	memcpy(&record,
	       kept_move(warp, routine, lane, stack->kept + stack->kept_bytes,
			 true),
	       sizeof(record));
	*number_of(warp, routine->delta, lane) = record.delta;
	((uint32_t *)ptx_slot(warp, routine->back))[lane] = record.back;
	stack->top = record.top;
}

static void enter(struct ptx_warp *warp, const struct ptx_op *op,
		  const struct ptx_routine *routine, uint32_t mask,
		  uint32_t back)
{
	uint32_t *active = ptx_slot(warp, routine->active);
	uint32_t *backs = ptx_slot(warp, routine->back);
	unsigned int first = (unsigned int)__builtin_ctz(mask);

	if (routine->refused) {
		ptx_run_fail(warp, op, first, PTX_TRAPPED,
			     "a call of what cannot be run: %s",
			     routine->refused);
		return;
	}
	for (uint32_t left = routine->recursive ? mask : 0; left;
	     left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		if (is_active(warp, routine, i) &&
		    !stack_push(warp, op, routine, i))
			return;
		*number_of(warp, routine->delta, i) =
			*number_of(warp, routine->next, i);
	}
	*active |= mask;
	PTX_FOR_LANES(mask, {
		backs[i] = back;
		warp->pc[i] = routine->entry;
	});
}

void ptx_routine_enter(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask, uint32_t back)
{
	enter(warp, op, &warp->run->program->routines[op->target], mask, back);
}

void ptx_routine_leave(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask)
{
	const struct ptx_routine *routine =
		&warp->run->program->routines[op->target];
	uint32_t *active = ptx_slot(warp, routine->active);
	const uint32_t *backs = ptx_slot(warp, routine->back);

	if (!routine->recursive) {
		*active &= ~mask;
		PTX_FOR_LANES(mask, { warp->pc[i] = backs[i]; });
		return;
	}
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint64_t delta = *number_of(warp, routine->delta, i);

		warp->pc[i] = backs[i];
		*number_of(warp, routine->last, i) = delta;
		if (delta)
			stack_pop(warp, routine, i);
		else
			*active &= ~(UINT32_C(1) << i);
	}
}

/* A thread's memory at a place, in a frame that was moved. */
static unsigned char *moved(const struct ptx_warp *warp, unsigned int lane,
			    uint64_t place, uint32_t delta)
{
	return warp->local + lane * warp->run->thread_bytes + place +
	       *number_of(warp, delta, lane);
}

/* The list has the place and the size of each argument. */
static void args_copy(struct ptx_warp *warp, const struct ptx_op *op,
		      const struct ptx_routine *to, unsigned int lane)
{
	for (uint32_t k = 0; k < op->count / 2 && k < to->param_count; k++) {
		uint32_t size = op->list[2 * k + 1];

		memmove(moved(warp, lane, to->params[k].place, to->next),
			moved(warp, lane, op->list[2 * k], op->e),
			size < to->params[k].size ? size : to->params[k].size);
	}
}

void ptx_pointer_enter(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask, uint32_t back)
{
	const struct ptx_program *program = warp->run->program;
	const uint64_t *to = ptx_slot(warp, op->a);
	uint32_t *callee = ptx_slot(warp, op->d);

	for (uint32_t left = mask; left && !warp->run->result;
	     left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		const struct ptx_routine *found = NULL;

		for (uint32_t k = 1; k < program->routine_count; k++)
			if (program->routines[k].address == to[i])
				found = &program->routines[k];
		if (!found || !found->pointed) {
			ptx_run_fail(warp, op, i, PTX_TRAPPED,
				     "a call of 0x%llx, which is no function",
				     (unsigned long long)to[i]);
			return;
		}
		if (found->recursive && !frame_make(warp, op, found, i))
			return;
		args_copy(warp, op, found, i);
		callee[i] = (uint32_t)(found - program->routines);
		enter(warp, op, found, UINT32_C(1) << i, back);
	}
}

void ptx_exec_param_copy(struct ptx_warp *warp, const struct ptx_op *op,
			 uint32_t mask)
{
	PTX_FOR_LANES(mask, {
		memmove(moved(warp, i, op->target, op->b),
			moved(warp, i, (uint64_t)op->value, op->a), op->count);
	});
}

void ptx_exec_result_copy(struct ptx_warp *warp, const struct ptx_op *op,
			  uint32_t mask)
{
	const uint32_t *callee = ptx_slot(warp, op->a);

	PTX_FOR_LANES(mask, {
		const struct ptx_routine *from =
			&warp->run->program->routines[callee[i]];

		memmove(moved(warp, i, (uint64_t)op->value, op->b),
			moved(warp, i, from->result.place, from->last),
			from->result.size < op->count ? from->result.size
						      : op->count);
	});
}
