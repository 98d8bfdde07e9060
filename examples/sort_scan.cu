/* Sorts values by keys and adds them up in that order, with Thrust. Thrust
 * takes temporary storage from cudaMalloc, and gives it back within each call.
 *
 * nvcc makes kernels of it (Thrust's CUDA back end, which is CUB's sort and
 * scan). Compiled with -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP the same
 * algorithms run on the host, on memory of the simulated device. */
#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "cuda_check.h"
#include "round_values.h"
#include "rounds.h"
#include "sort_scan_memory.h"

enum { KEYS = 997, STEPS = 3 }; /* many values have the same key */

struct rows {
	std::vector<unsigned> keys, values;
};

static struct rows rows_make(unsigned seed, unsigned count)
{
	struct rows rows;

	for (unsigned i = 0; i < count; i++) {
		rows.keys.push_back(value_first(seed, i) % KEYS);
		rows.values.push_back(value_first(seed + 1, i));
	}
	return rows;
}

static unsigned rows_sum(const std::vector<unsigned> &values)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < values.size(); i++)
		sum += value_weighed(values[i], i);
	return sum;
}

static unsigned rows_expected(const struct rows &rows)
{
	std::vector<unsigned> order(rows.keys.size()), scanned;
	unsigned sum = 0;

	std::iota(order.begin(), order.end(), 0u);
	std::stable_sort(order.begin(), order.end(),
			 [&](unsigned a, unsigned b) {
				 return rows.keys[a] < rows.keys[b];
			 });
	for (unsigned i : order)
		scanned.push_back(sum += rows.values[i]);
	return rows_sum(scanned);
}

static device_values values_upload(const std::vector<unsigned> &host)
{
	device_values values(host.size());

	CUDA(cudaMemcpy(thrust::raw_pointer_cast(values.data()), host.data(),
			host.size() * sizeof(host[0]), cudaMemcpyHostToDevice));
	return values;
}

static unsigned rows_sort_and_scan(const struct rows &rows)
{
	device_values keys = values_upload(rows.keys);
	device_values values = values_upload(rows.values);
	std::vector<unsigned> scanned(rows.values.size());

	thrust::stable_sort_by_key(device_policy(), keys.begin(), keys.end(),
				   values.begin());
	thrust::inclusive_scan(device_policy(), values.begin(), values.end(),
			       values.begin());
	CUDA(cudaMemcpy(scanned.data(), thrust::raw_pointer_cast(values.data()),
			scanned.size() * sizeof(scanned[0]),
			cudaMemcpyDeviceToHost));
	return rows_sum(scanned);
}

static void rounds_run(void)
{
	unsigned seed;

	while (round_next(&seed)) {
		unsigned result = 0, expected = 0;

		for (unsigned step = 0; step < STEPS; step++) {
			struct rows rows =
				rows_make(seed + step, round_count(seed));

			result += rows_sort_and_scan(rows);
			expected += rows_expected(rows);
		}
		round_end(seed, result, expected);
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	rounds_open(argc, 0, "sort_scan");
	try {
		rounds_run();
	} catch (const std::exception &error) { /* of Thrust */
		fprintf(stderr, "sort_scan: %s\n", error.what());
		return 1;
	}
	return 0;
}
