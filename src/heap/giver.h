/* The thread that gives idle memory back to the driver while the process rests
 * (calls.h) and no thread of the program makes a call that could. It shares the
 * program's descriptors, as the driver's calls need them, and sleeps until it
 * is asked. What it does ends by itself: it waits for no work and no thread of
 * the program's. */
#ifndef MNM_GIVER_H
#define MNM_GIVER_H

#include <stdbool.h>

struct device;

/* The control thread serves, and will have this one leave before the program's
 * main thread does. Without that none of this does anything. */
void giver_allow(void);

/* Starts it, if it is to run; for frees of the program. One load, after the
 * first time. */
void giver_start(void);

/* What waits for a free goes back now, if the process rests: returns when it
 * has, or can't, or after some seconds. For one thread, not of the program. */
void giver_ask(void);

/* Whether all that is idle on the device is to go back when it can. */
void giver_want(const struct device *device, bool all);

/* Asks, if something is to go back so and the program has made no call since
 * the last look; to be called now and then, by the same thread. Makes no CUDA
 * call. */
void giver_look(void);

/* It ends, and makes no call any more. */
void giver_leave(void);

#endif
