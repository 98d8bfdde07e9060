/* PyTorch's caching allocator, or its allocator over cudaMallocAsync. It reads
 * PYTORCH_CUDA_ALLOC_CONF and PYTORCH_ALLOC_CONF itself. Stream 0 is PyTorch's
 * default stream, which is the legacy one. */
#include <cstdio>
#include <vector>

#include <dlfcn.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/PeerToPeerAccess.h>
#include <c10/util/Exception.h>

#include "../allocator.h"
#include "../order.h"

/* In libc10_cuda.so, and in no header. libtorch_cuda.so says by it how a
 * context is looked for; without an answer each look prints a warning. */
namespace c10::cuda::_internal
{
C10_CUDA_API void setHasPrimaryContext(bool (*has)(DeviceIndex));
}

static c10::cuda::CUDACachingAllocator::CUDAAllocator *allocator;
static std::vector<c10::cuda::CUDAStream> streams;

static bool context_is_there(c10::DeviceIndex)
{
	return true;
}

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
	c10::cuda::_internal::setHasPrimaryContext(context_is_there);
	/* torch does this when CUDA is first used. */
	c10::cuda::detail::init_p2p_access_cache(count);
	allocator = c10::cuda::CUDACachingAllocator::get();
	allocator->init(count);
	streams.push_back(c10::cuda::getDefaultCUDAStream());
	while (streams.size() < BENCH_STREAMS)
		streams.push_back(c10::cuda::getStreamFromPool());
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

void *bench_stream(unsigned int stream)
{
	return streams[stream].stream();
}

void *bench_alloc_in(size_t size, unsigned int stream)
try {
	return allocator->raw_alloc_with_stream(size, streams[stream]);
} catch (const c10::Error &error) {
	fprintf(stderr, "c10: %s\n", error.what_without_backtrace());
	return nullptr;
}

/* A tensor's memory is freed in its own stream. Another one that has used it is
 * named by record_stream(). */
void bench_free_in(void *ptr, size_t, unsigned int home, unsigned int last)
{
	if (home != last) {
		c10::DataPtr block(ptr, ptr, allocator->raw_deleter(),
				   streams[home].device());

		allocator->recordStream(block, streams[last]);
		block.release_context();
	}
	allocator->raw_delete(ptr);
}

void bench_order(unsigned int earlier, unsigned int later)
{
	streams_order(streams[earlier], streams[later]);
}

const char *bench_version(void)
{
	return PEER_VERSION;
}
