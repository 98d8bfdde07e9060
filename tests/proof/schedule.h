/* One seed, one order of the host's threads.
 *
 * The program exports the pthread calls that wait, so that libmnm.so and
 * libcuda.so.1 use these. Of the threads that take part only one runs at a
 * time; at each such call the seed says who goes on. Sanitizers have their own
 * forms of those calls: in their builds threads run freely. */
#ifndef TESTS_PROOF_SCHEDULE_H
#define TESTS_PROOF_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* The caller becomes thread 0 of count; the others enter in any order. */
void schedule_open(uint64_t seed, int count);
/* A thread is about to be made. */
void schedule_start(int thread);
/* The calling thread takes part from here, as `thread`, to its very end. */
void schedule_enter(int thread);
/* The calling thread is about to make one that enters in its place, and then
 * to end. */
void schedule_pass_on(void);
/* Waits until a thread has ended. */
void schedule_join(int thread);
/* Between these mnm's control thread acts in the place of the caller, which
 * waits for its answer in a system call. */
void schedule_ask(void);
void schedule_answered(void);
/* For the calling thread alone: it goes on at all but one of so many points,
 * 0: at all that it can. */
void schedule_pace(unsigned stay);
/* Another thread goes on, if one can. */
void schedule_yield(void);
/* At its n-th point from now (0: none) the calling thread is left until no
 * other can go on. True: the one said before was reached. */
bool schedule_hold(unsigned long n);
/* Where mnm's core is about to access what other threads may change. */
__attribute__((visibility("default"))) void schedule_point(void);

#endif
