/* Prints a tiling (tilings.h) as CSV for `mnm plan`. No plan of it has a lower
 * peak than 2^20, and one has that.
 * Usage: plan_tiling SEED COUNT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tilings.h"

#define WIDTH  ((uint64_t)1 << 16)
#define HEIGHT ((uint64_t)1 << 20)

int main(int argc, char **argv)
{
	size_t count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct plan_buffer *buffers;

	if (!count) {
		fprintf(stderr, "Usage: plan_tiling SEED COUNT\n");
		return 2;
	}
	buffers = calloc(count, sizeof(*buffers));
	if (!buffers)
		return EXIT_FAILURE;
	tiling_draw(strtoull(argv[1], NULL, 10), buffers, count, WIDTH, HEIGHT);
	printf("id,lower,upper,size\n");
	for (size_t i = 0; i < count; i++)
		printf("%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i,
		       buffers[i].lower, buffers[i].upper, buffers[i].size);
	free(buffers);
	return EXIT_SUCCESS;
}
