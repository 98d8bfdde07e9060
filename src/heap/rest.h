/* Giving idle memory back to the driver so that nobody waits for work: while
 * the program rests (order/calls.h). The driver's free waits for all work of
 * its device, and that work may wait for the thread that makes the free. */
#ifndef MNM_REST_H
#define MNM_REST_H

#include <stdbool.h>
#include <stddef.h>

struct device;

/* How often rest_begin looks whether all work is over, with a short sleep
 * before each look but the first. With REST_SOON it gives up once a call comes;
 * REST_PATIENT takes about a second. */
enum { REST_NOW = 1, REST_SOON = 40, REST_FORCED = 250, REST_PATIENT = 900 };

/* All work that may use the device's memory is over, or all work (NULL), and
 * calls that queue work wait until rest_end. Returns false if that does not
 * come about; while a stream captures it does for threads alone that may not
 * wait (owed.h). */
bool rest_begin(const struct device *device, int looks);

/* The same where other threads queue work all the time: calls wait first, and
 * then all work so far has to end, within a quarter of a second. Returns false
 * if it does not, as it may wait for such a call. */
bool rest_force(const struct device *device);
void rest_end(void);

/* Whether the rest should end: somebody waits for that. */
bool rest_is_awaited(void);

/* Waits until other threads' rests are over, for about a second at most: what
 * they give back is about to be there. */
void rest_await(void);

/* Sleeps between two looks, of which so many have been made: first in case the
 * work is about to end, then for longer. */
void rest_nap(int looks);

/* Gives one pending block of the device back, in a rest. Returns its bytes, or
 * 0 if none can go now. The start of a capture waits for that. While a stream
 * captures, blocks go for a thread alone that may not wait (owed.h). */
size_t rest_give_one(struct device *device);

#endif
