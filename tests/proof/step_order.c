/* Events and streams, and waits for them. */
#include "model.h"
#include "run.h"
#include "step.h"

/* Whether CUDA itself puts work of one stream after that of the other: they are
 * the legacy stream of a context and a stream that waits for it. It does so
 * when the legacy stream is given something. */
static bool is_implied(const struct program *program, int from, int to)
{
	const struct stream_model *one = &program->streams[from];
	const struct stream_model *other = &program->streams[to];

	return one->context == other->context && one->capture == NONE &&
	       other->capture == NONE &&
	       (one->kind == LEGACY) != (other->kind == LEGACY) &&
	       one->kind != NON_BLOCKING && other->kind != NON_BLOCKING;
}

/* Half of the edges are by an event that others record and wait for, too. */
static void draw_order_event(struct program *program, struct step *step)
{
	int event;

	if (program->setting.kind != STREAMS ||
	    program->streams[step->stream].capture != NONE ||
	    random_one_in(&program->random, 2))
		return;
	event = event_pick(program);
	if (event == NONE || program->events[event].context != step->context)
		return;
	step->event = event;
	object_change(&program->events[event].object, step);
}

/* Orders later work of one stream after all earlier work of another, by an
 * event, or as CUDA does it itself. A slot whose home is the first stream may
 * move to the second. */
bool draw_order(struct program *program, struct step *step)
{
	int from = stream_pick(program, step, NONE);
	int to = stream_pick(program, step, NONE), slot;

	if (from == NONE || from == to || program->streams[from].green ||
	    program->streams[from].capture != program->streams[to].capture)
		return false;
	step->stream = from;
	step->other = to;
	stream_use(program, step, to);
	stream_use(program, step, from);
	draw_order_event(program, step);
	if (program->streams[from].capture != NONE ||
	    program->streams[from].context != program->streams[to].context)
		return true;
	for (slot = 0; slot < program->slot_count; slot++)
		if (program->slots[slot].object.live &&
		    program->slots[slot].home == from &&
		    random_one_in(&program->random, 2))
			break;
	if (slot == program->slot_count)
		return true;
	step->slot = slot;
	step->choice = is_implied(program, from, to) &&
		       (program->streams[to].kind == LEGACY ||
			program->slots[slot].placed) &&
		       random_one_in(&program->random, 2);
	object_change(&program->slots[slot].object, step);
	program->slots[slot].home = to;
	program->slots[slot].placed = false;
	program->slots[slot].implied = step->choice;
	return true;
}

/* Returns the step's event, or the thread's own event in a context. Its
 * creation is tried again, as a failure may have been injected. */
static CUevent order_event(const struct step *step, int context)
{
	CUevent *event = &run.order[step->thread][context];

	if (step->event != NONE && run.events[step->event])
		return run.events[step->event];
	for (int tries = TRIES; tries && !*event; tries--)
		OK(step, cuEventCreate, event, CU_EVENT_DISABLE_TIMING);
	return *event;
}

void run_edge(const struct step *step, int from, int to)
{
	int context = run.program->streams[from].context;
	CUevent event;

	if (!run_enter(step, context))
		return;
	event = order_event(step, context);
	if (OK(step, cuEventRecord, event, run_stream(step, from)) &&
	    run_enter(step, run.program->streams[to].context))
		OK(step, cuStreamWaitEvent, run_stream(step, to), event, 0);
}

void run_order(const struct step *step)
{
	if (!step->choice)
		run_edge(step, step->stream, step->other);
}

bool draw_event_new(struct program *program, struct step *step)
{
	struct event_model *event;
	int live = 0;

	for (int i = 0; i < program->event_count; i++)
		live += program->events[i].object.live;
	if (program->event_count == EVENTS_MAX ||
	    (program->narrow && live >= NARROW) ||
	    !unsafe_allowed(program, step))
		return false;
	step->event = program->event_count++;
	event = &program->events[step->event];
	step->context = event->context = context_pick(program);
	object_make(&event->object, step);
	context_use(program, step, step->context);
	unsafe_use(program, step);
	return true;
}

static void event_create(const struct step *step, int event)
{
	if (run_enter(step, step->context))
		OK(step, cuEventCreate, &run.events[event],
		   CU_EVENT_DISABLE_TIMING);
}

void run_event_new(const struct step *step)
{
	event_create(step, step->event);
}

/* Picks an event of a live context. */
static bool draw_event(struct program *program, struct step *step)
{
	step->event = event_pick(program);
	if (step->event == NONE)
		return false;
	step->context = program->events[step->event].context;
	return true;
}

static void event_use(struct program *program, struct step *step)
{
	int context = program->events[step->event].context;

	object_use(&program->events[step->event].object, step);
	context_use(program, step, context);
}

bool draw_event_drop(struct program *program, struct step *step)
{
	if (!unsafe_allowed(program, step) || !draw_event(program, step))
		return false;
	event_use(program, step);
	unsafe_use(program, step);
	object_end(&program->events[step->event].object, step);
	return true;
}

/* Makes the event's context current. Also returns false if the event could not
 * be made. */
static bool run_event(const struct step *step)
{
	return run.events[step->event] && run_enter(step, step->context);
}

void run_event_drop(const struct step *step)
{
	if (run_event(step))
		OK(step, cuEventDestroy_v2, run.events[step->event]);
}

/* An event is destroyed, and another one is made at once, which may get its
 * handle. It was never recorded. */
bool draw_event_again(struct program *program, struct step *step)
{
	if (program->event_count == EVENTS_MAX ||
	    !draw_event_drop(program, step))
		return false;
	step->made = program->event_count++;
	program->events[step->made].context = step->context;
	object_make(&program->events[step->made].object, step);
	return true;
}

void run_event_again(const struct step *step)
{
	run_event_drop(step);
	event_create(step, step->made);
	if (run.events[step->made] == run.events[step->event])
		__atomic_add_fetch(&run.tally->events, 1, __ATOMIC_RELAXED);
}

bool draw_event_record(struct program *program, struct step *step)
{
	if (!draw_event(program, step))
		return false;
	step->stream = stream_pick_free(program, step, step->context);
	if (step->stream == NONE || program->streams[step->stream].green)
		return false;
	event_use(program, step);
	stream_use(program, step, step->stream);
	return true;
}

void run_event_record(const struct step *step)
{
	if (run_event(step))
		OK(step, cuEventRecord, run.events[step->event],
		   run_stream(step, step->stream));
}

bool draw_event_wait(struct program *program, struct step *step)
{
	if (!draw_event(program, step))
		return false;
	step->stream = stream_pick_free(program, step, NONE);
	if (step->stream == NONE)
		return false;
	event_use(program, step);
	stream_use(program, step, step->stream);
	return true;
}

void run_event_wait(const struct step *step)
{
	if (run_event(step))
		OK(step, cuStreamWaitEvent, run_stream(step, step->stream),
		   run.events[step->event], 0);
}

bool draw_event_query(struct program *program, struct step *step)
{
	if (!unsafe_allowed(program, step) || !draw_event(program, step))
		return false;
	event_use(program, step);
	unsafe_use(program, step);
	return true;
}

void run_event_query(const struct step *step)
{
	if (run_event(step))
		OK_OR(step, CUDA_ERROR_NOT_READY, cuEventQuery,
		      run.events[step->event]);
}

bool draw_event_sync(struct program *program, struct step *step)
{
	return draw_event_query(program, step);
}

void run_event_sync(const struct step *step)
{
	if (run_event(step))
		OK(step, cuEventSynchronize, run.events[step->event]);
}
