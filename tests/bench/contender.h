/* A contender's driver, loaded. */
#ifndef MNM_BENCH_CONTENDER_H
#define MNM_BENCH_CONTENDER_H

#include <stddef.h>

struct contender {
	void *(*alloc)(size_t size);
	void (*free)(void *ptr, size_t size);
	int (*enter)(void); /* on each further thread; may be NULL */
	const char *version;
	/* Calls of the host's malloc so far; NULL where nobody counts. */
	unsigned long (*mallocs)(void);
};

/* Ends the program with one line on stderr where it can't be used. */
void contender_open(struct contender *who, const char *path);

/* What a driver may export besides allocator.h: makes the calling thread,
 * which is not that of bench_open(), ready to allocate; 0 if it is. */
int bench_enter(void);

/* Of count_malloc.so. */
unsigned long bench_mallocs(void);

#endif
