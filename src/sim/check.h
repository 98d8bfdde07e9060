/* What a program may tell the simulated driver's checker (MNM_SIM_CHECK=1).
 *
 * The driver sees its own allocations. A pool under the program keeps these and
 * hands parts of them to one owner after another. Only the program knows who
 * has what. These functions are exports of the simulated libcuda.so.1 and no
 * part of CUDA: look them up with dlsym, and do without them on NVIDIA's
 * driver. When the checker is off, they cost a call and nothing else. */
#ifndef MNM_SIM_CHECK_H
#define MNM_SIM_CHECK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Says that the program has been given this memory. Call it as soon as the
 * allocation has returned. The label names the owner in reports; it is copied,
 * and cut after 47 characters. It is a violation if another owner still has
 * some of the memory. */
void sim_own(unsigned long long addr, size_t size, const char *label);
/* The same for memory that the program has asked for as a device's. It may lie
 * where the host could use it, which the program does not know, and does not
 * do. */
void sim_own_device(unsigned long long addr, size_t size, const char *label);
/* Says that the program is about to free the memory that it was given at this
 * address. Call it before the call that frees. An address at which no owner's
 * memory starts is ignored. */
void sim_disown(unsigned long long addr);
/* Violations so far in this process. */
unsigned long sim_violations(void);

#ifdef __cplusplus
}
#endif

#endif
