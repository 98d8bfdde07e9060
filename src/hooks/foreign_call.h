/* What a hook does before and after a call that yields memory which no pool
 * serves. */
#ifndef MNM_FOREIGN_CALL_H
#define MNM_FOREIGN_CALL_H

#include "cuda/real.h"
#include "mem/foreign.h"

enum { CURRENT = -1 }; /* the current context's device */

/* Claims the bytes that the call asks for from a device, given by its ordinal
 * or as CURRENT, or from the host (DEVICE_HOST). If out is NULL, nothing is
 * claimed, as CUDA will refuse the call. Returns false if the claim would pass
 * the hard limit: the program is out of memory. */
bool foreign_begin(struct foreign_claim *order, int ordinal, const void *out,
		   size_t bytes);

/* To be called after the call, with its result, which is returned. out points
 * to the handle, or the address, that the call has set on success. */
CUresult foreign_end(const struct foreign_claim *order, CUresult res,
		     enum foreign_kind kind, const CUdeviceptr *out,
		     size_t bytes);
CUresult foreign_end_of(const struct foreign_claim *order, CUresult res,
			enum foreign_kind kind, enum foreign_key key,
			const void *out, size_t bytes);

/* Frees what the program has asked CUDA to free as device memory; foreign is
 * its record, or NULL. */
CUresult foreign_free(const struct foreign *foreign, CUdeviceptr ptr);

#endif
