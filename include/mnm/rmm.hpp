/* mnm as the memory of RMM. From RMM 26.02 on, resource.hpp is all it takes.
 * Before, RMM wanted a class that is derived from its own:
 * mnm::rmm_resource. */
#ifndef MNM_RMM_HPP
#define MNM_RMM_HPP

#if __has_include(<rmm/mr/device_memory_resource.hpp>)
#include <rmm/mr/device_memory_resource.hpp>
#define MNM_RMM_IS_BASED 1
#elif __has_include(<rmm/mr/device/device_memory_resource.hpp>)
#include <rmm/mr/device/device_memory_resource.hpp>
#define MNM_RMM_IS_BASED 1
#endif

#include <mnm/resource.hpp>

namespace mnm
{

#ifdef MNM_RMM_IS_BASED
class rmm_resource final : public rmm::mr::device_memory_resource
{
      private:
	void *do_allocate(std::size_t bytes,
			  rmm::cuda_stream_view stream) override
	{
		return resource().allocate(cuda::stream_ref(stream.value()),
					   bytes);
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
using rmm_resource = resource;
#endif

} // namespace mnm

#endif
