/* Notes of what is left to CUDA (record/ring.h). */
#ifndef MNM_PASSED_H
#define MNM_PASSED_H

#include <stddef.h>
#include <stdint.h>

/* A request, with CUDA's own code, and where CUDA has written the address if it
 * has succeeded; and a free of memory that is not known. */
void passed_note(const unsigned long long *addr, size_t size, int result);
void passed_note_free(uint64_t addr);

#endif
