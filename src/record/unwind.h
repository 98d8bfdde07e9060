/* The calling thread's stack: where each function returns to. No memory is
 * asked for, and no lock taken but the loader's. */
#ifndef MNM_RECORD_UNWIND_H
#define MNM_RECORD_UNWIND_H

#include <stddef.h>
#include <stdint.h>

/* Writes up to `most` return addresses, from the one that is `from` on, the
 * innermost first. Returns how many; 0: that one was not found. */
size_t unwind(uint64_t from, uint64_t *frames, size_t most);

/* Where code that is no shared runtime of CUDA's has called, by whatever that
 * has called up to `from`: that one, if it is none's, or if this is not
 * found. */
uint64_t unwind_behind(uint64_t from);

/* To be called before there are many walks: a fork waits for them from then
 * on. */
void unwind_guard_fork(void);

#endif
