/* Runs a program, in the process made for it. */
#ifndef TESTS_PROOF_RUN_H
#define TESTS_PROOF_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "api.h"
#include "control.h"
#include "program.h"

/* What a run did. It is in memory that the parent shares. */
struct tally {
	unsigned long programs, steps, allocs, reuses, fences, syncs, swaps,
		captures, launches, compared, failures;
	unsigned long streams, events; /* with the handle of one that ended */
	unsigned long threads; /* that ended with work in their streams */
	unsigned long laps; /* programs of laps that begin with tstack_pool */
	unsigned long planned; /* of these, those for which a plan was made, */
	unsigned long placed;  /* those with blocks where it says, */
	unsigned long several; /* and those with several plans at a time */
	unsigned long stepped; /* and requests taken without a lock */
	bool finished;
};

struct run {
	const struct program *program;
	struct api api;
	bool native;
	CUcontext contexts[CONTEXTS_MAX];
	CUfunction touch[CONTEXTS_MAX], touch_two[CONTEXTS_MAX];
	CUstream streams[STREAMS_MAX];
	CUgreenCtx greens[STREAMS_MAX]; /* the green context of such a stream */
	CUevent events[EVENTS_MAX];
	CUevent order[THREADS_MAX][CONTEXTS_MAX]; /* each thread's own */
	CUdeviceptr slots[SLOTS_MAX]; /* 0 if its allocation failed */
	bool spoilt[SLOTS_MAX];       /* contents differ from what was drawn */
	CUgraph graphs[GRAPHS_MAX];
	CUgraphExec execs[GRAPHS_MAX];
	bool joined[GRAPHS_MAX][STREAMS_MAX]; /* which streams joined */
	uint32_t *host; /* pinned: a place for each part of each step */
	struct tally *tally;
	/* [t] has all threads that ran in place t, one after the other.
	 * lives[t] is how many these are so far. */
	pthread_t threads[THREADS_MAX][STEPS_MAX];
	atomic_int lives[THREADS_MAX];
	int next[THREADS_MAX]; /* index of the next step */
	pthread_mutex_t lock;
	pthread_cond_t progress[THREADS_MAX]; /* what each waits for is done */
	/* Under lock. */
	int done[THREADS_MAX];
	/* [a][b] is how many steps of thread b thread a waits for. */
	int wanted[THREADS_MAX][THREADS_MAX];
};

extern struct run run;

/* Runs a drawn program in this process, which can do so once. Adds to the
 * tally. */
void run_program(const struct program *program, bool native,
		 struct tally *tally);

/* Whether plans are to be expected: it is a program of laps that begins with
 * tstack_pool. The second notes what an answer of `stat` says of them. */
bool run_may_plan(void);
void run_plan_note(const char *answer);
/* Once all is freed: whether mnm says so too. */
void run_stat_check(void);

/* Says what went wrong, and counts it as a failure. */
void run_failed(const struct step *step, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns whether a call succeeded. An error is a failure of the run, unless it
 * was to be expected: it is `also`, or it was injected. */
bool run_ok(const struct step *step, const char *entry, CUresult res,
	    CUresult also);
#define OK(step, entry, ...) \
	run_ok(step, #entry, run.api.entry(__VA_ARGS__), CUDA_SUCCESS)
#define OK_OR(step, also, entry, ...) \
	run_ok(step, #entry, run.api.entry(__VA_ARGS__), also)

/* Makes a context current for the calling thread. */
bool run_enter(const struct step *step, int context);
/* Makes a context, which is current afterwards, and finds its kernels. */
bool run_context_open(const struct step *step, int context);
void run_context_close(const struct step *step, int context);
/* Waits for the contexts that the step names, and again if a failure was
 * injected. */
void run_waits(const struct step *step);
/* Returns the handle that the step's thread uses for a stream. */
CUstream run_stream(const struct step *step, int stream);
/* Makes later work of one stream come after all earlier work of another. */
void run_edge(const struct step *step, int from, int to);
/* Sets *addr to a part of a slot. Returns false if the slot's allocation
 * failed. */
bool run_part(int slot, unsigned part, CUdeviceptr *addr);
/* Makes the calling thread end after this step, and a new one take its
 * place. */
void run_end_thread(void);
/* Returns the place in pinned memory that belongs to a part of the step. */
uint32_t *run_host(const struct step *step, unsigned part);

#endif
