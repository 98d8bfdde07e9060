/* Virtual time: each thread has its own, and it only moves forward. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdint.h>

/* The calling thread works for ns, or waits until a time. The lock is held. */
void clock_spend(uint64_t ns);
void clock_reach(uint64_t time);
/* Starts the calling thread's time at that of the latest thread. */
void clock_start(void);

/* The ns that bytes take at a rate in bytes a microsecond. 0 if the
 * rate is 0. */
uint64_t clock_transfer(uint64_t bytes, uint64_t rate);
/* The ns that bytes take at a price in ns a MiB. */
uint64_t clock_per_mib(uint64_t bytes, uint64_t price);

#endif
