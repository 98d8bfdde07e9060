/* Virtual time: each thread has its own, and it only moves forward. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdint.h>

/* The caller's thread works for ns, or waits until a time. Lock held. */
void clock_spend(uint64_t ns);
void clock_reach(uint64_t time);
/* A thread starts where the latest one is. */
void clock_start(void);

/* Time for bytes at a rate in bytes a microsecond; rate 0: none. */
uint64_t clock_transfer(uint64_t bytes, uint64_t rate);
/* Time at a price in ns a MiB. */
uint64_t clock_per_mib(uint64_t bytes, uint64_t price);

#endif
