/* What PyTorch's allocator says of itself and of CUDA's pool under it: figures,
 * limits, lack of memory, access for a peer, and a capture. Everything that is
 * printed is to be the same whoever serves the memory. */
#include <cstdio>
#include <vector>

#include <cuda.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/PeerToPeerAccess.h>
#include <c10/util/Exception.h>

namespace c10::cuda::_internal
{
C10_CUDA_API void setHasPrimaryContext(bool (*has)(DeviceIndex));
}

static const size_t mebi = 1 << 20, gibi = 1 << 30;

static c10::cuda::CUDACachingAllocator::CUDAAllocator *allocator;

static bool context_is_there(c10::DeviceIndex)
{
	return true;
}

static void figures(const char *when)
{
	auto stats = allocator->getDeviceStats(0);
	auto used = stats.allocated_bytes[0], held = stats.reserved_bytes[0];

	printf("%s: %ld bytes, at most %ld; reserved as much %d, at most %d; "
	       "last error %d\n",
	       when, (long)used.current, (long)used.peak,
	       held.current >= used.current, held.peak >= held.current,
	       (int)cudaGetLastError());
}

static void ask(const char *what, size_t size, cudaStream_t stream)
try {
	void *ptr = allocator->raw_alloc_with_stream(size, stream);

	printf("%s: served %d\n", what, ptr != nullptr);
	allocator->raw_delete(ptr);
} catch (const c10::OutOfMemoryError &) {
	printf("%s: out of memory\n", what);
}

static void play_figures(cudaStream_t first, cudaStream_t second)
{
	std::vector<void *> live;
	size_t largest = 0;

	for (int i = 0; i < 20; i++)
		live.push_back(allocator->raw_alloc_with_stream(
			(i + 1) * mebi, i % 2 ? first : second));
	figures("20 live");
	allocator->cacheInfo(0, &largest); /* takes all that is free, once */
	printf("the largest is %d\n", largest > gibi);
	figures("after that");
	allocator->resetPeakStats(0);
	for (void *ptr : live)
		allocator->raw_delete(ptr);
	figures("freed");
	allocator->emptyCache({0, 0});
	figures("emptied");
	printf("then reserved %ld\n",
	       (long)allocator->getDeviceStats(0).reserved_bytes[0].current);
}

static void play_limits(cudaStream_t stream)
{
	allocator->setMemoryFraction(0.25, 0);
	ask("past the fraction", 20 * gibi, stream);
	allocator->setMemoryFraction(1.0, 0);
	ask("within the device", 20 * gibi, stream);
	ask("past the device", 200 * gibi, stream);
	figures("refused");
	ask("afterwards", mebi, stream);
}

static void play_peer(cudaStream_t stream)
{
	CUmemLocation peer = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
	CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	CUmemoryPool pool;

	allocator->enablePeerAccess(0, 1);
	ask("beside a peer", mebi, stream);
	(void)cuDeviceGetDefaultMemPool(&pool, 0);
	(void)cuMemPoolGetAccess(&access, pool, &peer);
	printf("the peer's access is %d\n", (int)access);
}

/* A block of before is freed inside, one is freed inside, one stays. */
static void *captured_work(cudaStream_t stream, void *before)
{
	void *stays = allocator->raw_alloc_with_stream(mebi, stream);
	void *inside = allocator->raw_alloc_with_stream(2 * mebi, stream);

	(void)cudaMemsetAsync(stays, 1, mebi, stream);
	(void)cudaMemsetAsync(inside, 2, 2 * mebi, stream);
	allocator->raw_delete(inside);
	allocator->raw_delete(before);
	return stays;
}

static void play_capture(c10::cuda::CUDAStream stream)
{
	c10::cuda::CUDAStreamGuard guard(stream);
	cudaStream_t handle = stream.stream();
	void *before = allocator->raw_alloc_with_stream(mebi, handle), *stays;
	unsigned char byte = 0;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	allocator->beginAllocateToPool(
		0, {0, 1}, [handle](cudaStream_t at) { return at == handle; });
	C10_CUDA_CHECK(
		cudaStreamBeginCapture(handle, cudaStreamCaptureModeGlobal));
	allocator->markCaptureBegin(0);
	stays = captured_work(handle, before);
	allocator->endAllocateToPool(0, {0, 1});
	C10_CUDA_CHECK(cudaStreamEndCapture(handle, &graph));
	allocator->markCaptureEnd(0);
	C10_CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
	C10_CUDA_CHECK(cudaGraphLaunch(exec, handle));
	C10_CUDA_CHECK(cudaStreamSynchronize(handle));
	C10_CUDA_CHECK(cudaMemcpy(&byte, stays, 1, cudaMemcpyDeviceToHost));
	printf("captured: contents %d\n", byte);
	figures("launched");
	allocator->raw_delete(stays);
	C10_CUDA_CHECK(cudaGraphExecDestroy(exec));
	C10_CUDA_CHECK(cudaGraphDestroy(graph));
	allocator->releasePool(0, {0, 1});
	C10_CUDA_CHECK(cudaDeviceSynchronize());
	figures("at the end");
}

extern "C" int answers()
try {
	int count = c10::cuda::device_count_ensure_non_zero();

	c10::cuda::_internal::setHasPrimaryContext(context_is_there);
	c10::cuda::detail::init_p2p_access_cache(count);
	allocator = c10::cuda::CUDACachingAllocator::get();
	allocator->init(count);
	printf("%s\n", allocator->name().c_str());

	auto first = c10::cuda::getStreamFromPool();
	auto second = c10::cuda::getStreamFromPool();

	play_figures(first, second);
	play_limits(first);
	play_capture(second);
	if (count > 1)
		play_peer(first);
	fflush(stdout);
	return 0;
} catch (const c10::Error &error) {
	fprintf(stderr, "c10: %s\n", error.what_without_backtrace());
	return 1;
}
