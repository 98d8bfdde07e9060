#include <string.h>

#include "call.h"
#include "control/control.h"
#include "cuda/backing.h"
#include "foreign_call.h"
#include "order/capture.h"

bool foreign_begin(struct foreign_claim *order, int ordinal, const void *out,
		   size_t bytes)
{
	if (out)
		return foreign_claim(order, ordinal, bytes);
	*order = (struct foreign_claim){0};
	return true;
}

CUresult foreign_end_of(const struct foreign_claim *order, CUresult res,
			enum foreign_kind kind, enum foreign_key key,
			const void *out, size_t bytes)
{
	uint64_t handle;

	if (res || !out) {
		foreign_cancel(order);
		return res;
	}
	memcpy(&handle, out, sizeof(handle));
	if (foreign_got(order, kind, key, handle, bytes))
		control_open_once();
	return res;
}

CUresult foreign_end(const struct foreign_claim *order, CUresult res,
		     enum foreign_kind kind, const CUdeviceptr *out,
		     size_t bytes)
{
	return foreign_end_of(order, res, kind, FOREIGN_ADDRESS, out, bytes);
}

/* CUDA's free of device memory waits for the device. Its free of pinned memory
 * was seen to wait, too, and no document says so. While a stream captures, a
 * wait would end the capture. */
CUresult foreign_free(const struct foreign *foreign, CUdeviceptr ptr)
{
	CUcontext owner = foreign_pinned_by(foreign);

	if (!owner)
		return real_driver()->cuMemFree_v2(ptr);
	if (!capture_any())
		backing_wait(owner);
	return REAL_CALL(cuMemFreeHost, (void *)ptr);
}
