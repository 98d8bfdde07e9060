/* What is around a call that yields memory which no pool serves. */
#ifndef MNM_SEEN_CALL_H
#define MNM_SEEN_CALL_H

#include "cuda/real.h"
#include "mem/foreign.h"

enum { CURRENT = -1 }; /* the current context's device */

/* Claims what the call asks for of a device, by its ordinal; a call without a
 * place for its answer is CUDA's to refuse. False: that would pass the hard
 * limit, the program is out of memory. */
bool seen_begin(struct seen_order *order, int ordinal, const void *out,
		size_t bytes);

/* The call has returned; returns what it did. out: the handle, or address, that
 * it has set on success. */
CUresult seen_end(const struct seen_order *order, CUresult res,
		  enum seen_kind kind, const CUdeviceptr *out, size_t bytes);
CUresult seen_end_of(const struct seen_order *order, CUresult res,
		     enum seen_kind kind, enum seen_key key, const void *out,
		     size_t bytes);

#endif
