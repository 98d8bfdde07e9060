/* One seed gives one order of the host's threads.
 *
 * The program exports the pthread calls that wait, so that libmnm.so and
 * libcuda.so.1 use these. Only one of the threads that take part runs at a
 * time, and at each such call the seed says which one goes on. Sanitizers have
 * their own forms of those calls, so in their builds the threads run freely. */
#ifndef TESTS_PROOF_SCHEDULE_H
#define TESTS_PROOF_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"

/* The caller becomes thread 0 of `count`. The others may enter in any order. */
void schedule_open(uint64_t seed, int count);
/* To be called before a thread is made. */
void schedule_start(int thread);
/* From here to its very end the calling thread takes part as `thread`. */
void schedule_enter(int thread);
/* The calling thread is about to make a thread that enters in its place, and
 * then to end. */
void schedule_pass_on(void);
/* Waits until a thread has ended. */
void schedule_join(int thread);
/* Between these two calls mnm's control thread acts in the caller's place,
 * while the caller waits for its answer in a system call. */
void schedule_ask(void);
void schedule_answered(void);
/* Returns whether this is one of mnm's threads that carry an order out. */
bool schedule_is_mnms_thread(void);
/* For the calling thread alone. It goes on at all points but one in `stay`;
 * with 0, at all points where it can. */
void schedule_pace(unsigned stay);
/* Lets another thread go on, if one can. */
void schedule_yield(void);
/* Leaves the calling thread at its n-th point from now, until no other thread
 * can go on; with 0, at none. Returns whether the point of the call before was
 * reached. */
bool schedule_hold(unsigned long n);
/* Called when mnm's core is about to access something that other threads may
 * change. */
__attribute__((visibility("default"))) void schedule_point(void);
/* Called when mnm's core accesses anything, while ways_watched. */
__attribute__((visibility("default"))) void schedule_access(const void *at,
							    size_t bytes,
							    enum access access);

#endif
