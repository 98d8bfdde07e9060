/* The BFC allocator of TensorFlow and XLA, over device memory that it asks for
 * in regions. */
#include <cstdio>
#include <memory>

#include <cuda_runtime_api.h>
#include <xla/tsl/framework/bfc_allocator.h>

#include "../allocator.h"

/* Regions from cudaMalloc. None are merged, as on a real device. */
class regions : public tsl::SubAllocator
{
      public:
	regions() : SubAllocator({}, {})
	{
	}

	void *Alloc(size_t, size_t size, size_t *received) override
	{
		void *ptr = nullptr;

		if (cudaMalloc(&ptr, size))
			return nullptr;
		*received = size;
		return ptr;
	}

	void Free(void *ptr, size_t) override
	{
		(void)cudaFree(ptr);
	}

	bool SupportsCoalescing() const override
	{
		return false;
	}
};

static tsl::BFCAllocator *allocator;

int bench_open(void)
{
	tsl::BFCAllocator::Options options;
	size_t idle, total;
	cudaError_t res = cudaMemGetInfo(&idle, &total);

	if (res) {
		fprintf(stderr, "bfc: %s\n", cudaGetErrorString(res));
		return 1;
	}
	options.allow_growth = true;
	options.allow_retry_on_failure = false;
	allocator = new tsl::BFCAllocator(std::make_unique<regions>(), idle,
					  "bench", options);
	return 0;
}

void *bench_alloc(size_t size)
{
	return allocator->AllocateRaw(256, size);
}

void bench_free(void *ptr, size_t)
{
	allocator->DeallocateRaw(ptr);
}

const char *bench_version(void)
{
	return PEER_VERSION;
}
