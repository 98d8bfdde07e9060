/* mnm as the memory of RMM: mnm::rmm_resource. It is the resource of
 * resource.hpp, but where there is no memory it throws what RMM's own resources
 * throw, rmm::out_of_memory, which RMM's adaptors wait for. From RMM 26.02 on a
 * resource satisfies a concept; before, it is derived from RMM's own class. */
#ifndef MNM_RMM_HPP
#define MNM_RMM_HPP

#if __has_include(<rmm/mr/device_memory_resource.hpp>)
#include <rmm/mr/device_memory_resource.hpp>
#define MNM_RMM_IS_BASED 1
#elif __has_include(<rmm/mr/device/device_memory_resource.hpp>)
#include <rmm/mr/device/device_memory_resource.hpp>
#define MNM_RMM_IS_BASED 1
#endif

#if __has_include(<rmm/error.hpp>)
#include <rmm/error.hpp>
#else
#include <rmm/detail/error.hpp>
#endif

#include <mnm/resource.hpp>

namespace mnm
{

/* What the function returns. */
template <typename Function> auto rmm_told(Function allocates)
{
	try {
		return allocates();
	} catch (const std::bad_alloc &) {
		throw rmm::out_of_memory("mnm has no memory left");
	}
}

#ifdef MNM_RMM_IS_BASED
class rmm_resource final : public rmm::mr::device_memory_resource
{
      private:
	void *do_allocate(std::size_t bytes,
			  rmm::cuda_stream_view stream) override
	{
		return rmm_told([&] {
			return resource().allocate(
				cuda::stream_ref(stream.value()), bytes);
		});
	}

	void do_deallocate(void *ptr, std::size_t bytes,
			   rmm::cuda_stream_view stream) noexcept override
	{
		resource().deallocate(cuda::stream_ref(stream.value()), ptr,
				      bytes);
	}

	bool do_is_equal(const rmm::mr::device_memory_resource &other)
		const noexcept override
	{
		return dynamic_cast<const rmm_resource *>(&other) != nullptr;
	}
};
#else
class rmm_resource : public resource
{
      public:
	void *allocate(cuda::stream_ref stream, std::size_t bytes,
		       std::size_t alignment = most_alignment)
	{
		return rmm_told([&] {
			return resource::allocate(stream, bytes, alignment);
		});
	}

	void *allocate_sync(std::size_t bytes,
			    std::size_t alignment = most_alignment)
	{
		return rmm_told([&] {
			return resource::allocate_sync(bytes, alignment);
		});
	}
};
#endif

} // namespace mnm

#endif
