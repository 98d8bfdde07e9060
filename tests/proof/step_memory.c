/* Allocations and frees. */
#include <stdio.h>

#include "model.h"
#include "run.h"
#include "step.h"

enum { CHECK_FIRST, FREE_FIRST }; /* step->choice of a free */

static int slots_live(const struct program *program)
{
	int count = 0;

	for (int i = 0; i < program->slot_count; i++)
		count += program->slots[i].object.live &&
			 !program->slots[i].pinned;
	return count;
}

/* In a full program a thread frees only what it has allocated, so what it holds
 * does not depend on the other threads. */
static bool quota_allows(const struct program *program, const struct step *step,
			 size_t size)
{
	if (program->setting.kind != FULL)
		return true;
	for (int i = 0; i < program->slot_count; i++)
		if (program->slots[i].object.live &&
		    program->slots[i].thread == step->thread)
			size += program->slots[i].size;
	return size <= (size_t)QUOTA_MIB << 20;
}

/* Memory of CUDA's pools ends with the primary context. While it is not over, a
 * request in another stream may find none. */
static bool ordered_allowed(const struct program *program)
{
	return program->setting.kind != FULL &&
	       program->setting.kind != RENEWALS;
}

/* In most programs of this kind a block is used at once: if it was handed out
 * too early, that shows. */
static void draw_first_use(struct program *program, struct step *step)
{
	struct slot_model *slot = &program->slots[step->slot];

	if (program->setting.kind != STREAMS || !slot->ordered ||
	    random_one_in(&program->random, 4))
		return;
	step->choice = 1;
	step->value = (unsigned)random_next(&program->random);
	slot_use(program, step, step->slot, slot->home);
	slot->words[0] = (struct words){true, step->value, 0};
}

static bool alloc_allowed(const struct program *program,
			  const struct step *step)
{
	return unsafe_allowed(program, step) &&
	       program->slot_count < SLOTS_MAX &&
	       slots_live(program) <
		       (program->narrow ? 2 * NARROW : SLOTS_LIVE);
}

static struct slot_model *slot_new(struct program *program, struct step *step,
				   size_t size, int home)
{
	struct slot_model *slot = &program->slots[program->slot_count];

	step->slot = program->slot_count++;
	*slot = (struct slot_model){.context = program->streams[home].context,
				    .thread = step->thread,
				    .size = size,
				    .home = home};
	return slot;
}

static void slot_make(struct program *program, struct step *step)
{
	struct slot_model *slot = &program->slots[step->slot];

	if (slot->ordered) {
		step->stream = slot->home;
		stream_use(program, step, slot->home);
	}
	step->size = slot->size;
	step->context = slot->context;
	object_make(&slot->object, step);
	draw_first_use(program, step);
	context_use(program, step, slot->context);
	unsafe_use(program, step);
}

bool draw_alloc(struct program *program, struct step *step)
{
	int context = context_pick(program), home;
	struct slot_model *slot;
	size_t size;

	if (!alloc_allowed(program, step))
		return false;
	size = program->sizes[random_below(&program->random, 3)];
	home = stream_pick_free(program, step, context);
	if (home == NONE || !quota_allows(program, step, size))
		return false;
	slot = slot_new(program, step, size, home);
	slot->checked = program->setting.kind == STREAMS ||
			random_one_in(&program->random, 3);
	slot->ordered =
		slot->checked && ordered_allowed(program) &&
		!random_one_in(&program->random,
			       program->setting.kind == STREAMS ? 5 : 2);
	slot_make(program, step);
	return true;
}

bool draw_alloc_of(struct program *program, struct step *step, size_t size,
		   int home, bool ordered)
{
	struct slot_model *slot;

	if (!alloc_allowed(program, step) ||
	    !stream_usable(program, step, home) ||
	    program->streams[home].capture != NONE)
		return false;
	slot = slot_new(program, step, size, home);
	slot->ordered = ordered;
	slot->checked = ordered || random_one_in(&program->random, 3);
	slot_make(program, step);
	return true;
}

void run_alloc(const struct step *step)
{
	const struct setting *setting = &run.program->setting;
	CUresult also =
		setting->tight ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
	CUdeviceptr addr = 0;
	char label[48];

	if (!run_enter(step, step->context))
		return;
	if (step->stream != NONE
		    ? !OK_OR(step, also, cuMemAllocAsync, &addr, step->size,
			     run_stream(step, step->stream))
		    : !OK_OR(step, also, cuMemAlloc_v2, &addr, step->size))
		return;
	if (!addr || addr % 256)
		run_failed(step, "a block at %#llx", addr);
	snprintf(label, sizeof(label), "thread %d slot %d", step->thread,
		 step->slot);
	if (run.api.sim_own_device)
		run.api.sim_own_device(addr, step->size, label);
	run.slots[step->slot] = addr;
	__atomic_add_fetch(&run.tally->allocs, 1, __ATOMIC_RELAXED);
	if (step->choice)
		run_fill(step);
}

bool draw_alloc_too_much(struct program *program, struct step *step)
{
	step->context = context_pick(program);
	if (!unsafe_allowed(program, step))
		return false;
	context_use(program, step, step->context);
	unsafe_use(program, step);
	return true;
}

void run_alloc_too_much(const struct step *step)
{
	CUdeviceptr addr = 1;

	if (!run_enter(step, step->context))
		return;
	if (OK_OR(step, CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2, &addr,
		  (size_t)1 << 46))
		run_failed(step, "64 TiB were found");
	if (addr)
		run_failed(step, "an allocation that failed gave an address");
}

/* Returns a live slot of device memory, searched from a random start, or
 * NONE. */
static int slot_any(struct program *program)
{
	int count = program->slot_count, first;

	if (!count)
		return NONE;
	first = (int)random_below(&program->random, (unsigned)count);
	for (int i = 0; i < count; i++)
		if (program->slots[(first + i) % count].object.live &&
		    !program->slots[(first + i) % count].pinned)
			return (first + i) % count;
	return NONE;
}

/* Prepares the comparison of what a checked slot holds. The copy is queued
 * before the free; its result is looked at before or after it. */
static bool draw_look(struct program *program, struct step *step)
{
	struct slot_model *slot = &program->slots[step->slot];

	if (!stream_usable(program, step, slot->home) ||
	    program->streams[slot->home].capture != NONE)
		return false;
	step->stream = slot->home;
	for (unsigned p = 0; p < PARTS_MAX; p++)
		step->words[p] = slot->words[p];
	stream_use(program, step, slot->home);
	return true;
}

/* A plain free of an ordered slot comes after all its work. A wait for the home
 * alone does not see to that if no event has brought the slot there. */
static bool implied_wait(struct program *program, struct step *step, int slot)
{
	const struct slot_model *it = &program->slots[slot];

	if (!it->ordered || !it->implied)
		return true;
	if (!sync_allowed(program, it->context))
		return false;
	step->waits |= 1u << it->context;
	return true;
}

bool draw_free(struct program *program, struct step *step)
{
	int slot = slot_any(program);

	return slot != NONE && draw_free_of(program, step, slot);
}

bool draw_free_of(struct program *program, struct step *step, int slot)
{
	if (!unsafe_allowed(program, step) ||
	    (program->setting.kind == FULL &&
	     program->slots[slot].thread != step->thread) ||
	    !others_wait(program, step, slot, false) ||
	    !implied_wait(program, step, slot))
		return false;
	step->slot = slot;
	step->choice =
		random_one_in(&program->random, 2) ? FREE_FIRST : CHECK_FIRST;
	/* Such a free may have to come after all work on the slot. */
	if (program->slots[slot].ordered)
		step->choice = CHECK_FIRST;
	if (program->slots[slot].checked && !draw_look(program, step))
		return false;
	others_use(program, step);
	step->context = program->slots[slot].context;
	context_use(program, step, step->context);
	object_end(&program->slots[slot].object, step);
	unsafe_use(program, step);
	return true;
}

static void look_begin(const struct step *step)
{
	CUdeviceptr addr;

	for (unsigned p = 0; p < PARTS_MAX; p++)
		if (step->words[p].known && run_part(step->slot, p, &addr))
			OK(step, cuMemcpyDtoHAsync_v2, run_host(step, p), addr,
			   PART_WORDS * sizeof(uint32_t),
			   run_stream(step, step->stream));
}

static void words_compare(const struct step *step, unsigned part)
{
	const struct words *words = &step->words[part];
	const uint32_t *found = run_host(step, part);
	uint32_t wanted = words->first;

	for (unsigned i = 0; i < PART_WORDS; i++, wanted += words->step) {
		if (found[i] == wanted)
			continue;
		run_failed(step,
			   "slot %d part %u word %u is %#x, not the %#x that "
			   "was written",
			   step->slot, part, i, found[i], wanted);
		return;
	}
}

static void look_end(const struct step *step)
{
	if (!OK(step, cuStreamSynchronize, run_stream(step, step->stream)))
		return;
	for (unsigned p = 0; p < PARTS_MAX; p++) {
		if (!step->words[p].known || run.spoilt[step->slot])
			continue;
		words_compare(step, p);
		__atomic_add_fetch(&run.tally->compared, 1, __ATOMIC_RELAXED);
	}
}

void run_free(const struct step *step)
{
	CUdeviceptr addr = run.slots[step->slot];
	bool look = step->stream != NONE;
	int tries = TRIES;

	if (!addr)
		return;
	run_waits(step);
	if (!run_enter(step, step->context))
		return;
	if (look)
		look_begin(step);
	if (look && step->choice == CHECK_FIRST)
		look_end(step);
	if (run.api.sim_disown)
		run.api.sim_disown(addr);
	/* Repeat it if a failure was injected. */
	while (tries-- && !OK(step, cuMemFree_v2, addr))
		;
	run.slots[step->slot] = 0;
	if (look && step->choice == FREE_FIRST)
		look_end(step);
}

bool draw_free_async(struct program *program, struct step *step)
{
	int slot = slot_any(program);

	return slot != NONE && draw_free_async_of(program, step, slot);
}

bool draw_free_async_of(struct program *program, struct step *step, int slot)
{
	struct slot_model *it = &program->slots[slot];

	/* All its work has to come before the free in the order of that
	 * stream. */
	if (it->wild || it->others || it->home == NONE ||
	    !unsafe_allowed(program, step) ||
	    !stream_usable(program, step, it->home) ||
	    program->streams[it->home].capture != NONE)
		return false;
	step->slot = slot;
	step->stream = it->home;
	stream_use(program, step, it->home);
	unsafe_use(program, step);
	object_end(&it->object, step);
	return true;
}

void run_free_async(const struct step *step)
{
	CUdeviceptr addr = run.slots[step->slot];

	if (!addr || !run_enter(step, step->context))
		return;
	if (run.api.sim_disown)
		run.api.sim_disown(addr);
	OK(step, cuMemFreeAsync, addr, run_stream(step, step->stream));
	run.slots[step->slot] = 0;
}
