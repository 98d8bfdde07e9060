/* What `make bench` asks of each contender. A contender's driver is a shared
 * object that exports these four functions. */
#ifndef MNM_BENCH_ALLOCATOR_H
#define MNM_BENCH_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called once, before all else. Returns 0 if the allocator can be used here. */
int bench_open(void);

/* Returns NULL if there is no memory. */
void *bench_alloc(size_t size);

/* size is the one that was asked for, as some allocators want it back. */
void bench_free(void *ptr, size_t size);

/* The package's version. Called after bench_open(). */
const char *bench_version(void);

#ifdef __cplusplus
}
#endif

#endif
