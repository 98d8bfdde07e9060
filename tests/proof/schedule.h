/* One seed, one order of the host's threads.
 *
 * The program exports the pthread calls that wait, so that libmnm.so and
 * libcuda.so.1 use these. Of the threads that take part only one runs at a
 * time; at each such call the seed says who goes on. Sanitizers have their own
 * forms of those calls: in their builds threads run freely. */
#ifndef TESTS_PROOF_SCHEDULE_H
#define TESTS_PROOF_SCHEDULE_H

#include <stdint.h>

/* The caller becomes thread 0 of count; the others enter in any order. */
void schedule_open(uint64_t seed, int count);
/* A thread is about to be made. */
void schedule_start(int thread);
/* The calling thread takes part from here, as `thread`, to its very end. */
void schedule_enter(int thread);
/* Waits until a thread has ended. */
void schedule_join(int thread);
/* Between these mnm's control thread acts in the place of the caller, which
 * waits for its answer in a system call. */
void schedule_ask(void);
void schedule_answered(void);

#endif
