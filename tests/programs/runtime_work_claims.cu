/* What the CUDA runtime promises about work: launches, copies, streams and
 * events. It is true of NVIDIA's runtime and of the simulated one. */
#include <string.h>

#include "claims.h"
#include "runtime_work_claims_kernels.cuh"

enum { COUNT = 1000 };

static int *zeros_alloc(int count)
{
	int *values;

	ck_assert_success(cudaMalloc((void **)&values, count * sizeof(int)));
	ck_assert_success(cudaMemset(values, 0, count * sizeof(int)));
	ck_assert_success(cudaDeviceSynchronize());
	return values;
}

static int value_read(const int *values, int i)
{
	int value = -1;

	ck_assert_success(cudaMemcpy(&value, values + i, sizeof(value),
				     cudaMemcpyDeviceToHost));
	return value;
}

START_TEST(launch_runs_every_thread_once)
{
	int *values = zeros_alloc(COUNT + 1);

	add_one<<<(COUNT + 127) / 128, 128>>>(values, COUNT);
	ck_assert_success(cudaGetLastError());
	ck_assert_int_eq(value_read(values, 0), 1);
	ck_assert_int_eq(value_read(values, COUNT - 1), 1);
	ck_assert_int_eq(value_read(values, COUNT), 0);
}
END_TEST

START_TEST(launch_numbers_blocks_and_threads_in_three_dimensions)
{
	enum { THREADS = 2 * 3 * 4 * 5 * 2 * 3 };
	int *numbers = zeros_alloc(THREADS);

	thread_numbers<<<dim3(2, 3, 4), dim3(5, 2, 3)>>>(numbers);
	ck_assert_success(cudaGetLastError());
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(value_read(numbers, i), i);
}
END_TEST

START_TEST(launch_passes_arguments_of_every_size)
{
	long sum = 0, *out;

	ck_assert_success(cudaMalloc((void **)&out, sizeof(*out)));
	store_sum<<<1, 1>>>(out, (char)1, 20.0, make_float4(300, 0, 0, 4000),
			    (short)10000);
	ck_assert_success(cudaGetLastError());
	ck_assert_success(
		cudaMemcpy(&sum, out, sizeof(sum), cudaMemcpyDefault));
	ck_assert_int_eq(sum, 14321);
}
END_TEST

START_TEST(atomics_count_every_thread)
{
	int *values = zeros_alloc(2);

	count_threads<<<10, 100>>>((unsigned *)values, values + 1);
	ck_assert_success(cudaGetLastError());
	ck_assert_int_eq(value_read(values, 0), 1000);
	ck_assert_int_eq(value_read(values, 1), 99);
}
END_TEST

START_TEST(launch_by_pointer_takes_an_argument_array)
{
	int *values = zeros_alloc(COUNT);
	int count = 1;
	void *args[] = {&values, &count};

	ck_assert_success(
		cudaLaunchKernel((const void *)add_one, 1, 32, args, 0, 0));
	ck_assert_int_eq(value_read(values, 0), 1);
	ck_assert_int_eq(value_read(values, 1), 0);
}
END_TEST

START_TEST(launch_ex_takes_a_configuration)
{
	cudaLaunchConfig_t config = {};
	int *values = zeros_alloc(COUNT);

	config.gridDim = 2;
	config.blockDim = 32;
	ck_assert_success(cudaLaunchKernelEx(&config, add_one, values, 40));
	ck_assert_int_eq(value_read(values, 39), 1);
	ck_assert_int_eq(value_read(values, 40), 0);
}
END_TEST

START_TEST(launch_of_an_empty_block_is_an_invalid_value)
{
	int *values = zeros_alloc(COUNT);

	add_one<<<1, 0>>>(values, COUNT);
	ck_assert_cuda(cudaGetLastError(), cudaErrorInvalidValue);
	ck_assert_int_eq(value_read(values, 0), 0);
}
END_TEST

START_TEST(launch_of_what_is_no_kernel_is_an_error)
{
	static int no_kernel;
	void *args[] = {NULL};

	ck_assert_cuda(cudaLaunchKernel(&no_kernel, 1, 1, args, 0, 0),
		       cudaErrorInvalidResourceHandle);
}
END_TEST

START_TEST(function_attributes_bound_the_block)
{
	struct cudaFuncAttributes attributes;
	int blocks = 0;

	ck_assert_success(cudaFuncGetAttributes(&attributes, add_one));
	ck_assert_int_ge(attributes.maxThreadsPerBlock, 32);
	ck_assert_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, add_one, 32, 0));
	ck_assert_int_ge(blocks, 1);
}
END_TEST

START_TEST(launches_work_after_a_device_reset)
{
	int *values = zeros_alloc(COUNT);

	add_one<<<1, 32>>>(values, COUNT);
	ck_assert_success(cudaDeviceReset());
	values = zeros_alloc(COUNT);
	add_one<<<1, 32>>>(values, COUNT);
	ck_assert_success(cudaGetLastError());
	ck_assert_int_eq(value_read(values, 0), 1);
}
END_TEST

START_TEST(copy_in_no_direction_is_an_error)
{
	char from[4] = {0}, to[4];

	ck_assert_cuda(cudaMemcpy(to, from, 4, (enum cudaMemcpyKind)9),
		       cudaErrorInvalidMemcpyDirection);
}
END_TEST

START_TEST(copy_from_host_to_host_copies)
{
	char from[4] = "abc", to[4] = "";

	ck_assert_success(cudaMemcpy(to, from, 4, cudaMemcpyHostToHost));
	ck_assert_str_eq(to, "abc");
}
END_TEST

START_TEST(copy_2d_moves_a_rectangle)
{
	char from[3][8] = {"aaaaaaa", "bbbbbbb", "ccccccc"}, to[3][4];
	size_t pitch;
	void *ptr;

	ck_assert_success(cudaMallocPitch(&ptr, &pitch, 8, 3));
	ck_assert_success(cudaMemcpy2D(ptr, pitch, from, 8, 8, 3,
				       cudaMemcpyHostToDevice));
	ck_assert_success(cudaMemset2D(ptr, pitch, 'x', 2, 3));
	memset(to, 0, sizeof(to));
	ck_assert_success(
		cudaMemcpy2D(to, 4, ptr, pitch, 3, 3, cudaMemcpyDefault));
	ck_assert_str_eq(to[0], "xxa");
	ck_assert_str_eq(to[2], "xxc");
}
END_TEST

START_TEST(pageable_source_may_change_after_an_async_copy)
{
	int *values = zeros_alloc(1);
	int value = 7;

	ck_assert_success(cudaMemcpyAsync(values, &value, sizeof(value),
					  cudaMemcpyHostToDevice, 0));
	value = 8;
	ck_assert_int_eq(value_read(values, 0), 7);
}
END_TEST

START_TEST(event_orders_two_streams)
{
	cudaStream_t first, second;
	cudaEvent_t event;
	int *values = zeros_alloc(COUNT), *copies = zeros_alloc(COUNT);

	ck_assert_success(
		cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	ck_assert_success(
		cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	ck_assert_success(
		cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	for (int i = 0; i < 100; i++)
		add_one<<<8, 128, 0, first>>>(values, COUNT);
	ck_assert_success(cudaEventRecord(event, first));
	ck_assert_success(cudaStreamWaitEvent(second, event, 0));
	ck_assert_success(cudaMemcpyAsync(copies, values, COUNT * sizeof(int),
					  cudaMemcpyDeviceToDevice, second));
	ck_assert_success(cudaStreamSynchronize(second));
	ck_assert_int_eq(value_read(copies, COUNT - 1), 100);
}
END_TEST

START_TEST(legacy_stream_waits_for_blocking_streams)
{
	cudaStream_t stream;
	int *values = zeros_alloc(COUNT);

	ck_assert_success(cudaStreamCreate(&stream));
	for (int i = 0; i < 100; i++)
		add_one<<<8, 128, 0, stream>>>(values, COUNT);
	add_one<<<8, 128, 0, cudaStreamLegacy>>>(values, COUNT);
	ck_assert_success(cudaStreamSynchronize(cudaStreamLegacy));
	ck_assert_success(cudaStreamQuery(stream));
	ck_assert_int_eq(value_read(values, COUNT - 1), 101);
}
END_TEST

START_TEST(event_never_recorded_counts_as_done)
{
	cudaEvent_t event;

	ck_assert_success(cudaEventCreate(&event));
	ck_assert_success(cudaEventQuery(event));
	ck_assert_success(cudaEventSynchronize(event));
	ck_assert_success(cudaEventDestroy(event));
}
END_TEST

START_TEST(events_measure_time_between_them)
{
	cudaEvent_t start, end;
	float ms = -1;
	int *values = zeros_alloc(COUNT);

	ck_assert_success(cudaEventCreate(&start));
	ck_assert_success(cudaEventCreate(&end));
	ck_assert_success(cudaEventRecord(start, 0));
	add_one<<<8, 128>>>(values, COUNT);
	ck_assert_success(cudaEventRecord(end, 0));
	ck_assert_success(cudaEventSynchronize(end));
	ck_assert_success(cudaEventElapsedTime(&ms, start, end));
	ck_assert(ms > 0 && ms < 60000);
}
END_TEST

START_TEST(events_without_timing_measure_nothing)
{
	cudaEvent_t start, end;
	float ms;

	ck_assert_success(
		cudaEventCreateWithFlags(&start, cudaEventDisableTiming));
	ck_assert_success(cudaEventCreate(&end));
	ck_assert_success(cudaEventRecord(start, 0));
	ck_assert_success(cudaEventRecord(end, 0));
	ck_assert_success(cudaDeviceSynchronize());
	ck_assert_cuda(cudaEventElapsedTime(&ms, start, end),
		       cudaErrorInvalidResourceHandle);
}
END_TEST

struct order {
	int count, host_function, callback; /* the order in which they ran */
};

static void host_function(void *data)
{
	struct order *order = (struct order *)data;

	order->host_function = ++order->count;
}

static void callback(cudaStream_t, cudaError_t status, void *data)
{
	struct order *order = (struct order *)data;

	if (status == cudaSuccess)
		order->callback = ++order->count;
}

START_TEST(host_functions_run_in_stream_order)
{
	struct order order = {};
	cudaStream_t stream;

	ck_assert_success(cudaStreamCreate(&stream));
	ck_assert_success(cudaLaunchHostFunc(stream, host_function, &order));
	ck_assert_success(cudaStreamAddCallback(stream, callback, &order, 0));
	ck_assert_success(cudaStreamSynchronize(stream));
	ck_assert_int_eq(order.host_function, 1);
	ck_assert_int_eq(order.callback, 2);
}
END_TEST

START_TEST(streams_tell_their_flags_and_priority)
{
	int least = 0, greatest = 0, priority = 1;
	unsigned flags = 0;
	cudaStream_t stream;

	ck_assert_success(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	ck_assert_success(cudaStreamCreateWithPriority(
		&stream, cudaStreamNonBlocking, greatest));
	ck_assert_success(cudaStreamGetFlags(stream, &flags));
	ck_assert_success(cudaStreamGetPriority(stream, &priority));
	ck_assert_uint_eq(flags, cudaStreamNonBlocking);
	ck_assert_int_eq(priority, greatest);
	ck_assert_success(cudaStreamDestroy(stream));
}
END_TEST

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
static const cudaStream_t default_stream = cudaStreamPerThread;
#else
static const cudaStream_t default_stream = cudaStreamLegacy;
#endif

START_TEST(stream_0_is_the_default_stream_of_the_build)
{
	unsigned long long zero = 0, own = 1;

	ck_assert_success(cudaStreamGetId(0, &zero));
	ck_assert_success(cudaStreamGetId(default_stream, &own));
	ck_assert_uint_eq(zero, own);
}
END_TEST

static const TTest *const tests[] = {
	launch_runs_every_thread_once,
	launch_numbers_blocks_and_threads_in_three_dimensions,
	launch_passes_arguments_of_every_size,
	atomics_count_every_thread,
	launch_by_pointer_takes_an_argument_array,
	launch_ex_takes_a_configuration,
	launch_of_an_empty_block_is_an_invalid_value,
	launch_of_what_is_no_kernel_is_an_error,
	function_attributes_bound_the_block,
	launches_work_after_a_device_reset,
	copy_in_no_direction_is_an_error,
	copy_from_host_to_host_copies,
	copy_2d_moves_a_rectangle,
	pageable_source_may_change_after_an_async_copy,
	event_orders_two_streams,
	legacy_stream_waits_for_blocking_streams,
	event_never_recorded_counts_as_done,
	events_measure_time_between_them,
	events_without_timing_measure_nothing,
	host_functions_run_in_stream_order,
	streams_tell_their_flags_and_priority,
	stream_0_is_the_default_stream_of_the_build,
	NULL,
};

int main(void)
{
	return claims_run("runtime work", tests);
}
