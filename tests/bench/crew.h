/* The threads that do a work, each on its core, and how long they take. */
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
	unsigned int index; /* 0: the program's first thread */
	pthread_t thread;
	/* What is done once before, while it is timed, and once after it. */
	struct script before, timed, after;
	void **blocks; /* by slot */
};

struct crew {
	const struct contender *who;
	struct worker workers[WORKERS_MAX];
	unsigned int count;
	int cores[CORES_MAX]; /* worker i: cores[i % core_count] */
	unsigned int core_count;
	void (*play)(struct worker *worker); /* `timed`, once */
	/* Once, before any is bound to a core; or NULL. */
	void (*first)(struct crew *crew);
	unsigned int former; /* threads that this starts, and that end */
	struct ring *ring;   /* of a hand-off */

	size_t pairs; /* of all, in one play */
	/* Workers that run at the same time: ns a pair is what one of them
	 * spends on it. 1 where they work on the same pairs. */
	unsigned int width;
	unsigned long plays; /* in a repetition */
	double ns[REPETITIONS_MAX];
	unsigned int repetitions;
	double mallocs; /* of the host, a pair; below 0: not counted */

	pthread_barrier_t start, end;
	int over;
};

/* Plays one script, from the first op to the last. */
void script_play(const struct script *script, void **blocks,
		 const struct contender *who);

/* The usual crew->play. */
void worker_play(struct worker *worker);

/* Binds the calling thread, nobody else. */
void pin(int core);

double seconds_now(void);

/* Warms up, then fills in what was measured: repetitions of at least a
 * millisecond for `seconds`, or one of so many plays if that is not 0. */
void crew_run(struct crew *crew, double seconds, unsigned long plays);

void crew_close(struct crew *crew);

#endif
