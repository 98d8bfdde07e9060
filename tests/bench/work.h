/* The works that can be timed: what each thread allocates and frees. */
#ifndef MNM_BENCH_WORK_H
#define MNM_BENCH_WORK_H

#include "crew.h"

struct work {
	const char *name, *argument, *help;
	/* Fills in the crew. Ends the program if the argument is wrong. */
	void (*build)(struct crew *crew, const char *argument);
};

/* Ends with a row without a name. */
extern const struct work works[];

/* Returns a whole number from 1 to most. Ends the program if it is none. */
size_t number_read(const char *what, const char *text, size_t most);

/* One thread plays the script alone. */
void crew_alone(struct crew *crew);

/* In replay.c: a trace, with and without the streams that it names. */
void replay_build(struct crew *crew, const char *argument);
void streams_build(struct crew *crew, const char *argument);

/* In streams.c: two streams take turns; blocks go from one to the other; and
 * what plays a script with streams, which ends the program if the contender
 * follows none. */
void turns_build(struct crew *crew, const char *argument);
void cross_build(struct crew *crew, const char *argument);
void streams_play(struct worker *worker);

/* In shared.c: threads that share sizes, and one thread after the others have
 * gone. */
void shared_build(struct crew *crew, const char *argument);
void shared_large_build(struct crew *crew, const char *argument);
void alone_build(struct crew *crew, const char *argument);

/* In handoff.c: one thread allocates, another frees. */
void handoff_build(struct crew *crew, const char *argument);

#endif
