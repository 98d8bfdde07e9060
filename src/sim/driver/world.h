/* The state that all of the driver shares, and its one lock.
 *
 * Entries run with the lock held (call.h takes it), except for those that work
 * before cuInit and those that are quick (quick.h). Workers drop the lock while
 * an operation runs, and waiting threads while they wait. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "past.h"
#include "profile.h"
#include "seed.h"

struct world {
	pthread_mutex_t lock;
	pthread_cond_t done;    /* an operation has completed */
	unsigned waiting;       /* threads that wait for `done` */
	bool ready;             /* cuInit has succeeded; not in a child */
	struct profile profile; /* the same for every device */
	struct device *devices;
	int device_count;
	uint64_t latest;    /* highest virtual time of any thread */
	uint64_t block_ids; /* last number given to a block */
	unsigned driver_version;
	struct seed seed;
	bool checking;     /* MNM_SIM_CHECK; see access.h */
	bool tracking;     /* pasts are kept: past.h */
	bool quick;        /* see quick.h */
	uint64_t busy;     /* operations queued and captures begun, not over */
	uint64_t holding;  /* operations queued that a value may hold */
	struct past known; /* what a host has waited for */
	unsigned lanes;    /* given to streams so far */
};

extern struct world world;

/* Where the host's memory in pools is from: it has an arena and pools as a
 * device has them, and stands behind the last device. */
static inline struct device *world_host(void)
{
	return &world.devices[world.device_count];
}

/* Reads the environment and makes the devices, once in a process. */
CUresult world_open(void);
/* Something that keeps calls from being quick begins, or ends. The
 * lock is held. */
void world_busy(void);
void world_calm(void);
/* From now on pasts are kept. */
void world_track(void);
/* Whether this is a forked child of an initialised process: nothing
 * works there. */
bool world_is_dead(void);

#endif
