/* Preloaded: counts the calls of the host's malloc. It calls on by glibc's own
 * names, so that no look-up is needed. */
#include <stdatomic.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);
unsigned long bench_mallocs(void);

static atomic_ulong calls;

EXPORT void *malloc(size_t size)
{
	calls++;
	return __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	calls++;
	return __libc_calloc(count, size);
}

EXPORT void *realloc(void *ptr, size_t size)
{
	calls++;
	return __libc_realloc(ptr, size);
}

EXPORT unsigned long bench_mallocs(void)
{
	return calls;
}
