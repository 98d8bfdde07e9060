/* The CPU's form of the kernel in claims.c. */
#include "../../src/sim/kernel_table.h"

static void add(const struct sim_launch *launch, void **args)
{
	int *numbers = *(int **)args[0];
	int step = *(int *)args[1];
	unsigned count = *(unsigned *)args[2];
	unsigned threads = launch->grid[0] * launch->block[0];

	for (unsigned i = 0; i < threads && i < count; i++)
		numbers[i] += step;
}

static const size_t add_sizes[] = {sizeof(int *), sizeof(int),
				   sizeof(unsigned)};
static const struct sim_kernel kernels[] = {
	{.name = "add", .arg_count = 3, .arg_sizes = add_sizes, .run = add}};

__attribute__((visibility("default"))) const struct sim_kernel *sim_kernels(
	size_t *count)
{
	*count = 1;
	return kernels;
}
