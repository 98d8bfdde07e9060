/* Batches of prefetches and discards of managed memory. A prefetch is recorded,
 * and a discard leaves the contents as they are. */
#include <stdbool.h>

#include "context.h"
#include "entries.h"
#include "managed.h"
#include "stream.h"
#include "world.h"

struct batch {
	const CUdeviceptr *addrs;
	const size_t *sizes;
	size_t count;
};

/* Where parts of a batch go: each place holds from its index on. */
struct targets {
	const CUmemLocation *places;
	const size_t *first;
	size_t count;
};

static CUresult batch_check(const struct batch *batch, unsigned long long flags,
			    CUstream where)
{
	struct stream *stream;
	CUresult res;

	if (!batch->addrs || !batch->sizes || !batch->count || flags ||
	    world.profile.managed_fixed)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < batch->count; i++)
		if (!managed_range(batch->addrs[i], batch->sizes[i]))
			return CUDA_ERROR_INVALID_VALUE;
	res = stream_use(where, &stream);
	if (!res && stream == stream->ctx->legacy)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && stream->capture) /* as a prefetch */
		res = CUDA_ERROR_NOT_SUPPORTED;
	return res;
}

static CUresult targets_check(const struct targets *targets, size_t count)
{
	CUresult res = CUDA_SUCCESS;

	if (!targets->places || !targets->first || !targets->count ||
	    targets->count > count || targets->first[0])
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < targets->count && !res; i++) {
		if (targets->first[i] >= count ||
		    (i && targets->first[i] <= targets->first[i - 1]))
			return CUDA_ERROR_INVALID_VALUE;
		res = managed_location_check(targets->places[i]);
	}
	return res;
}

static CUresult prefetch(const struct batch *batch,
			 const struct targets *targets,
			 unsigned long long flags, CUstream where)
{
	CUresult res = batch_check(batch, flags, where);
	size_t place = 0;

	if (!res)
		res = targets_check(targets, batch->count);
	for (size_t i = 0; i < batch->count && !res; i++) {
		if (place + 1 < targets->count &&
		    targets->first[place + 1] == i)
			place++;
		res = sim_cuMemPrefetchAsync_v2(
			batch->addrs[i], batch->sizes[i],
			targets->places[place], 0, where);
	}
	return res;
}

CUresult sim_cuMemPrefetchBatchAsync(CUdeviceptr *addrs, size_t *sizes,
				     size_t count, CUmemLocation *places,
				     size_t *first, size_t place_count,
				     unsigned long long flags, CUstream where)
{
	const struct batch batch = {addrs, sizes, count};
	const struct targets targets = {places, first, place_count};

	return prefetch(&batch, &targets, flags, where);
}

CUresult sim_cuMemDiscardBatchAsync(CUdeviceptr *addrs, size_t *sizes,
				    size_t count, unsigned long long flags,
				    CUstream where)
{
	const struct batch batch = {addrs, sizes, count};

	return batch_check(&batch, flags, where);
}

CUresult sim_cuMemDiscardAndPrefetchBatchAsync(
	CUdeviceptr *addrs, size_t *sizes, size_t count, CUmemLocation *places,
	size_t *first, size_t place_count, unsigned long long flags,
	CUstream where)
{
	return sim_cuMemPrefetchBatchAsync(addrs, sizes, count, places, first,
					   place_count, flags, where);
}
