/* The threads that do a work, each bound to a core, and how long they take. */
#ifndef MNM_BENCH_CREW_H
#define MNM_BENCH_CREW_H

#include <pthread.h>
#include <stddef.h>

#include "contender.h"
#include "script.h"

enum { WORKERS_MAX = 64, CORES_MAX = 64, REPETITIONS_MAX = 1000 };

struct crew;

struct worker {
	struct crew *crew;
	unsigned int index; /* 0 is the program's first thread */
	pthread_t thread;
	/* Played once before the timed part, in it, and once after it. */
	struct script before, timed, after;
	void **blocks; /* indexed by slot */
};

struct crew {
	const struct contender *who;
	struct worker workers[WORKERS_MAX];
	unsigned int count;
	int cores[CORES_MAX]; /* worker i has cores[i % core_count] */
	unsigned int core_count;
	void (*play)(struct worker *worker); /* plays `timed` once */
	/* Called once, before any thread is bound to a core; or NULL. */
	void (*first)(struct crew *crew);
	unsigned int former; /* threads that are started and end before */
	struct ring *ring;   /* if it is a hand-off */

	size_t pairs; /* of all workers, in one play */
	/* Workers that run at the same time. The ns of a pair are what one of
	 * them spends on it. 1 if they work on the same pairs. */
	unsigned int width;
	unsigned long plays; /* in a repetition */
	double ns[REPETITIONS_MAX];
	unsigned int repetitions;
	double mallocs; /* of the host, per pair; negative if not counted */

	pthread_barrier_t start, end;
	int over;
};

/* Plays a script from the first op to the last. */
void script_play(const struct script *script, void **blocks,
		 const struct contender *who);

/* The usual value of crew->play. */
void worker_play(struct worker *worker);

/* Binds the calling thread alone. */
void pin(int core);

double seconds_now(void);

/* Warms up, then measures and fills in the results. With `plays` 0 it makes
 * repetitions of at least a millisecond for `seconds`, else one repetition of
 * so many plays. */
void crew_run(struct crew *crew, double seconds, unsigned long plays);

void crew_close(struct crew *crew);

#endif
