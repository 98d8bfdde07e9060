/* Kernels, fills and copies. */
#include "model.h"
#include "run.h"
#include "step.h"

enum { BYTES = PART_WORDS * sizeof(uint32_t) };

/* Notes what a part of a slot holds after this step, if the slot is checked. */
static void words_set(struct program *program, const struct step *step,
		      struct words words)
{
	struct slot_model *slot = &program->slots[step->slot];

	if (slot->checked)
		slot->words[step->part] = words;
}

/* Returns what a part of the source holds. */
static struct words words_read(const struct program *program,
			       const struct step *step)
{
	const struct slot_model *slot = &program->slots[step->source];

	return slot->checked ? slot->words[step->source_part]
			     : (struct words){0};
}

static uint32_t draw_value(struct program *program)
{
	return (uint32_t)random_next(&program->random);
}

static bool draw_touched(struct program *program, struct step *step)
{
	step->value = draw_value(program);
	words_set(program, step, (struct words){true, step->value, 1});
	return true;
}

bool draw_touch(struct program *program, struct step *step)
{
	return slot_and_stream(program, step, false) &&
	       draw_touched(program, step);
}

bool draw_touch_of(struct program *program, struct step *step, int slot)
{
	const struct slot_model *it = &program->slots[slot];

	if (it->home == NONE ||
	    !slot_usable(program, step, slot, it->home, false))
		return false;
	step->slot = slot;
	step->stream = it->home;
	step->part = random_below(&program->random, part_count(it->size));
	slot_use(program, step, slot, it->home);
	return draw_touched(program, step);
}

void run_touch(const struct step *step)
{
	CUdeviceptr addr;
	uint32_t count = PART_WORDS, value = step->value;
	void *args[] = {&addr, &count, &value};

	if (run_part(step->slot, step->part, &addr) &&
	    run_enter(step, step->context))
		OK(step, cuLaunchKernel, run.touch[step->context], 1, 1, 1,
		   PART_WORDS, 1, 1, 0, run_stream(step, step->stream), args,
		   NULL);
}

/* Picks a source for work in the step's stream, and a part of it. */
static bool draw_source(struct program *program, struct step *step, bool copy)
{
	int source = slot_pick(program, step, step->stream, copy);

	if (source == NONE)
		return false;
	step->source = source;
	step->source_part = random_below(
		&program->random, part_count(program->slots[source].size));
	slot_use(program, step, source, step->stream);
	return true;
}

/* Finds the addresses of both parts. If the source could not be allocated, the
 * slot will not hold what the step says. */
static bool both_parts(const struct step *step, CUdeviceptr *to,
		       CUdeviceptr *from)
{
	if (run.spoilt[step->source] || !run.slots[step->source])
		run.spoilt[step->slot] = true;
	return run_part(step->slot, step->part, to) &&
	       run_part(step->source, step->source_part, from);
}

bool draw_touch_two(struct program *program, struct step *step)
{
	struct words words;

	if (!slot_and_stream(program, step, false) ||
	    !draw_source(program, step, false))
		return false;
	step->value = draw_value(program);
	words = words_read(program, step);
	words.first += step->value;
	words_set(program, step, words);
	return true;
}

void run_touch_two(const struct step *step)
{
	CUdeviceptr to, from;
	uint32_t count = PART_WORDS, value = step->value;
	void *args[] = {&to, &from, &count, &value};

	if (both_parts(step, &to, &from) && run_enter(step, step->context))
		OK(step, cuLaunchKernel, run.touch_two[step->context], 1, 1, 1,
		   PART_WORDS, 1, 1, 0, run_stream(step, step->stream), args,
		   NULL);
}

bool draw_fill(struct program *program, struct step *step)
{
	if (!slot_and_stream(program, step, true))
		return false;
	step->value = draw_value(program);
	words_set(program, step, (struct words){true, step->value, 0});
	return true;
}

void run_fill(const struct step *step)
{
	CUdeviceptr addr;

	if (run_part(step->slot, step->part, &addr) &&
	    run_enter(step, step->context))
		OK(step, cuMemsetD32Async, addr, step->value, PART_WORDS,
		   run_stream(step, step->stream));
}

bool draw_copy(struct program *program, struct step *step)
{
	if (!slot_and_stream(program, step, true) ||
	    !draw_source(program, step, true))
		return false;
	/* A copy of a part onto itself is not defined. */
	if (step->source == step->slot && step->source_part == step->part)
		step->source_part = !step->part;
	words_set(program, step, words_read(program, step));
	return true;
}

void run_copy(const struct step *step)
{
	CUdeviceptr to, from;

	if (both_parts(step, &to, &from) && run_enter(step, step->context))
		OK(step, cuMemcpyDtoDAsync_v2, to, from, BYTES,
		   run_stream(step, step->stream));
}

/* A copy from pinned memory reads late, one from pageable memory at once. */
bool draw_copy_in(struct program *program, struct step *step)
{
	if (program->threads[step->thread].capture != NONE ||
	    !slot_and_stream(program, step, true))
		return false;
	step->value = draw_value(program);
	step->choice = random_below(&program->random, 2);
	words_set(program, step, (struct words){true, step->value, 1});
	return true;
}

void run_copy_in(const struct step *step)
{
	uint32_t pageable[PART_WORDS];
	uint32_t *words = step->choice ? pageable : run_host(step, 0);
	CUdeviceptr addr;

	for (uint32_t i = 0; i < PART_WORDS; i++)
		words[i] = step->value + i;
	if (run_part(step->slot, step->part, &addr) &&
	    run_enter(step, step->context))
		OK(step, cuMemcpyHtoDAsync_v2, addr, words, BYTES,
		   run_stream(step, step->stream));
	for (uint32_t i = 0; i < PART_WORDS && step->choice; i++)
		words[i] = 0;
}

bool draw_copy_out(struct program *program, struct step *step)
{
	return program->threads[step->thread].capture == NONE &&
	       slot_and_stream(program, step, true);
}

void run_copy_out(const struct step *step)
{
	CUdeviceptr addr;

	if (run_part(step->slot, step->part, &addr) &&
	    run_enter(step, step->context))
		OK(step, cuMemcpyDtoHAsync_v2, run_host(step, 0), addr, BYTES,
		   run_stream(step, step->stream));
}
