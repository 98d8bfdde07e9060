/* A race of two threads, in a process made for one run of it. */
#ifndef TESTS_PROOF_RACE_H
#define TESTS_PROOF_RACE_H

#include "api.h"

enum { RACE_BLOCK = 4096 }; /* bytes */

struct race {
	const char *name;
	const char *variable, *value; /* in the environment; or NULL */
	int devices;
	unsigned stride; /* the second is left at each so-manieth point, too */
	void (*before)(void);
	void (*first)(void);  /* on a thread of its own */
	void (*second)(void); /* the same */
	void (*after)(void);  /* or NULL */
};

/* The last has no name. */
extern const struct race race_table[], race_caches[], race_direct[],
	race_index[], race_order[], race_return[], race_room[], race_ends[];

extern struct api race_api;

/* Says that a call failed, which is a failure of the run. */
void race_check(const char *entry, CUresult res);
/* Likewise, that a figure is another than it should be. */
void race_expect(const char *name, long is, long wanted);
#define DO(entry, ...) race_check(#entry, race_api.entry(__VA_ARGS__))

/* From here to race_pass() the calling thread is left at its n-th point. */
void race_hold(void);
void race_pass(void);

#endif
