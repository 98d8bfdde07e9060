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

/* The driver of an allocator that follows the order of streams exports these
 * four as well. bench_alloc() and bench_free() use stream 0. */
enum { BENCH_STREAMS = 2 };

/* The cudaStream_t of that number. */
void *bench_stream(unsigned int stream);

/* Memory for what is queued in that stream. Returns NULL if there is none. */
void *bench_alloc_in(size_t size, unsigned int stream);

/* The block was allocated in the stream `home`. What was queued last for it is
 * in the stream `last`, and comes behind all else that was queued for it. */
void bench_free_in(void *ptr, size_t size, unsigned int home,
		   unsigned int last);

/* Puts what is queued in the stream `later` from now on behind all that is
 * queued in the stream `earlier`. */
void bench_order(unsigned int earlier, unsigned int later);

#ifdef __cplusplus
}
#endif

#endif
