/* RMM's resources, as its headers have them. BENCH_KIND=pool, the default, is
 * pool_memory_resource; BENCH_KIND=arena is arena_memory_resource; and
 * BENCH_KIND=async is cuda_async_memory_resource, a pool of CUDA's. Stream 0 is
 * the legacy stream, which callers of cudaMalloc use. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <cuda_runtime_api.h>
#include <rmm/cuda_device.hpp>
#include <rmm/cuda_stream.hpp>
#include <rmm/mr/arena_memory_resource.hpp>
#include <rmm/mr/cuda_async_memory_resource.hpp>
#include <rmm/mr/cuda_memory_resource.hpp>
#include <rmm/mr/pool_memory_resource.hpp>

#include "../allocator.h"
#include "../order.h"

using upstream = rmm::mr::cuda_memory_resource;
using pool = rmm::mr::pool_memory_resource<upstream>;
using arena = rmm::mr::arena_memory_resource<upstream>;

static upstream driver;
static rmm::mr::device_memory_resource *resource;
static rmm::cuda_stream_view streams[BENCH_STREAMS] = {rmm::cuda_stream_legacy};

/* librmm.so has these functions with a CUDA runtime of its own inside, which
 * can't start if the driver answers no export tables. The headers' code finds
 * these instead. */
namespace rmm
{
cuda_device_id get_current_cuda_device()
{
	int device = 0;

	RMM_CUDA_TRY(cudaGetDevice(&device));
	return cuda_device_id{device};
}

int get_num_cuda_devices()
{
	int count = 0;

	RMM_CUDA_TRY(cudaGetDeviceCount(&count));
	return count;
}

std::pair<std::size_t, std::size_t> available_device_memory()
{
	std::size_t idle = 0, total = 0;

	RMM_CUDA_TRY(cudaMemGetInfo(&idle, &total));
	return {idle, total};
}

void cuda_stream_view::synchronize() const
{
	RMM_CUDA_TRY(cudaStreamSynchronize(value()));
}

void cuda_stream_view::synchronize_no_throw() const noexcept
{
	(void)cudaStreamSynchronize(value());
}
} // namespace rmm

/* The pool begins with half of the device, as RMM's guide has it. An arena
 * can't grow, so it gets nearly all. */
static rmm::mr::device_memory_resource *resource_open(const char *kind)
{
	std::size_t idle = rmm::available_device_memory().first;

	if (!std::strcmp(kind, "pool"))
		return new pool(&driver, rmm::align_down(idle / 2, 256));
	if (!std::strcmp(kind, "arena"))
		return new arena(&driver,
				 rmm::align_down(idle / 16 * 15, 1 << 20));
	if (!std::strcmp(kind, "async"))
		return new rmm::mr::cuda_async_memory_resource();
	fprintf(stderr, "rmm: BENCH_KIND=%s: pool, arena or async\n", kind);
	return nullptr;
}

static void streams_open()
{
	for (int i = 1; i < BENCH_STREAMS; i++) {
		cudaStream_t stream;

		RMM_CUDA_TRY(cudaStreamCreateWithFlags(&stream,
						       cudaStreamNonBlocking));
		streams[i] = stream;
	}
}

int bench_open(void)
try {
	const char *kind = std::getenv("BENCH_KIND");

	resource = resource_open(kind ? kind : "pool");
	streams_open();
	return !resource;
} catch (const std::exception &error) {
	fprintf(stderr, "rmm: %s\n", error.what());
	return 1;
}

void *bench_stream(unsigned int stream)
{
	return streams[stream].value();
}

void *bench_alloc_in(std::size_t size, unsigned int stream)
try {
	return resource->allocate(streams[stream], size);
} catch (const std::exception &error) {
	fprintf(stderr, "rmm: %s\n", error.what());
	return nullptr;
}

void bench_free_in(void *ptr, std::size_t size, unsigned int, unsigned int last)
{
	resource->deallocate(streams[last], ptr, size);
}

void *bench_alloc(std::size_t size)
{
	return bench_alloc_in(size, 0);
}

void bench_free(void *ptr, std::size_t size)
{
	bench_free_in(ptr, size, 0, 0);
}

void bench_order(unsigned int earlier, unsigned int later)
{
	streams_order(streams[earlier].value(), streams[later].value());
}

const char *bench_version(void)
{
	return PEER_VERSION;
}
