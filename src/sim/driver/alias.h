/* The addresses of mapped memory: the same bytes may be mapped at several
 * places (cuMemMap). All calls need the lock. */
#ifndef SIM_ALIAS_H
#define SIM_ALIAS_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

struct mapping;

/* A part of a range, at one of the addresses that its bytes have. */
struct alias {
	CUdeviceptr addr, end;
	CUdeviceptr rest, rest_end; /* what of the range comes after the part */
	const struct mapping *mapping; /* that has addr, or NULL */
	size_t offset, size;           /* of the part, in its memory */
};

/* Begins with the first part of the range [addr, end), which is not empty. */
void alias_first(struct alias *alias, CUdeviceptr addr, CUdeviceptr end);
/* Goes on to the part's next address, or to the next part. Returns false if
 * that was all. */
bool alias_next(struct alias *alias);

#endif
