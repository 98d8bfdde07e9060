/* A host thread ends, and another goes on in its place. */
#include "model.h"
#include "run.h"
#include "step.h"

static bool is_own(const struct program *program, int thread, int stream)
{
	return program->streams[stream].thread == thread &&
	       program->contexts[program->streams[stream].context].object.live;
}

/* Picks one of the thread's own streams that is left with its work, or none. */
static void draw_left(struct program *program, struct step *step)
{
	int context = context_pick(program);

	if (program->setting.kind != STREAMS ||
	    random_one_in(&program->random, 3))
		return;
	for (int i = 0; i < program->stream_count; i++)
		if (is_own(program, step->thread, i) &&
		    program->streams[i].context == context &&
		    homes_move(program, step, i)) {
			step->stream = i;
			return;
		}
}

/* The thread's own streams end with it, so their work is waited for, or what it
 * uses goes on in another stream. The first thread does not end, as the process
 * would end with it. */
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
	draw_left(program, step);
	for (int i = 0; i < program->stream_count; i++) {
		if (!is_own(program, thread, i))
			continue;
		stream_use(program, step, i);
		if (i != step->stream)
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
	if (step->other != NONE)
		run_edge(step, step->stream, step->other);
	if (step->stream != NONE)
		__atomic_add_fetch(&run.tally->threads, 1, __ATOMIC_RELAXED);
	run_end_thread();
}
