#include "model.h"

enum { FAVOUR = 30 }; /* one pick in so many draws a new favourite stream */

size_t part_offset(size_t size, unsigned part)
{
	const size_t bytes = PART_WORDS * sizeof(uint32_t);

	if (part == 0)
		return 0;
	return part == 1 ? (size - bytes) & ~(size_t)3
			 : (size / 2) & ~(size_t)255;
}

unsigned part_count(size_t size)
{
	return size >= 4 * PART_WORDS * sizeof(uint32_t) ? PARTS_MAX : 2;
}

static void need(struct step *step, int thread, int count)
{
	if (thread != step->thread && step->need[thread] < count)
		step->need[thread] = count;
}

static void made_by(struct object *object, const struct step *step)
{
	object->thread = step->thread;
	object->number = step->number + 1;
}

void object_make(struct object *object, const struct step *step)
{
	*object = (struct object){.live = true};
	made_by(object, step);
}

void object_use(struct object *object, struct step *step)
{
	need(step, object->thread, object->number);
	object->used[step->thread] = step->number + 1;
}

void object_change(struct object *object, struct step *step)
{
	object_use(object, step);
	for (int t = 0; t < THREADS_MAX; t++)
		need(step, t, object->used[t]);
	made_by(object, step);
}

void object_end(struct object *object, struct step *step)
{
	object_change(object, step);
	object->live = false;
}

bool unsafe_allowed(const struct program *program, const struct step *step)
{
	return !program->forbidding && !program->threads[step->thread].careful;
}

void unsafe_use(struct program *program, struct step *step)
{
	object_use(&program->unsafe, step);
}

bool stream_usable(const struct program *program, const struct step *step,
		   int stream)
{
	const struct stream_model *it = &program->streams[stream];
	const struct context_model *ctx = &program->contexts[it->context];

	if (!it->object.live || !ctx->object.live)
		return false;
	if (it->thread != NONE && it->thread != step->thread)
		return false;
	if (it->kind == LEGACY && ctx->blocking_captures)
		return false;
	return it->capture == NONE ||
	       program->graphs[it->capture].thread == step->thread;
}

void stream_use(struct program *program, struct step *step, int stream)
{
	struct stream_model *it = &program->streams[stream];

	object_use(&it->object, step);
	context_use(program, step, it->context);
	if (it->kind == LEGACY)
		object_use(&program->contexts[it->context].legacy, step);
	step->context = it->context;
}

/* Returns the stream at which the search for a usable one begins. */
static int first_stream(struct program *program)
{
	if (program->narrow && !random_one_in(&program->random, 4))
		return program->stream_count - 1 -
		       (int)random_below(&program->random, NARROW);
	if (program->setting.kind != ALONE ||
	    random_one_in(&program->random, FAVOUR))
		program->favourite = (int)random_below(
			&program->random, (unsigned)program->stream_count);
	return program->favourite;
}

static int pick_stream(struct program *program, const struct step *step,
		       int context, bool free)
{
	int first = first_stream(program);

	for (int i = 0; i < program->stream_count; i++) {
		int at = (first + i) % program->stream_count;
		const struct stream_model *it = &program->streams[at];

		if (context != NONE && it->context != context)
			continue;
		if (free && it->capture != NONE)
			continue;
		if (stream_usable(program, step, at))
			return at;
	}
	return NONE;
}

int stream_pick(struct program *program, const struct step *step, int context)
{
	return pick_stream(program, step, context, false);
}

int stream_pick_free(struct program *program, const struct step *step,
		     int context)
{
	return pick_stream(program, step, context, true);
}

/* Returns whether work in context `from` may use memory of context `to`. */
static bool reaches(const struct program *program, int from, int to, bool copy)
{
	int there = program->contexts[to].device;

	if (from == to)
		return true;
	if (copy)
		return true;
	return program->peers && program->contexts[from].device != there &&
	       program->contexts[from].primary && program->contexts[to].primary;
}

bool slot_usable(const struct program *program, const struct step *step,
		 int slot, int stream, bool copy)
{
	const struct slot_model *it = &program->slots[slot];
	const struct stream_model *where = &program->streams[stream];

	if (!it->object.live || it->pinned ||
	    !stream_usable(program, step, stream))
		return false;
	if (!reaches(program, where->context, it->context, copy))
		return false;
	if (where->capture != NONE)
		return !it->checked && it->context == where->context &&
		       (!program->tame || it->home == stream);
	return (!it->checked && !program->tame) || it->home == stream;
}

void slot_use(struct program *program, struct step *step, int slot, int stream)
{
	struct slot_model *it = &program->slots[slot];
	struct stream_model *where = &program->streams[stream];

	if (it->checked)
		object_change(&it->object, step);
	else
		object_use(&it->object, step);
	context_use(program, step, it->context);
	stream_use(program, step, stream);
	if (it->home != stream)
		it->wild = true;
	else
		it->placed = true;
	if (it->placed)
		it->implied = false;
	if (where->context != it->context)
		it->others |= 1u << where->context;
	if (where->capture != NONE)
		program->graphs[where->capture].slots[slot] = true;
}

int slot_pick(struct program *program, const struct step *step, int stream,
	      bool copy)
{
	int count = program->slot_count, first;

	if (!count)
		return NONE;
	first = (int)random_below(&program->random, (unsigned)count);
	for (int i = 0; i < count; i++) {
		int at = (first + i) % count;

		if (slot_usable(program, step, at, stream, copy))
			return at;
	}
	return NONE;
}

bool slot_and_stream(struct program *program, struct step *step, bool copy)
{
	int stream = stream_pick(program, step, NONE), slot;
	int capture = program->threads[step->thread].capture;

	/* Half of the work of a capturing thread goes into its capture. */
	if (capture != NONE && random_one_in(&program->random, 2))
		stream = program->graphs[capture].stream;
	if (stream == NONE)
		return false;
	slot = slot_pick(program, step, stream, copy);
	if (slot == NONE)
		return false;
	step->stream = stream;
	step->slot = slot;
	step->part = random_below(&program->random,
				  part_count(program->slots[slot].size));
	slot_use(program, step, slot, stream);
	return true;
}

int context_pick(struct program *program)
{
	int first = (int)random_below(&program->random,
				      (unsigned)program->context_count);

	for (int i = 0; i < program->context_count; i++) {
		int at = (first + i) % program->context_count;

		if (program->contexts[at].object.live)
			return at;
	}
	return NONE;
}

void context_use(struct program *program, struct step *step, int context)
{
	object_use(&program->contexts[context].object, step);
}

bool sync_allowed(const struct program *program, int context)
{
	return !program->contexts[context].captures;
}

void sync_use(struct program *program, struct step *step, int context)
{
	context_use(program, step, context);
	object_use(&program->contexts[context].sync, step);
}

bool others_wait(struct program *program, struct step *step, int slot,
		 bool near)
{
	const struct slot_model *it = &program->slots[slot];
	int device = program->contexts[it->context].device;

	for (int c = 0; c < program->context_count; c++) {
		struct context_model *ctx = &program->contexts[c];

		if (!(it->others >> c & 1))
			continue;
		/* Its end has waited for its work. The step comes after
		 * that. */
		if (!ctx->object.live) {
			object_use(&ctx->object, step);
			continue;
		}
		if (!near && ctx->device == device)
			continue;
		if (!sync_allowed(program, c))
			return false;
		step->waits |= 1u << c;
	}
	return true;
}

void others_use(struct program *program, struct step *step)
{
	for (int c = 0; c < program->context_count; c++)
		if (step->waits >> c & 1)
			sync_use(program, step, c);
}

int event_pick(struct program *program)
{
	int count = program->event_count, first;

	if (!count)
		return NONE;
	first = (int)random_below(&program->random, (unsigned)count);
	for (int i = 0; i < count; i++)
		if (program->events[(first + i) % count].object.live)
			return (first + i) % count;
	return NONE;
}
