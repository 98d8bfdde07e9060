/* Draws a program: its shape, its steps, and the end that leaves nothing. */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "kind.h"
#include "laps.h"
#include "model.h"
#include "place.h"
#include "setting.h"
#include "step.h"

enum { MISSES = 24, STEPS_LEAST = 10, STEPS_MORE = 51, ROUNDS = 4 };
enum { CONTEXTS_LIVE = 5, CONTEXTS_FEW = 2 };

static const size_t sizes[] = {512,   512,   4096,    4096,    5000,
			       65536, 70000, 1 << 20, 2 << 20, 8 << 20};

static void step_begin(struct program *program, struct step *step, int thread)
{
	*step = (struct step){.thread = thread,
			      .number = program->threads[thread].steps,
			      .slot = NONE,
			      .source = NONE,
			      .stream = NONE,
			      .other = NONE,
			      .event = NONE,
			      .made = NONE,
			      .graph = NONE};
}

struct step *step_next(struct program *program, const struct step_row *row,
		       int thread)
{
	struct step *step = &program->steps[program->step_count];

	if (program->step_count == STEPS_MAX)
		return NULL;
	step_begin(program, step, thread);
	step->row = row;
	return step;
}

void step_keep(struct program *program, const struct step *step)
{
	program->step_count++;
	program->threads[step->thread].steps++;
}

bool step_add(struct program *program, const struct step_row *row, int thread)
{
	struct step *step = step_next(program, row, thread);

	if (!step || !row->draw(program, step))
		return false;
	step_keep(program, step);
	return true;
}

static void draw_middle(struct program *program)
{
	unsigned threads = (unsigned)program->thread_count;
	unsigned count = threads * (STEPS_LEAST +
				    random_below(&program->random, STEPS_MORE));

	while (count--) {
		int thread = (int)random_below(&program->random, threads);

		for (int i = 0; i < MISSES; i++)
			if (step_add(program, kind_row_draw(program), thread))
				break;
	}
}

/* Adds steps of one row, for all threads, until no thread can take one. */
static void draw_out(struct program *program, const char *name)
{
	const struct step_row *row = step_row_find(name);
	int misses = 0, thread = 0;

	/* A row looks at a random object, so one miss says little. */
	while (misses < ROUNDS * MISSES) {
		thread = (thread + 1) % program->thread_count;
		if (step_add(program, row, thread))
			misses = 0;
		else
			misses++;
	}
}

static void draw_end(struct program *program)
{
	draw_out(program, "capture_end");
	draw_out(program, "free");
	draw_out(program, "pinned_free");
	draw_out(program, "graph_drop");
	draw_out(program, "event_drop");
	draw_out(program, "green_drop");
	draw_out(program, "context_drop");
	draw_out(program, "stream_drop");
}

static void shape_by_kind(struct program *program)
{
	enum kind kind = program->setting.kind;

	if (kind == MIXED)
		return;
	if (kind == LAPS) {
		program->thread_count =
			1 + (int)random_below(&program->random, 2);
		return;
	}
	program->thread_count = THREADS_MAX;
	program->device_count =
		1 + (kind == DEVICES ||
		     (kind == GRAPHS && random_one_in(&program->random, 2)));
	program->peers = kind == DEVICES && random_one_in(&program->random, 4);
	program->sizes[1] = program->sizes[2] = program->sizes[0];
	program->narrow = kind == STREAMS && random_one_in(&program->random, 2);
	if (kind == CONTEXTS || kind == RENEWALS)
		program->contexts_live = CONTEXTS_FEW;
	if (kind == FULL)
		for (int i = 0; i < 3; i++)
			program->sizes[i] = (size_t)(2 + 2 * i) << 20;
}

static void draw_shape(struct program *program)
{
	struct random *random = &program->random;
	struct step start;

	program->thread_count = 1 + (int)random_below(random, THREADS_MAX);
	program->device_count = 1 + random_one_in(random, 4);
	program->peers = program->device_count > 1 && random_one_in(random, 2);
	program->door = (enum door)random_below(random, 3);
	for (int i = 0; i < 3; i++)
		program->sizes[i] = sizes[random_below(
			random, sizeof(sizes) / sizeof(sizes[0]))];
	program->contexts_live = CONTEXTS_LIVE;
	shape_by_kind(program);
	for (int t = 0; t < THREADS_MAX; t++)
		program->threads[t].capture = NONE;
	/* What exists at the start is not made by a thread's step. */
	step_begin(program, &start, 0);
	start.number = -1;
	object_make(&program->unsafe, &start);
	object_make(&program->turn, &start);
	for (int d = 0; d < program->device_count; d++) {
		int count =
			program->narrow ? NARROW : (int)random_below(random, 4);

		place_device(program, &start, d);
		for (int i = 0; i < count; i++)
			place_stream(program, &start,
				     program->devices[d].primary,
				     random_one_in(random, 2) ? BLOCKING
							      : NON_BLOCKING,
				     NONE);
	}
}

void program_draw(struct program *program, uint64_t seed,
		  const struct wish *wish)
{
	memset(program, 0, sizeof(*program));
	program->seed = seed;
	setting_draw(&program->setting, seed, wish);
	program->random = random_open(seed, PURPOSE_STEPS);
#ifdef PROOF_FREE
	program->tame = true;
#endif
	draw_shape(program);
	if (program->setting.kind == LAPS)
		laps_draw(program);
	else
		draw_middle(program);
	draw_end(program);
}

static void part_print(const char *name, int value)
{
	if (value != NONE)
		printf(" %s %d", name, value);
}

static void step_print(const struct step *step)
{
	printf("thread %d step %d: %s, context %d", step->thread, step->number,
	       step->row->name, step->context);
	part_print("slot", step->slot);
	part_print("from", step->source);
	part_print("stream", step->stream);
	part_print("other", step->other);
	part_print("event", step->event);
	part_print("graph", step->graph);
	part_print("made", step->made);
	if (step->size)
		printf(" size %zu", step->size);
	printf(" part %u value %#x choice %u", step->part, step->value,
	       step->choice);
	for (int t = 0; t < THREADS_MAX; t++)
		if (step->need[t])
			printf(" after %d of thread %d", step->need[t], t);
	printf("\n");
}

void program_print(const struct program *program)
{
	static const char *const doors[] = {"exports", "table", "per-thread"};
	static const char *const kinds[] = {"legacy", "per-thread", "blocking",
					    "non-blocking"};

	printf("seed %llu: %d threads, %d devices, door %s%s\n",
	       (unsigned long long)program->seed, program->thread_count,
	       program->device_count, doors[program->door],
	       program->peers ? ", peer access" : "");
	setting_print(&program->setting);
	for (int i = 0; i < program->context_count; i++)
		printf("context %d: device %d%s\n", i,
		       program->contexts[i].device,
		       program->contexts[i].primary ? ", primary" : "");
	for (int i = 0; i < program->stream_count; i++)
		printf("stream %d: %s, context %d\n", i,
		       kinds[program->streams[i].kind],
		       program->streams[i].context);
	for (int i = 0; i < program->step_count; i++)
		step_print(&program->steps[i]);
	fflush(stdout);
}
