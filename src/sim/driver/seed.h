/* MNM_SIM_SEED: one seed, one schedule.
 *
 * With a seed no stream has a thread. Queued work runs inside the calls of the
 * program's threads. The seed says what runs and when, so that the same calls
 * in the same order meet the same schedule. seed_step() and seed_help() need
 * the lock. */
#ifndef SIM_SEED_H
#define SIM_SEED_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

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

/* Reads MNM_SIM_SEED. CUDA_ERROR_NO_DEVICE for what is no number of 64 bits: a
 * line on stderr says so. */
CUresult seed_open(void);
/* For each call: runs none, some or all of what is ready. Drops the lock. */
void seed_step(void);
/* For a thread that waits: runs one operation, which may be one that the thread
 * does not wait for. Returns false if the thread has to wait for another
 * thread. Drops the lock. */
bool seed_help(const struct fence *fence);

#endif
