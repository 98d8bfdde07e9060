/* Streams and contexts that come and go, and waits for them. */
#include "model.h"
#include "place.h"
#include "run.h"
#include "step.h"

enum { STREAMS_LIVE = 16 }; /* created streams, at the same time */

static enum stream_kind draw_kind(struct program *program)
{
	return random_one_in(&program->random, 2) ? BLOCKING : NON_BLOCKING;
}

bool draw_stream_new(struct program *program, struct step *step)
{
	int context = context_pick(program), live = 0;
	enum stream_kind kind = draw_kind(program);

	for (int i = 0; i < program->stream_count; i++)
		live += program->streams[i].object.live &&
			program->streams[i].kind >= BLOCKING;
	if (live >= STREAMS_LIVE || program->stream_count == STREAMS_MAX ||
	    !unsafe_allowed(program, step))
		return false;
	step->context = context;
	step->stream = place_stream(program, step, context, kind, NONE);
	context_use(program, step, context);
	unsafe_use(program, step);
	return true;
}

static void stream_create(const struct step *step, int stream)
{
	unsigned flags = run.program->streams[stream].kind == BLOCKING
				 ? CU_STREAM_DEFAULT
				 : CU_STREAM_NON_BLOCKING;

	if (run_enter(step, step->context))
		OK(step, cuStreamCreate, &run.streams[stream], flags);
}

void run_stream_new(const struct step *step)
{
	stream_create(step, step->stream);
}

/* A checked slot keeps its home, and so does each slot of a tame program. */
bool homes_leave(struct program *program, int stream)
{
	struct slot_model *slot;

	for (int i = 0; i < program->slot_count; i++) {
		slot = &program->slots[i];
		if (slot->object.live && slot->home == stream &&
		    (slot->checked || program->tame))
			return false;
	}
	for (int i = 0; i < program->slot_count; i++) {
		slot = &program->slots[i];
		if (slot->object.live && slot->home == stream)
			slot->home = NONE;
	}
	return true;
}

bool draw_stream_drop(struct program *program, struct step *step)
{
	int stream = stream_pick_free(program, step, NONE);

	if (stream == NONE || program->streams[stream].kind < BLOCKING ||
	    program->streams[stream].green || !unsafe_allowed(program, step) ||
	    !homes_leave(program, stream))
		return false;
	step->stream = stream;
	stream_use(program, step, stream);
	unsafe_use(program, step);
	object_end(&program->streams[stream].object, step);
	return true;
}

void run_stream_drop(const struct step *step)
{
	if (run_enter(step, step->context))
		OK(step, cuStreamDestroy_v2, run.streams[step->stream]);
}

bool homes_move(struct program *program, struct step *step, int stream)
{
	int to = NONE;

	for (int i = 0; i < program->slot_count; i++) {
		struct slot_model *slot = &program->slots[i];

		if (!slot->object.live || slot->home != stream)
			continue;
		if (to == NONE)
			to = stream_pick_free(program, step,
					      program->streams[stream].context);
		if (to == NONE || to == stream)
			return false;
		object_change(&slot->object, step);
		slot->home = to;
		slot->placed = slot->implied = false;
	}
	step->other = to;
	if (to != NONE)
		stream_use(program, step, to);
	return true;
}

/* A stream is destroyed, often with work in it, and another one is made at
 * once, which may get its handle. */
bool draw_stream_again(struct program *program, struct step *step)
{
	int stream = stream_pick_free(program, step, NONE);

	if (stream == NONE || program->streams[stream].kind < BLOCKING ||
	    program->streams[stream].green ||
	    program->stream_count == STREAMS_MAX ||
	    !unsafe_allowed(program, step) ||
	    !homes_move(program, step, stream))
		return false;
	step->stream = stream;
	stream_use(program, step, stream);
	unsafe_use(program, step);
	object_end(&program->streams[stream].object, step);
	step->made = place_stream(program, step, step->context,
				  draw_kind(program), NONE);
	return true;
}

void run_stream_again(const struct step *step)
{
	if (step->other != NONE)
		run_edge(step, step->stream, step->other);
	if (run_enter(step, step->context))
		OK(step, cuStreamDestroy_v2, run.streams[step->stream]);
	stream_create(step, step->made);
	if (run.streams[step->made] == run.streams[step->stream])
		__atomic_add_fetch(&run.tally->streams, 1, __ATOMIC_RELAXED);
}

bool draw_stream_sync(struct program *program, struct step *step)
{
	step->stream = stream_pick_free(program, step, NONE);
	if (step->stream == NONE || !unsafe_allowed(program, step))
		return false;
	stream_use(program, step, step->stream);
	unsafe_use(program, step);
	return true;
}

void run_stream_sync(const struct step *step)
{
	if (run_enter(step, step->context))
		OK(step, cuStreamSynchronize, run_stream(step, step->stream));
}

bool draw_stream_query(struct program *program, struct step *step)
{
	return draw_stream_sync(program, step);
}

void run_stream_query(const struct step *step)
{
	if (run_enter(step, step->context))
		OK_OR(step, CUDA_ERROR_NOT_READY, cuStreamQuery,
		      run_stream(step, step->stream));
}

bool draw_context_sync(struct program *program, struct step *step)
{
	int context = context_pick(program);

	if (!sync_allowed(program, context) || !unsafe_allowed(program, step))
		return false;
	step->context = context;
	sync_use(program, step, context);
	unsafe_use(program, step);
	return true;
}

void run_context_sync(const struct step *step)
{
	if (run_enter(step, step->context))
		OK(step, cuCtxSynchronize);
}

/* The new primary context begins after the end of the last one. */
static void primary_begin(struct program *program, struct step *step,
			  int device)
{
	for (int c = 0; c < program->context_count; c++)
		if (program->contexts[c].primary &&
		    program->contexts[c].device == device)
			context_use(program, step, c);
	step->context = place_context(program, step, device, true);
	program->devices[device].retained = step->context;
}

bool draw_context_new(struct program *program, struct step *step)
{
	int device = (int)random_below(&program->random,
				       (unsigned)program->device_count);
	int live = 0;

	for (int i = 0; i < program->context_count; i++)
		live += program->contexts[i].object.live;
	if (live >= program->contexts_live ||
	    program->context_count == CONTEXTS_MAX ||
	    program->stream_count + program->thread_count + 1 > STREAMS_MAX ||
	    !unsafe_allowed(program, step))
		return false;
	if (program->devices[device].retained == NONE) {
		primary_begin(program, step, device);
	} else {
		step->context = place_context(program, step, device, false);
	}
	unsafe_use(program, step);
	return true;
}

void run_context_new(const struct step *step)
{
	run_context_open(step, step->context);
}

/* Returns whether all graphs with the context's work are gone, and notes the
 * waits for other contexts' work on its slots. */
static bool context_over(struct program *program, struct step *step,
			 int context)
{
	for (int i = 0; i < program->graph_count; i++)
		if (program->graphs[i].contexts >> context & 1 &&
		    program->graphs[i].state != GONE)
			return false;
	/* A green context retains the primary one. */
	for (int i = 0; i < program->stream_count; i++)
		if (program->streams[i].context == context &&
		    program->streams[i].object.live &&
		    program->streams[i].green)
			return false;
	for (int i = 0; i < program->slot_count; i++)
		if (program->slots[i].object.live &&
		    program->slots[i].context == context &&
		    !others_wait(program, step, i, true))
			return false;
	return true;
}

bool draw_context_drop(struct program *program, struct step *step)
{
	int context = context_pick(program);
	struct context_model *ctx = &program->contexts[context];

	if (ctx->kept || ctx->captures || !unsafe_allowed(program, step) ||
	    !context_over(program, step, context))
		return false;
	step->context = context;
	others_use(program, step);
	unsafe_use(program, step);
	object_end(&ctx->object, step);
	if (ctx->primary)
		program->devices[ctx->device].retained = NONE;
	for (int i = 0; i < program->stream_count; i++)
		if (program->streams[i].context == context)
			program->streams[i].object.live = false;
	for (int i = 0; i < program->event_count; i++)
		if (program->events[i].context == context)
			program->events[i].object.live = false;
	for (int i = 0; i < program->slot_count; i++)
		if (program->slots[i].context == context)
			program->slots[i].object.live = false;
	return true;
}

void run_context_drop(const struct step *step)
{
	run_waits(step);
	if (!run_enter(step, step->context))
		return;
	for (int i = 0; i < run.program->slot_count; i++) {
		if (run.program->slots[i].context != step->context ||
		    !run.slots[i])
			continue;
		if (run.api.sim_disown)
			run.api.sim_disown(run.slots[i]);
		run.slots[i] = 0;
	}
	run_context_close(step, step->context);
}
