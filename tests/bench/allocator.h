/* What `make bench` asks of each contender: its driver is a shared object
 * that exports these four. */
#ifndef MNM_BENCH_ALLOCATOR_H
#define MNM_BENCH_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Once, before all else; 0 if the allocator can be used here. */
int bench_open(void);

/* NULL if there is no memory. */
void *bench_alloc(size_t size);

/* size as it was asked for; some allocators want it back. */
void bench_free(void *ptr, size_t size);

/* Of the package, after bench_open(). */
const char *bench_version(void);

#ifdef __cplusplus
}
#endif

#endif
