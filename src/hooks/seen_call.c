#include <string.h>

#include "control/control.h"
#include "seen_call.h"

bool seen_begin(struct seen_order *order, int ordinal, const void *out,
		size_t bytes)
{
	if (out)
		return seen_order(order, ordinal, bytes);
	*order = (struct seen_order){0};
	return true;
}

CUresult seen_end_of(const struct seen_order *order, CUresult res,
		     enum seen_kind kind, enum seen_key key, const void *out,
		     size_t bytes)
{
	uint64_t handle;

	if (res || !out) {
		seen_cancel(order);
		return res;
	}
	memcpy(&handle, out, sizeof(handle));
	if (seen_got(order, kind, key, handle, bytes))
		control_open_once();
	return res;
}

CUresult seen_end(const struct seen_order *order, CUresult res,
		  enum seen_kind kind, const CUdeviceptr *out, size_t bytes)
{
	return seen_end_of(order, res, kind, SEEN_ADDRESS, out, bytes);
}
