/* The threads that run the blocks of a launch. */
#ifndef SIM_PTX_CREW_H
#define SIM_PTX_CREW_H

#include <pthread.h>

#include "run.h"

struct ptx_helper;

/* What they share. */
struct ptx_crew {
	uint64_t count;       /* blocks */
	uint64_t next;        /* the first block that no thread has taken */
	uint64_t steps;       /* operations of warps, of all threads */
	uint64_t failed;      /* the mark of `error`, or UINT64_MAX */
	pthread_mutex_t lock; /* of what follows, and for tick() */
	enum ptx_result result;
	struct ptx_error *error;
	/* Of the thread that called ptx_run() alone. */
	unsigned int most; /* threads */
	struct ptx_helper *helpers;
	unsigned int helper_count;
};

/* Makes the run's crew and runs all blocks. Returns how that ended, and stores
 * the error. */
enum ptx_result ptx_crew_run(struct ptx_run *run, struct ptx_error *error);

/* How many blocks nobody has taken. */
uint64_t ptx_crew_left(const struct ptx_crew *crew);
/* Takes one of them. False if there is none. */
bool ptx_crew_take(struct ptx_crew *crew, uint64_t *number);
/* Whether a block is to go on: no other has failed before it. */
bool ptx_crew_wants(const struct ptx_crew *crew, const struct ptx_block *block);
/* Takes from the run what went wrong in a block, or in none of them. Of several
 * failures the first is kept. */
void ptx_crew_fail(struct ptx_run *run, const struct ptx_block *block);
/* To be called now and then after operations of a thread's warps. */
void ptx_crew_look(struct ptx_run *run);

/* Runs blocks as long as there are some. */
void ptx_blocks_run(struct ptx_run *run);

#endif
