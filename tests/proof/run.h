/* A program that runs, in the process made for it. */
#ifndef TESTS_PROOF_RUN_H
#define TESTS_PROOF_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "api.h"
#include "control.h"
#include "program.h"

/* What a run did; it lies in memory that the parent sees. */
struct tally {
	unsigned long programs, steps, allocs, reuses, fences, syncs, swaps,
		captures, launches, compared, failures;
	bool finished;
};

struct run {
	const struct program *program;
	struct api api;
	bool native;
	CUcontext contexts[CONTEXTS_MAX];
	CUfunction touch[CONTEXTS_MAX], touch_two[CONTEXTS_MAX];
	CUstream streams[STREAMS_MAX];
	CUgreenCtx greens[STREAMS_MAX]; /* that such a stream is of */
	CUevent events[EVENTS_MAX];
	CUevent order[THREADS_MAX][CONTEXTS_MAX]; /* a thread's own */
	CUdeviceptr slots[SLOTS_MAX];             /* 0: its allocation failed */
	bool spoilt[SLOTS_MAX]; /* contents are not as drawn */
	CUgraph graphs[GRAPHS_MAX];
	CUgraphExec execs[GRAPHS_MAX];
	bool joined[GRAPHS_MAX][STREAMS_MAX]; /* a capture, by now */
	uint32_t *host; /* pinned: a place for each word of each step */
	struct tally *tally;
	pthread_t threads[THREADS_MAX][STEPS_MAX]; /* in each place */
	atomic_int lives[THREADS_MAX];             /* of these, so far */
	int next[THREADS_MAX]; /* the step that goes on there */
	pthread_mutex_t lock;
	pthread_cond_t progress[THREADS_MAX]; /* what each waits for is done */
	/* Under lock. */
	int done[THREADS_MAX];
	int wanted[THREADS_MAX][THREADS_MAX]; /* by the first, of the second */
};

extern struct run run;

/* Runs a drawn program in this process, once; adds to the tally. */
void run_program(const struct program *program, bool native,
		 struct tally *tally);

/* Says what went wrong, and counts it. */
void run_failed(const struct step *step, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether a call succeeded. If not, that is a failure of the run, but for a
 * result that was to be expected: `also`, or one that was injected. */
bool run_ok(const struct step *step, const char *entry, CUresult res,
	    CUresult also);
#define OK(step, entry, ...) \
	run_ok(step, #entry, run.api.entry(__VA_ARGS__), CUDA_SUCCESS)
#define OK_OR(step, also, entry, ...) \
	run_ok(step, #entry, run.api.entry(__VA_ARGS__), also)

/* Makes a context current for the calling thread. */
bool run_enter(const struct step *step, int context);
/* Makes a context, which is current then, and looks its kernels up. */
bool run_context_open(const struct step *step, int context);
void run_context_close(const struct step *step, int context);
/* Waits for the contexts that the step says; again, should a failure have
 * been injected. */
void run_waits(const struct step *step);
/* The handle that the step's thread gives for a stream. */
CUstream run_stream(const struct step *step, int stream);
/* Later work of one stream comes after all earlier work of another. */
void run_edge(const struct step *step, int from, int to);
/* A part of a slot; false where the slot's allocation failed. */
bool run_part(int slot, unsigned part, CUdeviceptr *addr);
/* The calling thread ends after this step, and another goes on as that one. */
void run_end_thread(void);
/* A place in pinned memory that belongs to the step. */
uint32_t *run_host(const struct step *step, unsigned part);

#endif
