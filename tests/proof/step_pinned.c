/* Pinned host memory: slots that only copies use, and that the host writes to
 * as soon as it gets them. */
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "run.h"
#include "step.h"

enum { BYTES = PART_WORDS * sizeof(uint32_t), PINNED_LIVE = 6 };

/* Returns a random live pinned slot, or NONE. */
static int pinned_pick(struct program *program)
{
	int count = program->slot_count, first;

	if (!count)
		return NONE;
	first = (int)random_below(&program->random, (unsigned)count);
	for (int i = 0; i < count; i++) {
		int at = (first + i) % count;

		if (program->slots[at].pinned && program->slots[at].object.live)
			return at;
	}
	return NONE;
}

bool draw_pinned_alloc(struct program *program, struct step *step)
{
	int context = context_pick(program), live = 0, home;

	for (int i = 0; i < program->slot_count; i++)
		live += program->slots[i].pinned &&
			program->slots[i].object.live;
	if (!unsafe_allowed(program, step) ||
	    program->slot_count == SLOTS_MAX || live >= PINNED_LIVE)
		return false;
	home = stream_pick_free(program, step, context);
	if (home == NONE)
		return false;
	step->slot = program->slot_count++;
	step->size = program->sizes[random_below(&program->random, 3)];
	program->slots[step->slot] = (struct slot_model){.context = context,
							 .thread = step->thread,
							 .size = step->size,
							 .home = home,
							 .pinned = true};
	step->context = context;
	step->choice = random_one_in(&program->random, 4)
			       ? CU_MEMHOSTALLOC_WRITECOMBINED
			       : 0;
	object_make(&program->slots[step->slot].object, step);
	context_use(program, step, context);
	unsafe_use(program, step);
	return true;
}

void run_pinned_alloc(const struct step *step)
{
	void *addr = NULL;
	char label[48];

	if (!run_enter(step, step->context) ||
	    !OK(step, cuMemHostAlloc, &addr, step->size,
		CU_MEMHOSTALLOC_PORTABLE | step->choice))
		return;
	snprintf(label, sizeof(label), "thread %d pinned slot %d", step->thread,
		 step->slot);
	if (run.api.sim_own)
		run.api.sim_own((CUdeviceptr)addr, step->size, label);
	memset(addr, step->slot, step->size);
	run.slots[step->slot] = (CUdeviceptr)addr;
	__atomic_add_fetch(&run.tally->allocs, 1, __ATOMIC_RELAXED);
}

bool draw_pinned_free(struct program *program, struct step *step)
{
	int slot = pinned_pick(program);

	if (slot == NONE || !unsafe_allowed(program, step))
		return false;
	step->slot = slot;
	step->context = program->slots[slot].context;
	context_use(program, step, step->context);
	object_end(&program->slots[slot].object, step);
	unsafe_use(program, step);
	return true;
}

void run_pinned_free(const struct step *step)
{
	CUdeviceptr addr = run.slots[step->slot];

	if (!addr || !run_enter(step, step->context))
		return;
	if (run.api.sim_disown)
		run.api.sim_disown(addr);
	OK(step, cuMemFreeHost, (void *)addr);
	run.slots[step->slot] = 0;
}

/* Picks a pinned slot, a stream, and a part of a slot in device memory. */
static bool draw_both(struct program *program, struct step *step)
{
	int pinned = pinned_pick(program), slot;

	if (pinned == NONE || program->threads[step->thread].capture != NONE)
		return false;
	step->stream = program->tame ? program->slots[pinned].home
				     : stream_pick(program, step, NONE);
	if (step->stream == NONE || !stream_usable(program, step, step->stream))
		return false;
	slot = slot_pick(program, step, step->stream, true);
	if (slot == NONE)
		return false;
	step->slot = slot;
	step->part = random_below(&program->random,
				  part_count(program->slots[slot].size));
	step->source = pinned;
	slot_use(program, step, slot, step->stream);
	slot_use(program, step, pinned, step->stream);
	return true;
}

bool draw_pinned_in(struct program *program, struct step *step)
{
	if (!draw_both(program, step))
		return false;
	program->slots[step->slot].words[step->part] = (struct words){0};
	return true;
}

void run_pinned_in(const struct step *step)
{
	CUdeviceptr from = run.slots[step->source], addr;

	if (run_part(step->slot, step->part, &addr) && from &&
	    run_enter(step, step->context))
		OK(step, cuMemcpyHtoDAsync_v2, addr, (void *)from, BYTES,
		   run_stream(step, step->stream));
}

bool draw_pinned_out(struct program *program, struct step *step)
{
	return draw_both(program, step);
}

void run_pinned_out(const struct step *step)
{
	CUdeviceptr to = run.slots[step->source], addr;

	if (run_part(step->slot, step->part, &addr) && to &&
	    run_enter(step, step->context))
		OK(step, cuMemcpyDtoHAsync_v2, (void *)to, addr, BYTES,
		   run_stream(step, step->stream));
}
