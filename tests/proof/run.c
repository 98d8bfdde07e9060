#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule.h"
#include "step.h"

struct run run = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The calling thread's current context, or NONE if it is not known. */
static __thread int current = NONE;

void run_failed(const struct step *step, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (step)
		fprintf(stderr, "thread %d step %d %s: ", step->thread,
			step->number, step->row->name);
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	__atomic_add_fetch(&run.tally->failures, 1, __ATOMIC_RELAXED);
}

/* Returns the injected fault that this error comes from, or NULL. */
static const struct fault *fault_of(const char *entry, CUresult res)
{
	const struct setting *setting = &run.program->setting;

	for (int i = 0; i < setting->fault_count; i++)
		if (res == (CUresult)setting->faults[i].code &&
		    !strcmp(entry, setting->faults[i].entry))
			return &setting->faults[i];
	return NULL;
}

bool run_ok(const struct step *step, const char *entry, CUresult res,
	    CUresult also)
{
	if (!res)
		return true;
	if (res == also || fault_of(entry, res))
		return false;
	run_failed(step, "%s returned %d", entry, (int)res);
	return false;
}

bool run_enter(const struct step *step, int context)
{
	if (current == context)
		return true;
	if (!run.contexts[context] ||
	    !OK(step, cuCtxSetCurrent, run.contexts[context]))
		return false;
	current = context;
	return true;
}

static void context_ready(const struct step *step, int context)
{
	/* The simulation needs no more than a kernel's name. */
	static const char image[] = "touch";
	CUmodule module;

	current = context;
	if (OK(step, cuModuleLoadData, &module, image)) {
		OK(step, cuModuleGetFunction, &run.touch[context], module,
		   "touch");
		OK(step, cuModuleGetFunction, &run.touch_two[context], module,
		   "touch_two");
	}
}

bool run_context_open(const struct step *step, int context)
{
	const struct context_model *ctx = &run.program->contexts[context];
	CUcontext *out = &run.contexts[context];

	if (ctx->primary
		    ? !OK(step, cuDevicePrimaryCtxRetain, out, ctx->device) ||
			      !OK(step, cuCtxSetCurrent, *out)
		    : !OK(step, cuCtxCreate_v2, out, 0, ctx->device))
		return false;
	context_ready(step, context);
	return true;
}

/* Returns false if the call has to be made again: a failure was injected, and
 * not one that comes after the context has ended. */
static bool context_ends(const struct step *step, int context)
{
	const struct context_model *ctx = &run.program->contexts[context];
	const char *entry = "cuDevicePrimaryCtxRelease_v2";
	const struct fault *fault;
	CUresult res;

	if (ctx->primary) {
		res = run.api.cuDevicePrimaryCtxRelease_v2(ctx->device);
	} else {
		entry = "cuCtxDestroy_v2";
		res = run.api.cuCtxDestroy_v2(run.contexts[context]);
	}
	fault = fault_of(entry, res);
	return run_ok(step, entry, res, CUDA_SUCCESS) || !fault || fault->late;
}

void run_context_close(const struct step *step, int context)
{
	/* The driver may make another context current. */
	current = NONE;
	for (int i = 0; i < TRIES && !context_ends(step, context); i++)
		;
}

void run_waits(const struct step *step)
{
	for (int c = 0; c < CONTEXTS_MAX; c++)
		for (int tries = TRIES; tries && step->waits >> c & 1; tries--)
			if (run_enter(step, c) && OK(step, cuCtxSynchronize))
				break;
}

CUstream run_stream(const struct step *step, int stream)
{
	bool by_null = (step->number + stream) % 2;

	switch (run.program->streams[stream].kind) {
	case LEGACY:
		return by_null && run.program->door != DOOR_PER_THREAD
			       ? NULL
			       : CU_STREAM_LEGACY;
	case PER_THREAD:
		return by_null && run.program->door == DOOR_PER_THREAD
			       ? NULL
			       : CU_STREAM_PER_THREAD;
	default:
		return run.streams[stream];
	}
}

bool run_part(int slot, unsigned part, CUdeviceptr *addr)
{
	*addr = run.slots[slot] +
		part_offset(run.program->slots[slot].size, part);
	return run.slots[slot];
}

uint32_t *run_host(const struct step *step, unsigned part)
{
	size_t at = (size_t)(step - run.program->steps) * PARTS_MAX + part;

	return run.host + at * PART_WORDS;
}

static void needs_wait(const struct step *step)
{
	pthread_mutex_lock(&run.lock);
	for (int t = 0; t < THREADS_MAX; t++) {
		run.wanted[step->thread][t] = step->need[t];
		while (run.done[t] < step->need[t])
			pthread_cond_wait(&run.progress[step->thread],
					  &run.lock);
	}
	pthread_mutex_unlock(&run.lock);
}

static void step_done(const struct step *step)
{
	pthread_mutex_lock(&run.lock);
	run.done[step->thread]++;
	for (int t = 0; t < THREADS_MAX; t++)
		if (run.wanted[t][step->thread] == run.done[step->thread])
			pthread_cond_signal(&run.progress[t]);
	pthread_mutex_unlock(&run.lock);
}

static __thread bool ends; /* after this step */

void run_end_thread(void)
{
	ends = true;
}

static void *thread_main(void *arg);

static void thread_start(int thread)
{
	int life = run.lives[thread]++;

	if (pthread_create(&run.threads[thread][life], NULL, thread_main,
			   (void *)(intptr_t)thread))
		run_failed(NULL, "thread %d does not start", thread);
}

static void thread_run(int thread)
{
	while (run.next[thread] < run.program->step_count && !ends) {
		const struct step *step =
			&run.program->steps[run.next[thread]++];

		if (step->thread != thread)
			continue;
		needs_wait(step);
		step->row->run(step);
		step_done(step);
	}
	if (!ends)
		return;
	schedule_pass_on();
	thread_start(thread);
}

static void *thread_main(void *arg)
{
	int thread = (int)(intptr_t)arg;

	schedule_enter(thread);
	thread_run(thread);
	return NULL;
}

static void peers_enable(void)
{
	for (int d = 0; d < DEVICES_MAX; d++)
		if (run_enter(NULL, run.program->devices[d].primary))
			OK(NULL, cuCtxEnablePeerAccess,
			   run.contexts[run.program->devices[!d].primary], 0);
}

/* It has a name, as it may be a part of memory that has others too. */
static bool host_open(void)
{
	size_t steps = (size_t)run.program->step_count;
	size_t size = steps * PARTS_MAX * PART_WORDS * sizeof(uint32_t);

	if (!OK(NULL, cuMemHostAlloc, (void **)&run.host, size,
		CU_MEMHOSTALLOC_PORTABLE))
		return false;
	if (run.api.sim_own)
		run.api.sim_own((CUdeviceptr)run.host, size, "the host's");
	return true;
}

static void host_close(void)
{
	if (run.api.sim_disown)
		run.api.sim_disown((CUdeviceptr)run.host);
	OK(NULL, cuMemFreeHost, run.host);
}

static bool devices_open(void)
{
	const struct program *program = run.program;

	if (!api_open(&run.api, program->door) || !OK(NULL, cuInit, 0))
		return false;
	for (int d = 0; d < program->device_count; d++) {
		const struct device_model *device = &program->devices[d];

		if (!run_context_open(NULL, device->primary) ||
		    (device->keeper != device->primary &&
		     !run_context_open(NULL, device->keeper)))
			return false;
	}
	if (program->peers)
		peers_enable();
	return host_open();
}

/* Creates the streams that exist from the start. */
static void streams_open(void)
{
	for (int i = 0; i < run.program->stream_count; i++) {
		const struct stream_model *stream = &run.program->streams[i];

		if (stream->kind < BLOCKING || !stream->given)
			continue;
		if (run_enter(NULL, stream->context))
			OK(NULL, cuStreamCreate, &run.streams[i],
			   stream->kind == BLOCKING ? CU_STREAM_DEFAULT
						    : CU_STREAM_NON_BLOCKING);
	}
}

/* Joins a thread, and all that went on in its place. */
static void thread_join(int thread)
{
	int life = 0;

	schedule_join(thread);
	do
		pthread_join(run.threads[thread][life], NULL);
	while (++life < run.lives[thread]);
}

static void threads_run(void)
{
	int count = run.program->thread_count;

	for (int t = 1; t < count; t++) {
		schedule_start(t);
		thread_start(t);
	}
	thread_run(0);
	for (int t = 1; t < count; t++)
		thread_join(t);
}

void run_program(const struct program *program, bool native,
		 struct tally *tally)
{
	unsigned long violations;

	run.program = program;
	run.native = native;
	run.tally = tally;
	for (int t = 0; t < THREADS_MAX; t++)
		pthread_cond_init(&run.progress[t], NULL);
	schedule_open(program->seed, program->thread_count);
	if (!devices_open())
		return;
	streams_open();
	threads_run();
	if (run_enter(NULL, program->devices[0].keeper))
		host_close();
	if (!native)
		run_stat_check();
	violations = run.api.sim_violations ? run.api.sim_violations() : 0;
	if (violations)
		run_failed(NULL, "%lu violations", violations);
	for (int d = 0; d < program->device_count; d++)
		if (program->devices[d].retained != NONE)
			OK(NULL, cuDevicePrimaryCtxRelease_v2, d);
	tally->programs++;
	tally->laps += run_may_plan();
	tally->steps += (unsigned long)program->step_count;
	tally->finished = true;
}
