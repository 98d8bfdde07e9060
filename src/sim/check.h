/* What a program may tell the simulated driver's checker (MNM_SIM_CHECK=1).
 *
 * The driver sees its own allocations. A pool under the program keeps those
 * and hands parts of them to one owner after another; only the program knows
 * who has what. These are exports of the simulated libcuda.so.1 and not CUDA:
 * look them up with dlsym, and on NVIDIA's driver do without. They cost a call
 * and nothing else when the checker is off. */
#ifndef MNM_SIM_CHECK_H
#define MNM_SIM_CHECK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program has been given this memory: call it as soon as the allocation
 * has returned. The label says to whom, in reports; it is copied, and cut
 * after 47 characters. Memory that somebody has already is a violation. */
void sim_own(unsigned long long addr, size_t size, const char *label);
/* The program is about to free what it was given there: call it before the
 * call that frees. An address that nobody has is ignored. */
void sim_disown(unsigned long long addr);
/* Violations so far in this process. */
unsigned long sim_violations(void);

#ifdef __cplusplus
}
#endif

#endif
