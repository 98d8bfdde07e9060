/* Events behind all work so far of several contexts. They are asked whether
 * they are over, and are not waited for. */
#ifndef MNM_MARKS_H
#define MNM_MARKS_H

#include <stdbool.h>

enum { MARKS_MAX = 64 };

struct context;
struct device;
struct CUevent_st;

struct marks {
	int count;
	struct mark {
		struct context *context;
		struct CUevent_st *event;
	} list[MARKS_MAX];
};

/* Sets a mark in each context that may use the device's memory, or in all
 * contexts (NULL). Never waits for work. Returns a CUresult, or FENCE_NOT_NOW
 * if a mark can't be set now, or if there is no context or more than MARKS_MAX.
 * After an error no mark is set. */
int marks_set(struct marks *marks, const struct device *device);

/* Returns CUDA_SUCCESS if all that work has ended, FENCE_NOT_NOW if it has not
 * or can't be asked now, or an error. */
int marks_ask(struct marks *marks);

/* The same while a stream captures. */
int marks_ask_beside(struct marks *marks);

void marks_drop(struct marks *marks);

/* Whether all work that may use the device's memory is over now. False if that
 * can't be asked now. */
bool device_is_idle(const struct device *device);

#endif
