/* Memory of mnm::resource is freed by a thread that has no context, in a stream
 * and in none. Prints how many bytes are live then. */
#include <mnm/resource.hpp>

#include <cstdio>
#include <thread>

static unsigned long long live_bytes()
{
	struct mnm_stats stats;

	stats.size = sizeof(stats);
	return mnm_device_stats(0, &stats) ? 0 : stats.live_bytes;
}

int main()
{
	const std::size_t bytes = std::size_t(1) << 20;
	cudaStream_t made;

	if (cudaStreamCreate(&made))
		return 1;
	for (cudaStream_t each : {made, cudaStream_t()}) {
		cuda::stream_ref stream(each);
		void *data = mnm::resource().allocate(stream, bytes);
		unsigned long long before = live_bytes();

		std::thread([&] {
			mnm::resource().deallocate(stream, data, bytes);
		}).join();
		std::printf("%llu then %llu live\n", before, live_bytes());
	}
	return 0;
}
