/* A memory resource for C++: cuda::mr of CUDA's C++ libraries, and what takes
 * such a resource, as RMM from 26.02 on does. Memory is asked for and freed in
 * the order of a stream, as by mnm_alloc_in. Without mnm the resource is
 * CUDA's: cudaMallocAsync and cudaFreeAsync.
 *
 * A resource has no state, so all are equal. Memory is of the current device.
 * Alignments are at most that of CUDA's own allocations, 256 bytes; where there
 * is no memory, or the alignment is larger, std::bad_alloc is thrown; a program
 * that is built without exceptions is ended. The C++ has to be 17 or later.
 * docs/frameworks.md has examples. */
#ifndef MNM_RESOURCE_HPP
#define MNM_RESOURCE_HPP

#include <cstddef>
#include <exception>
#include <new>

#include <cuda_runtime_api.h>
/* CUDA's C++ libraries before 3.1 show cuda::mr only then. A program that
 * includes their header before this one defines it itself. */
#ifndef LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#endif
#include <cuda/memory_resource>
#include <cuda/stream_ref>

#include <mnm/mnm.h>

namespace mnm
{

class resource
{
      public:
	static constexpr std::size_t most_alignment = 256;

	void *allocate(cuda::stream_ref stream, std::size_t bytes,
		       std::size_t alignment = most_alignment)
	{
		CUdeviceptr ptr = 0;
		void *own = nullptr;

		check(alignment <= most_alignment);
		if (!bytes)
			return nullptr;
		CUresult result = mnm_alloc_in(&ptr, bytes, stream.get());

		if (!result)
			return reinterpret_cast<void *>(ptr);
		check(is_for_runtime(result));
		check(!cudaMallocAsync(&own, bytes, stream.get()));
		return own;
	}

	void deallocate(cuda::stream_ref stream, void *ptr, std::size_t,
			std::size_t = most_alignment) noexcept
	{
		if (ptr &&
		    is_for_runtime(mnm_free_in(
			    reinterpret_cast<CUdeviceptr>(ptr), stream.get())))
			(void)cudaFreeAsync(ptr, stream.get());
	}

	void *allocate_sync(std::size_t bytes,
			    std::size_t alignment = most_alignment)
	{
		void *ptr = nullptr;

		check(alignment <= most_alignment);
		check(!cudaMalloc(&ptr, bytes));
		return ptr;
	}

	void deallocate_sync(void *ptr, std::size_t,
			     std::size_t = most_alignment) noexcept
	{
		(void)cudaFree(ptr);
	}

	/* The same for CUDA's C++ libraries before 3.1. */
	void *allocate_async(std::size_t bytes, std::size_t alignment,
			     cuda::stream_ref stream)
	{
		return allocate(stream, bytes, alignment);
	}

	void deallocate_async(void *ptr, std::size_t bytes,
			      std::size_t alignment,
			      cuda::stream_ref stream) noexcept
	{
		deallocate(stream, ptr, bytes, alignment);
	}

	void *allocate(std::size_t bytes,
		       std::size_t alignment = most_alignment)
	{
		return allocate_sync(bytes, alignment);
	}

	void deallocate(void *ptr, std::size_t bytes,
			std::size_t alignment = most_alignment) noexcept
	{
		deallocate_sync(ptr, bytes, alignment);
	}

	bool operator==(const resource &) const noexcept
	{
		return true;
	}

	bool operator!=(const resource &) const noexcept
	{
		return false;
	}

	friend void get_property(const resource &,
				 cuda::mr::device_accessible) noexcept
	{
	}

      private:
	[[noreturn]] static void fail()
	{
#ifdef __cpp_exceptions
		throw std::bad_alloc();
#else
		std::terminate();
#endif
	}

	/* Whether the runtime can do what mnm did not: it loads the driver, it
	 * makes a context for a thread that has none, and it serves where mnm
	 * does not. */
	static bool is_for_runtime(CUresult result)
	{
		return result == CUDA_ERROR_NOT_FOUND ||
		       result == CUDA_ERROR_NOT_SUPPORTED ||
		       result == CUDA_ERROR_NOT_INITIALIZED ||
		       result == CUDA_ERROR_INVALID_CONTEXT;
	}

	static void check(bool good)
	{
		if (!good)
			fail();
	}
};

} // namespace mnm

#endif
