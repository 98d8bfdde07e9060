/* Kernels that set conditions of graphs, on the CPU. */
#include "../../src/sim/kernel_table.h"

/* set(condition, value) */
static void set(const struct sim_launch *launch, void **args)
{
	(void)launch;
	**(unsigned **)args[0] = *(unsigned *)args[1];
}

/* count(condition, left, done): one less is left, and one more is done. Sets
 * the condition to 0 when none is left. */
static void count(const struct sim_launch *launch, void **args)
{
	int *left = *(int **)args[1], *done = *(int **)args[2];

	(void)launch;
	++*done;
	if (--*left == 0)
		**(unsigned **)args[0] = 0;
}

static const size_t set_sizes[] = {sizeof(unsigned *), sizeof(unsigned)};
static const size_t count_sizes[] = {sizeof(unsigned *), sizeof(int *),
				     sizeof(int *)};
static const struct sim_kernel kernels[] = {
	{.name = "set", .arg_count = 2, .arg_sizes = set_sizes, .run = set},
	{.name = "count",
	 .arg_count = 3,
	 .arg_sizes = count_sizes,
	 .run = count}};

__attribute__((visibility("default"))) const struct sim_kernel *sim_kernels(
	size_t *number)
{
	*number = 2;
	return kernels;
}
