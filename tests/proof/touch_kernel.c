/* The kernels of the generated programs: touch(numbers, count, value) writes
 * value, value + 1, ...; touch_two(to, from, count, value) adds to what it
 * reads. */
#include <stdint.h>

#include "../../src/sim/kernel_table.h"

static void touch(const struct sim_launch *launch, void **args)
{
	uint32_t *numbers = *(uint32_t **)args[0];
	uint32_t count = *(uint32_t *)args[1], value = *(uint32_t *)args[2];

	(void)launch;
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = value + i;
}

static void touch_two(const struct sim_launch *launch, void **args)
{
	uint32_t *to = *(uint32_t **)args[0];
	const uint32_t *from = *(uint32_t **)args[1];
	uint32_t count = *(uint32_t *)args[2], value = *(uint32_t *)args[3];

	(void)launch;
	for (uint32_t i = 0; i < count; i++)
		to[i] = from[i] + value;
}

static size_t touch_touches(const struct sim_launch *launch, void **args,
			    struct sim_touch *ranges, size_t room)
{
	(void)launch;
	if (room >= 1)
		ranges[0] = (struct sim_touch){*(void **)args[0],
					       *(uint32_t *)args[1] *
						       sizeof(uint32_t)};
	return 1;
}

static size_t touch_two_touches(const struct sim_launch *launch, void **args,
				struct sim_touch *ranges, size_t room)
{
	(void)launch;
	for (int i = 0; i < 2 && room >= 2; i++)
		ranges[i] = (struct sim_touch){*(void **)args[i],
					       *(uint32_t *)args[2] *
						       sizeof(uint32_t)};
	return 2;
}

static const size_t touch_sizes[] = {sizeof(uint32_t *), sizeof(uint32_t),
				     sizeof(uint32_t)};
static const size_t touch_two_sizes[] = {sizeof(uint32_t *), sizeof(uint32_t *),
					 sizeof(uint32_t), sizeof(uint32_t)};
static const struct sim_kernel kernels[] = {
	{.name = "touch",
	 .arg_count = 3,
	 .arg_sizes = touch_sizes,
	 .run = touch,
	 .touches = touch_touches},
	{.name = "touch_two",
	 .arg_count = 4,
	 .arg_sizes = touch_two_sizes,
	 .run = touch_two,
	 .touches = touch_two_touches},
};

__attribute__((visibility("default"))) const struct sim_kernel *sim_kernels(
	size_t *count)
{
	*count = sizeof(kernels) / sizeof(kernels[0]);
	return kernels;
}
