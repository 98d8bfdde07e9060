/* A kernel that touches no memory, for programs that only want a device to be
 * busy: as `mnm replay` does between the requests that it makes. */
#include "kernel_table.h"

static void run(const struct sim_launch *launch, void **args)
{
	(void)launch;
	(void)args;
}

static size_t touches(const struct sim_launch *launch, void **args,
		      struct sim_touch *ranges, size_t room)
{
	(void)launch;
	(void)args;
	(void)ranges;
	(void)room;
	return 0;
}

__attribute__((visibility("default"))) const struct sim_kernel *sim_kernels(
	size_t *count)
{
	static const struct sim_kernel kernel = {
		.name = "mnm_work",
		.run = run,
		.touches = touches,
	};

	*count = 1;
	return &kernel;
}
