/* A sequence of right and wrong calls of the runtime. After each call it prints
 * a line with the call's code and the last error. Addresses are told by what
 * they belong to.
 * Usage: runtime_calls SEED COUNT */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime_calls.h"

static const struct {
	cudaError_t (*make)(void);
	const char *name;
} calls[] = {
	{call_malloc, "malloc"},
	{call_malloc, "malloc"},
	{call_pitch, "pitch"},
	{call_3d, "3d"},
	{call_managed, "managed"},
	{call_async, "async"},
	{call_pinned, "pinned"},
	{call_host_alloc, "host_alloc"},
	{call_free, "free"},
	{call_free, "free"},
	{call_free_twice, "free_twice"},
	{call_free_wrong, "free_wrong"},
	{call_free_async, "free_async"},
	{call_free_host, "free_host"},
	{call_info, "info"},
	{call_attributes, "attributes"},
	{call_ipc, "ipc"},
	{call_host_pointer, "host_pointer"},
	{call_fill, "fill"},
	{call_device, "device"},
	{call_synchronize, "synchronize"},
	{call_reset, "reset"},
};

struct holding holdings[HOLDINGS];

static unsigned long long state;

void draw_seed(unsigned int seed)
{
	state = seed;
}

unsigned int draw(unsigned int count)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(state >> 33) % count;
}

int main(int argc, char **argv)
{
	const unsigned int kinds = sizeof(calls) / sizeof(*calls);
	unsigned int which;
	cudaError_t res;

	if (argc != 3) {
		fprintf(stderr, "usage: runtime_calls SEED COUNT\n");
		return 2;
	}
	draw_seed((unsigned int)atoi(argv[1]));
	for (int i = atoi(argv[2]); i > 0; i--) {
		which = draw(kinds);
		printf("%s", calls[which].name);
		res = calls[which].make();
		printf(": %d, last %d", (int)res, (int)cudaPeekAtLastError());
		if (!draw(3))
			printf(", got %d", (int)cudaGetLastError());
		printf("\n");
	}
	return 0;
}
