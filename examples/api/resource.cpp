/* mnm as a memory resource of CUDA's C++ libraries: buffers that follow a
 * stream. Without mnm the same resource is cudaMallocAsync. To build and to run
 * it:
 *
 *	c++ -std=c++17 resource.cpp $(pkg-config --cflags --libs mnm) \
 *		-I$CUDA_HOME/include -I$CUDA_HOME/include/cccl \
 *		-L$CUDA_HOME/lib64 -lcudart -o resource
 *	mnm run -- ./resource
 */
#include <mnm/resource.hpp>

#include <cstdio>

/* A buffer of its own; it goes back in the order of the stream. */
class buffer
{
      public:
	buffer(std::size_t bytes, cuda::stream_ref stream)
	    : bytes_(bytes), stream_(stream),
	      data_(mnm::resource().allocate(stream, bytes))
	{
	}

	~buffer()
	{
		mnm::resource().deallocate(stream_, data_, bytes_);
	}

	buffer(const buffer &) = delete;
	buffer &operator=(const buffer &) = delete;

	bool fill(int value)
	{
		return !cudaMemsetAsync(data_, value, bytes_, stream_.get());
	}

      private:
	std::size_t bytes_;
	cuda::stream_ref stream_;
	void *data_;
};

int main()
{
	cudaStream_t stream;
	struct mnm_stats stats;

	if (cudaStreamCreate(&stream))
		return 1;
	for (int step = 0; step < 100; step++) {
		buffer one(std::size_t(1) << 20, stream);
		buffer other(std::size_t(1) << 18, stream);

		if (!one.fill(step) || !other.fill(step))
			return 1;
	}
	if (cudaStreamSynchronize(stream))
		return 1;
	stats.size = sizeof(stats);
	if (mnm_device_stats(0, &stats))
		std::printf("on its own: %s\n", mnm_error());
	else
		std::printf("%llu requests, %llu of them from idle memory\n",
			    static_cast<unsigned long long>(stats.allocs),
			    static_cast<unsigned long long>(stats.hits));
	return 0;
}
