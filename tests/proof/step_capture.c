/* Captures, and the graphs that come from them. */
#include <cuda.h>

#include "model.h"
#include "run.h"
#include "step.h"

/* A stream of the context enters a capture, or leaves it. */
static void capture_change(struct program *program, struct step *step,
			   int stream, int graph, int by)
{
	struct stream_model *it = &program->streams[stream];
	struct context_model *ctx = &program->contexts[it->context];

	object_change(&it->object, step);
	context_use(program, step, it->context);
	it->capture = by > 0 ? graph : NONE;
	if (it->kind == NON_BLOCKING)
		return;
	object_change(&ctx->legacy, step);
	ctx->blocking_captures += by;
}

/* The capture as a whole begins or ends. */
static void capture_count(struct program *program, struct step *step, int graph,
			  int by)
{
	struct graph_model *it = &program->graphs[graph];
	struct thread_model *thread = &program->threads[it->thread];
	struct context_model *ctx = &program->contexts[it->context];

	object_change(&ctx->sync, step);
	ctx->captures += by;
	thread->capture = by > 0 ? graph : NONE;
	thread->careful = by > 0 && it->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
	if (it->mode != CU_STREAM_CAPTURE_MODE_GLOBAL)
		return;
	object_change(&program->unsafe, step);
	program->forbidding += by;
}

bool draw_capture_begin(struct program *program, struct step *step)
{
	int stream = stream_pick_free(program, step, NONE);
	struct graph_model *graph;

	if (program->threads[step->thread].capture != NONE || stream == NONE ||
	    program->streams[stream].kind == LEGACY ||
	    program->graph_count == GRAPHS_MAX)
		return false;
	step->stream = stream;
	step->graph = program->graph_count++;
	step->context = program->streams[stream].context;
	step->choice = random_below(&program->random, 3);
	graph = &program->graphs[step->graph];
	*graph = (struct graph_model){.state = CAPTURING,
				      .mode = (int)step->choice,
				      .thread = step->thread,
				      .stream = stream,
				      .context = step->context,
				      .contexts = 1u << step->context};
	object_make(&graph->object, step);
	capture_change(program, step, stream, step->graph, 1);
	capture_count(program, step, step->graph, 1);
	return true;
}

void run_capture_begin(const struct step *step)
{
	if (run_enter(step, step->context))
		OK(step, cuStreamBeginCapture_v2,
		   run_stream(step, step->stream),
		   (CUstreamCaptureMode)step->choice);
}

bool draw_capture_join(struct program *program, struct step *step)
{
	int graph = program->threads[step->thread].capture, stream;

	if (graph == NONE || program->tame)
		return false;
	step->context = program->graphs[graph].context;
	stream = stream_pick_free(program, step, step->context);
	if (stream == NONE || program->streams[stream].kind == LEGACY ||
	    program->streams[stream].green ||
	    program->streams[program->graphs[graph].stream].green)
		return false;
	step->graph = graph;
	step->stream = program->graphs[graph].stream;
	step->other = stream;
	stream_use(program, step, step->stream);
	capture_change(program, step, stream, graph, 1);
	return true;
}

void run_capture_join(const struct step *step)
{
	if (!run_enter(step, step->context))
		return;
	run_edge(step, step->stream, step->other);
	run.joined[step->graph][step->other] = true;
}

bool draw_capture_end(struct program *program, struct step *step)
{
	int graph = program->threads[step->thread].capture;

	if (graph == NONE)
		return false;
	step->graph = graph;
	step->stream = program->graphs[graph].stream;
	step->context = program->graphs[graph].context;
	for (int i = 0; i < program->stream_count; i++)
		if (program->streams[i].capture == graph)
			capture_change(program, step, i, graph, -1);
	capture_count(program, step, graph, -1);
	object_change(&program->graphs[graph].object, step);
	program->graphs[graph].state = CAPTURED;
	return true;
}

void run_capture_end(const struct step *step)
{
	if (!run_enter(step, step->context))
		return;
	for (int i = 0; i < STREAMS_MAX; i++)
		if (run.joined[step->graph][i])
			run_edge(step, i, step->stream);
	if (OK(step, cuStreamEndCapture, run_stream(step, step->stream),
	       &run.graphs[step->graph]))
		__atomic_add_fetch(&run.tally->captures, 1, __ATOMIC_RELAXED);
}

static int graph_pick(struct program *program, enum graph_state least)
{
	int count = program->graph_count, first;

	if (!count)
		return NONE;
	first = (int)random_below(&program->random, (unsigned)count);
	for (int i = 0; i < count; i++) {
		int at = (first + i) % count;

		if (program->graphs[at].state >= least &&
		    program->graphs[at].state != GONE)
			return at;
	}
	return NONE;
}

bool draw_graph_instantiate(struct program *program, struct step *step)
{
	int graph = graph_pick(program, CAPTURED);

	if (graph == NONE || program->graphs[graph].state != CAPTURED ||
	    !unsafe_allowed(program, step))
		return false;
	step->graph = graph;
	step->context = program->graphs[graph].context;
	context_use(program, step, step->context);
	unsafe_use(program, step);
	object_change(&program->graphs[graph].object, step);
	program->graphs[graph].state = INSTANTIATED;
	return true;
}

void run_graph_instantiate(const struct step *step)
{
	if (run.graphs[step->graph] && run_enter(step, step->context))
		OK(step, cuGraphInstantiateWithFlags, &run.execs[step->graph],
		   run.graphs[step->graph], 0);
}

/* Returns whether all slots of the graph are live, and may be used in this
 * stream. */
static bool graph_fits(const struct program *program, int graph, int stream)
{
	for (int i = 0; i < program->slot_count; i++) {
		if (!program->graphs[graph].slots[i])
			continue;
		if (!program->slots[i].object.live ||
		    (program->tame && program->slots[i].home != stream))
			return false;
	}
	return true;
}

/* Notes that work of each context in the graph uses the slot. */
static void graph_slot_use(struct program *program, struct step *step, int slot)
{
	unsigned contexts = program->graphs[step->graph].contexts;
	struct slot_model *it = &program->slots[slot];

	slot_use(program, step, slot, step->stream);
	for (int c = 0; c < program->context_count; c++)
		if (contexts >> c & 1)
			context_use(program, step, c);
	it->others |= contexts & ~(1u << it->context);
}

bool draw_graph_launch(struct program *program, struct step *step)
{
	int graph = graph_pick(program, INSTANTIATED), stream;

	if (graph == NONE)
		return false;
	stream =
		stream_pick_free(program, step, program->graphs[graph].context);
	if (stream == NONE || !graph_fits(program, graph, stream))
		return false;
	step->graph = graph;
	step->stream = stream;
	object_change(&program->graphs[graph].object, step);
	stream_use(program, step, stream);
	for (int i = 0; i < program->slot_count; i++)
		if (program->graphs[graph].slots[i])
			graph_slot_use(program, step, i);
	return true;
}

void run_graph_launch(const struct step *step)
{
	if (run.execs[step->graph] && run_enter(step, step->context) &&
	    OK(step, cuGraphLaunch, run.execs[step->graph],
	       run_stream(step, step->stream)))
		__atomic_add_fetch(&run.tally->launches, 1, __ATOMIC_RELAXED);
}

bool draw_graph_drop(struct program *program, struct step *step)
{
	int graph = graph_pick(program, CAPTURED);

	if (graph == NONE)
		return false;
	step->graph = graph;
	step->context = program->graphs[graph].context;
	context_use(program, step, step->context);
	object_end(&program->graphs[graph].object, step);
	program->graphs[graph].state = GONE;
	return true;
}

void run_graph_drop(const struct step *step)
{
	if (!run_enter(step, step->context))
		return;
	if (run.execs[step->graph])
		OK(step, cuGraphExecDestroy, run.execs[step->graph]);
	if (run.graphs[step->graph])
		OK(step, cuGraphDestroy, run.graphs[step->graph]);
}
