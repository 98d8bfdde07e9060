/* Green contexts, and their streams. */
#include <cuda.h>

#include "model.h"
#include "place.h"
#include "run.h"
#include "step.h"

enum { GREEN_LIVE = 2, PROCESSORS = 8 };

static int greens_live(const struct program *program)
{
	int count = 0;

	for (int i = 0; i < program->stream_count; i++)
		count += program->streams[i].object.live &&
			 program->streams[i].green;
	return count;
}

/* To the rest of the program the green context's stream is a stream of the
 * primary context. */
bool draw_green_new(struct program *program, struct step *step)
{
	int device = (int)random_below(&program->random,
				       (unsigned)program->device_count);
	int primary = program->devices[device].retained;

	if (program->setting.old_driver || primary == NONE ||
	    program->stream_count == STREAMS_MAX ||
	    greens_live(program) == GREEN_LIVE ||
	    !unsafe_allowed(program, step))
		return false;
	step->context = primary;
	step->stream = place_stream(program, step, primary, NON_BLOCKING, NONE);
	program->streams[step->stream].green = true;
	context_use(program, step, primary);
	unsafe_use(program, step);
	return true;
}

static bool describe(const struct step *step, int device,
		     CUdevResourceDesc *desc)
{
	CUdevResource all, part;
	unsigned groups = 1;

	return OK(step, cuDeviceGetDevResource, device, &all,
		  CU_DEV_RESOURCE_TYPE_SM) &&
	       OK(step, cuDevSmResourceSplitByCount, &part, &groups, &all, NULL,
		  0, PROCESSORS) &&
	       OK(step, cuDevResourceGenerateDesc, desc, &part, 1);
}

void run_green_new(const struct step *step)
{
	int device = run.program->contexts[step->context].device;
	CUgreenCtx *green = &run.greens[step->stream];
	CUdevResourceDesc desc;

	if (run_enter(step, step->context) && describe(step, device, &desc) &&
	    OK(step, cuGreenCtxCreate, green, desc, device,
	       CU_GREEN_CTX_DEFAULT_STREAM))
		OK(step, cuGreenCtxStreamCreate, &run.streams[step->stream],
		   *green, CU_STREAM_NON_BLOCKING, 0);
}

/* Returns whether a graph is left that was captured in this stream, as its
 * nodes are the green context's work. */
static bool graph_remains(const struct program *program, int stream)
{
	for (int i = 0; i < program->graph_count; i++)
		if (program->graphs[i].stream == stream &&
		    program->graphs[i].state != GONE)
			return true;
	return false;
}

bool draw_green_drop(struct program *program, struct step *step)
{
	int stream = stream_pick_free(program, step, NONE);

	if (stream == NONE || !program->streams[stream].green ||
	    graph_remains(program, stream) || !unsafe_allowed(program, step) ||
	    !homes_leave(program, stream))
		return false;
	step->stream = stream;
	step->choice = random_below(&program->random, 2);
	stream_use(program, step, stream);
	unsafe_use(program, step);
	for (int i = 0; i < program->graph_count; i++)
		if (program->graphs[i].stream == stream)
			object_use(&program->graphs[i].object, step);
	object_end(&program->streams[stream].object, step);
	return true;
}

/* The end of the green context ends its stream, too. */
void run_green_drop(const struct step *step)
{
	if (!run_enter(step, step->context))
		return;
	if (step->choice)
		OK(step, cuStreamDestroy_v2, run.streams[step->stream]);
	OK(step, cuGreenCtxDestroy, run.greens[step->stream]);
}
