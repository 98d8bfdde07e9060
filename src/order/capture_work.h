/* Whether there is work while a stream captures. Nobody may record an event
 * then to find out. So events are recorded just before a capture begins, and
 * the calls that come meanwhile are looked at: those that a capture takes queue
 * no work. */
#ifndef MNM_CAPTURE_WORK_H
#define MNM_CAPTURE_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;

/* A capture is about to begin (capture_expect). Does nothing if one is on
 * already. Never waits for work. */
void capture_work_watch(void);

/* The last capture has ended. */
void capture_work_forget(void);

/* The calling thread is in a call that queues work in a stream, or has made one
 * wait. The key is as in stream_order.h; with SOLE_NONE it may be any. */
void capture_work_come(uintptr_t key);

/* Whether it is known, while a stream captures, if there is work. */
bool capture_work_is_known(void);

/* Whether all work is over that was queued before the captures that are on, and
 * none was queued meanwhile. False if that is not known. To be asked while no
 * other thread's call is under way (calls_look). */
bool capture_work_is_over(void);

#endif
