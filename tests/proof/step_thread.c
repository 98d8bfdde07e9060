/* A host thread ends, and another goes on in its place. */
#include "model.h"
#include "run.h"
#include "step.h"

static bool is_own(const struct program *program, int thread, int stream)
{
	return program->streams[stream].thread == thread &&
	       program->contexts[program->streams[stream].context].object.live;
}

/* The thread's own streams end with it, so their work is waited for. The first
 * thread does not end, as the process would end with it. */
bool draw_thread_new(struct program *program, struct step *step)
{
	int thread = step->thread;

	if (!thread || program->threads[thread].capture != NONE ||
	    !unsafe_allowed(program, step))
		return false;
	for (int i = 0; i < program->stream_count; i++)
		if (is_own(program, thread, i) &&
		    (!stream_usable(program, step, i) ||
		     program->streams[i].capture != NONE))
			return false;
	for (int i = 0; i < program->stream_count; i++) {
		if (!is_own(program, thread, i))
			continue;
		stream_use(program, step, i);
		step->waits |= 1u << program->streams[i].context;
	}
	unsafe_use(program, step);
	return true;
}

void run_thread_new(const struct step *step)
{
	for (int c = 0; c < CONTEXTS_MAX; c++)
		if (step->waits >> c & 1 && run_enter(step, c))
			OK(step, cuStreamSynchronize, CU_STREAM_PER_THREAD);
	run_end_thread();
}
