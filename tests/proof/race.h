/* A race of two threads, in a process made for one run of it. */
#ifndef TESTS_PROOF_RACE_H
#define TESTS_PROOF_RACE_H

#include "api.h"

enum { RACE_BLOCK = 4096 }; /* bytes */

struct race {
	const char *name;
	const char *variable, *value; /* of the environment, or NULL */
	int devices;
	/* If not 0, the second thread is left, too, at each point of this
	 * stride. */
	unsigned stride;
	void (*before)(void);
	void (*first)(void);  /* on a thread of its own */
	void (*second)(void); /* on another one */
	void (*after)(void);  /* or NULL */
};

/* Each table ends with a row without a name. */
extern const struct race race_table[], race_caches[], race_direct[],
	race_index[], race_order[], race_return[], race_room[], race_ends[],
	race_streams[], race_events[], race_legacy[], race_pools[],
	race_regions[];

extern struct api race_api;

/* If a call failed, says so and counts a failure of the run. */
void race_check(const char *entry, CUresult res);
/* If a figure is not the wanted one, says so and counts a failure of the
 * run. */
void race_expect(const char *name, long is, long wanted);
#define DO(entry, ...) race_check(#entry, race_api.entry(__VA_ARGS__))

/* Between these two, the calling thread is left at its n-th point. */
void race_hold(void);
void race_pass(void);

#endif
