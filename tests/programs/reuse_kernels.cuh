/* Kernels of reuse.c. */
extern "C" __global__ void set(unsigned char *to, unsigned count)
{
	if (!threadIdx.x)
		to[count - 1] = 1;
}

/* Touches `count` bytes and says so. */
extern "C" __global__ void set_part(unsigned char *to, unsigned count)
{
	if (!threadIdx.x)
		to[count - 1] = 1;
}

#ifdef SIM_KERNELS
static size_t set_part_touches(const sim_launch *, void **args,
			       sim_touch *ranges, size_t room)
{
	if (room)
		ranges[0] = {*(unsigned char **)args[0], *(unsigned *)args[1]};
	return 1;
}

SIM_TOUCHES(set_part, set_part_touches)
SIM_KERNELS(set, set_part)
#endif
