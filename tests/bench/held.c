/* How much of the host's memory a contender's tables take: how many more
 * anonymous pages this process has while blocks are live, and once they are
 * freed. The simulated device's own memory is a file's and does not count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "fail.h"
#include "work.h"

enum { COUNT_MAX = 10000000 };

/* Returns bytes. */
static double anonymous(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	unsigned long kib = 0;
	char line[256];
	int found = 0;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "Anonymous: %lu", &kib) == 1;
	if (!found)
		fail("/proc/self/smaps_rollup", "does not tell");
	fclose(file);
	return (double)kib * 1024;
}

int main(int argc, char **argv)
{
	static struct contender who;
	double before, live, idle;
	size_t count, size;
	void **blocks;

	if (argc != 4) {
		fputs("Usage: held DRIVER.so COUNT BYTES\n", stderr);
		return 2;
	}
	count = number_read("COUNT", argv[2], COUNT_MAX);
	size = number_read("BYTES", argv[3], (size_t)1 << 40);
	blocks = malloc(count * sizeof(*blocks));
	if (!blocks)
		fail("blocks", "no memory on the host");
	memset(blocks, 1, count * sizeof(*blocks));
	contender_open(&who, argv[1]);
	who.free(who.alloc(size), size);
	before = anonymous();
	for (size_t i = 0; i < count; i++) {
		blocks[i] = who.alloc(size);
		if (!blocks[i])
			fail(who.version, "out of memory");
	}
	live = anonymous();
	for (size_t i = 0; i < count; i++)
		who.free(blocks[i], size);
	idle = anonymous();
	printf("{\"live_bytes\": %.0f, \"idle_bytes\": %.0f}\n", live - before,
	       idle - before);
	free(blocks);
	return 0;
}
