/* malloc and free. A preloaded library may answer. */
#include <stdlib.h>

#include <gnu/libc-version.h>

#include "allocator.h"

int bench_open(void)
{
	return 0;
}

void *bench_alloc(size_t size)
{
	return malloc(size);
}

void bench_free(void *ptr, size_t size)
{
	(void)size;
	free(ptr);
}

const char *bench_version(void)
{
	return gnu_get_libc_version();
}
