/* PyTorch's caching allocator. It reads PYTORCH_CUDA_ALLOC_CONF itself. */
#include <cstdio>

#include <dlfcn.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/PeerToPeerAccess.h>
#include <c10/util/Exception.h>

#include "../allocator.h"

static c10::cuda::CUDACachingAllocator::CUDAAllocator *allocator;

/* Expandable segments call NVML, and crash if there is none. */
static void nvml_open(void)
{
	if (!dlopen("libnvidia-ml.so.1", RTLD_NOW))
		dlopen(PEER_FOLDER "/libnvidia-ml.so.1", RTLD_NOW);
}

int bench_open(void)
try {
	int count = c10::cuda::device_count_ensure_non_zero();

	nvml_open();
	/* torch does this when CUDA is first used. */
	c10::cuda::detail::init_p2p_access_cache(count);
	allocator = c10::cuda::CUDACachingAllocator::get();
	allocator->init(count);
	return 0;
} catch (const c10::Error &error) {
	fprintf(stderr, "c10: %s\n", error.what_without_backtrace());
	return 1;
}

void *bench_alloc(size_t size)
try {
	return allocator->raw_alloc(size);
} catch (const c10::Error &error) {
	fprintf(stderr, "c10: %s\n", error.what_without_backtrace());
	return nullptr;
}

void bench_free(void *ptr, size_t)
{
	allocator->raw_delete(ptr);
}

const char *bench_version(void)
{
	return PEER_VERSION;
}
