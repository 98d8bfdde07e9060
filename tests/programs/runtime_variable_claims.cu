/* What the CUDA runtime promises about variables of device code. It is true of
 * NVIDIA's runtime and of the simulated one. */
#include "claims.h"
#include "runtime_variable_claims_kernels.cuh"

START_TEST(variable_begins_with_its_value)
{
	int value = 0, values[4];

	ck_assert_success(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
	ck_assert_int_eq(value, 5);
	ck_assert_success(cudaMemcpyFromSymbol(values, scales, sizeof(values)));
	ck_assert_int_eq(values[3], 4);
}
END_TEST

START_TEST(kernel_sees_what_is_copied_to_a_symbol)
{
	const int more[] = {30, 40};
	int values[] = {1, 1, 1, 1}, *on_device;

	ck_assert_success(cudaMalloc((void **)&on_device, sizeof(values)));
	ck_assert_success(cudaMemcpy(on_device, values, sizeof(values),
				     cudaMemcpyDefault));
	ck_assert_success(cudaMemcpyToSymbol(scales, more, sizeof(more),
					     2 * sizeof(int)));
	scale_values<<<1, 4>>>(on_device);
	ck_assert_success(cudaMemcpy(values, on_device, sizeof(values),
				     cudaMemcpyDefault));
	ck_assert_int_eq(values[0], 1);
	ck_assert_int_eq(values[1], 2);
	ck_assert_int_eq(values[2], 30);
	ck_assert_int_eq(values[3], 40);
}
END_TEST

START_TEST(copies_to_and_from_a_symbol_are_work_of_the_stream)
{
	int first = 100, last = 0;
	cudaStream_t stream;

	ck_assert_success(cudaStreamCreate(&stream));
	ck_assert_success(
		cudaMemcpyToSymbolAsync(counter, &first, sizeof(first), 0,
					cudaMemcpyHostToDevice, stream));
	count_up<<<1, 3, 0, stream>>>(10);
	ck_assert_success(
		cudaMemcpyFromSymbolAsync(&last, counter, sizeof(last), 0,
					  cudaMemcpyDeviceToHost, stream));
	ck_assert_success(cudaStreamSynchronize(stream));
	ck_assert_int_eq(last, 130);
}
END_TEST

START_TEST(symbol_has_an_address_and_a_size)
{
	void *addr = NULL;
	size_t size = 0;
	int value = 0;

	ck_assert_success(cudaGetSymbolAddress(&addr, scales));
	ck_assert_success(cudaGetSymbolSize(&size, scales));
	ck_assert_uint_eq(size, 4 * sizeof(int));
	ck_assert_success(cudaMemcpy(&value, (int *)addr + 1, sizeof(value),
				     cudaMemcpyDeviceToHost));
	ck_assert_int_eq(value, 2);
}
END_TEST

START_TEST(copy_past_the_end_of_a_symbol_is_refused)
{
	int values[5] = {};

	ck_assert_cuda(cudaMemcpyToSymbol(scales, values, sizeof(values)),
		       cudaErrorInvalidValue);
	ck_assert_cuda(cudaMemcpyToSymbol(scales, values, sizeof(int),
					  4 * sizeof(int)),
		       cudaErrorInvalidValue);
}
END_TEST

START_TEST(what_is_no_variable_has_no_symbol)
{
	static int on_host;
	void *addr;

	ck_assert_cuda(cudaGetSymbolAddress(&addr, (const void *)&on_host),
		       cudaErrorInvalidSymbol);
	ck_assert_cuda(cudaGetLastError(), cudaErrorInvalidSymbol);
}
END_TEST

START_TEST(managed_variable_is_the_hosts_and_the_devices)
{
	ck_assert_int_eq(shared_count, 6);
	shared_count = 50;
	count_up<<<1, 2>>>(1);
	ck_assert_success(cudaDeviceSynchronize());
	ck_assert_int_eq(shared_count, 52);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		variable_begins_with_its_value,
		kernel_sees_what_is_copied_to_a_symbol,
		copies_to_and_from_a_symbol_are_work_of_the_stream,
		symbol_has_an_address_and_a_size,
		copy_past_the_end_of_a_symbol_is_refused,
		what_is_no_variable_has_no_symbol,
		managed_variable_is_the_hosts_and_the_devices,
		NULL,
	};

	return claims_run("runtime_variables", tests);
}
