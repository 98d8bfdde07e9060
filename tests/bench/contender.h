/* A contender's driver, loaded. */
#ifndef MNM_BENCH_CONTENDER_H
#define MNM_BENCH_CONTENDER_H

#include <stddef.h>

struct contender {
	void *(*alloc)(size_t size);
	void (*free)(void *ptr, size_t size);
	/* All of these, or none; see allocator.h. */
	void *(*stream)(unsigned int stream);
	void *(*alloc_in)(size_t size, unsigned int stream);
	void (*free_in)(void *ptr, size_t size, unsigned int home,
			unsigned int last);
	void (*order)(unsigned int earlier, unsigned int later);
	int (*enter)(void); /* for each further thread, or NULL */
	const char *version;
	/* Calls of the host's malloc so far, or NULL if they are not
	 * counted. */
	unsigned long (*mallocs)(void);
};

/* Ends the program with one line on stderr if the driver can't be used. */
void contender_open(struct contender *who, const char *path);

/* A driver may export this besides allocator.h. It makes the calling thread,
 * which is not that of bench_open(), ready to allocate. Returns 0 if it is
 * ready. */
int bench_enter(void);

/* Exported by count_malloc.so. */
unsigned long bench_mallocs(void);

#endif
