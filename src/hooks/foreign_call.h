/* What is around a call that yields memory which no pool serves. */
#ifndef MNM_FOREIGN_CALL_H
#define MNM_FOREIGN_CALL_H

#include "cuda/real.h"
#include "mem/foreign.h"

enum { CURRENT = -1 }; /* the current context's device */

/* Claims what the call asks for of a device, by its ordinal; a call without a
 * place for its answer is CUDA's to refuse. False: that would pass the hard
 * limit, the program is out of memory. */
bool foreign_begin(struct foreign_claim *order, int ordinal, const void *out,
		   size_t bytes);

/* The call has returned; returns what it did. out: the handle, or address, that
 * it has set on success. */
CUresult foreign_end(const struct foreign_claim *order, CUresult res,
		     enum foreign_kind kind, const CUdeviceptr *out,
		     size_t bytes);
CUresult foreign_end_of(const struct foreign_claim *order, CUresult res,
			enum foreign_kind kind, enum foreign_key key,
			const void *out, size_t bytes);

#endif
