/* Plays a script, in a process of its own that has libmnm.so preloaded and the
 * simulated device. */
#ifndef MNM_REPLAY_PLAYER_H
#define MNM_REPLAY_PLAYER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <mnm/mnm.h>

#include "stage.h"

/* Descriptors that the player has: it reads a player_start and steps from the
 * first, to its end, and maps the second, a player_result. */
enum { PLAYER_STEPS = 3, PLAYER_RESULT = 4 };

enum player_state {
	PLAYER_PLAYS,
	PLAYER_HAS_PLAYED,
	PLAYER_IS_FULL, /* a request had no room: it went no further */
	PLAYER_FAILED,  /* what: why */
};

/* What is to be known before the first step. */
struct player_start {
	uint32_t devices;
	bool marks_told; /* the pools are told of marks */
	uint64_t requests, marks;
};

/* The later half: from the mark in the middle to the last one, or from the
 * request in the middle where there are no two marks. By then a pool has what
 * it needs. */
struct player_half {
	uint64_t iterations; /* 0: there are no two marks */
	uint64_t requests, driver_calls;
	uint64_t sim_ns; /* on the simulated device */
	/* What a request and its free take on this machine: in the median
	 * iteration, or in all of the half. */
	double ns_a_pair;
};

struct player_result {
	_Atomic uint64_t steps; /* that were played so far */
	_Atomic int state;      /* enum player_state */
	char what[STAGE_WHAT];
	/* The request that had no room, from 1. */
	uint64_t full_request, full_iteration, full_bytes;
	struct player_half half;
	struct mnm_stats devices[STAGE_DEVICES];
};

/* The process itself. Returns its exit status. */
int player_play(void);

#endif
