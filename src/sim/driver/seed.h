/* MNM_SIM_SEED: one seed, one schedule.
 *
 * With a seed no stream has a thread. Queued work runs inside the calls of the
 * program's threads, and the seed says what and when, so that the same calls
 * in the same order meet the same schedule. All of it needs the lock. */
#ifndef SIM_SEED_H
#define SIM_SEED_H

#include <stdbool.h>
#include <stdint.h>

struct fence;
struct stream;

struct seed {
	bool on;
	uint64_t value;              /* as it was given */
	uint64_t state;              /* of the generator */
	unsigned mood;               /* of the present phase */
	unsigned left;               /* calls until it ends */
	const struct stream *chosen; /* favoured or starved in this phase */
};

/* Reads the environment; a value that is no number is said and ignored. */
void seed_open(void);
/* At each call: runs none, some or all of what is ready. Drops the lock. */
void seed_step(void);
/* For a thread that waits: runs one operation, not only one that it waits
 * for. False when it has to wait for another thread. Drops the lock. */
bool seed_help(const struct fence *fence);

#endif
