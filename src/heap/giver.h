/* The giver: the thread that gives idle memory back to the driver while the
 * process rests (calls.h) and no thread of the program makes a call in which it
 * could go back. It shares the program's file descriptors, as the driver's
 * calls need them, and sleeps until it is asked. What it does always ends: it
 * waits for no work and for no thread of the program's. */
#ifndef MNM_GIVER_H
#define MNM_GIVER_H

#include <stdbool.h>

struct device;

/* The control thread serves, and will end the giver before the program's main
 * thread ends. The giver never starts without this call. */
void giver_allow(void);

/* Starts the giver, once it is allowed; called by the program's frees. Quick
 * after the first time. */
void giver_start(void);

/* Gives back now what waits for a free, if the process rests. Returns when that
 * is done, or can't be done, or after some seconds. For one thread, which is
 * not the program's. */
void giver_ask(void);

/* Says whether all that is idle on the device is to go back when it can. */
void giver_want(const struct device *device, bool all);

/* Asks the giver if some device has idle memory for it (giver_want) and the
 * program has made no call since the last look. To be called now and then,
 * always by the same thread. Makes no CUDA call. */
void giver_look(void);

/* Ends the giver, which begins nothing any more; waits some seconds for its
 * end. */
void giver_leave(void);

#endif
