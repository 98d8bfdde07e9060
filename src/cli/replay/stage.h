/* The simulated devices that a script is played on: their contexts and streams,
 * the blocks by slot, and the driver's calls. */
#ifndef MNM_REPLAY_STAGE_H
#define MNM_REPLAY_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "script.h"

enum { STAGE_DEVICES = 64, STAGE_WHAT = 160 };

/* The driver's entries, as a program asks for them by name. */
#define STAGE_LIST \
	ENTRY(cuInit) \
	ENTRY(cuDeviceGet) \
	ENTRY(cuDevicePrimaryCtxRetain) \
	ENTRY(cuCtxSetCurrent) \
	ENTRY(cuStreamCreate) \
	ENTRY(cuStreamWaitEvent) \
	ENTRY(cuModuleLoadData) \
	ENTRY(cuModuleGetFunction) \
	ENTRY(cuLaunchKernel) \
	ENTRY(cuMemAlloc_v2) \
	ENTRY(cuMemFree_v2) \
	ENTRY(cuMemAllocAsync) \
	ENTRY(cuMemFreeAsync) \
	ENTRY(cuMemCreate) \
	ENTRY(cuMemRelease) \
	ENTRY(cuEventCreate) \
	ENTRY(cuEventRecord) \
	ENTRY(cuEventSynchronize) \
	ENTRY(cuEventElapsedTime_v2)

struct stage_driver {
#define ENTRY(name) __typeof__(name) *name;
	STAGE_LIST
#undef ENTRY
};

struct stage {
	struct stage_driver driver;
	int devices, current;
	CUcontext contexts[STAGE_DEVICES];
	CUstream streams[STAGE_DEVICES][SCRIPT_STREAMS]; /* as they are met */
	CUfunction work[STAGE_DEVICES];
	CUevent joined[STAGE_DEVICES], moments[2];
	uint64_t *addresses; /* by slot */
	size_t slots;
	/* What requests and frees took on this machine, and how many they
	 * were; and what it takes to look at the clock. */
	uint64_t calls_ns, calls, look_ns;
	bool is_full;          /* the last call was a request without room */
	char what[STAGE_WHAT]; /* else: why a function has failed */
};

/* All of these return false if they fail. */
bool stage_open(struct stage *stage, int devices);

/* Plays a step that is no mark: a block is used once it is there, and before it
 * is freed. */
bool stage_play(struct stage *stage, const struct script_step *step);

/* Makes room for that many slots. */
bool stage_make_slots(struct stage *stage, size_t slots);

/* Waits for all work, as a training loop does that reads its loss. */
bool stage_wait(struct stage *stage);

/* Two moments, 0 and 1, of the first device's time; and the time between. */
bool stage_note(struct stage *stage, int moment);
bool stage_between(struct stage *stage, uint64_t *ns);

#endif
