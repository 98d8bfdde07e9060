/* A walk over all entries that mnm hooks, by every way that leads to them. */
#ifndef MNM_WALK_H
#define MNM_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

/* The values that a call is made with. ODD: numbers with a different value in
 * each byte, and pointers to nowhere. NULL: zeros. BUFFERS: small odd numbers,
 * and pointers to zeroed memory. */
enum values { VALUES_ODD, VALUES_NULL, VALUES_BUFFERS };

enum argument { ARGUMENT_PLAIN, ARGUMENT_POINTER, ARGUMENT_READ };

/* Sets an argument, which is at `place` in its call. */
void value_set(void *to, size_t size, unsigned int place,
	       enum argument argument, enum values values);

/* buffers_clear zeroes the memory that arguments point to. buffers_print prints
 * what is not zero any more, as " PLACE:BYTES" each. */
void buffers_clear(void);
void buffers_print(void);

/* An entry's export, and how it is called. */
struct call {
	const char *symbol;
	CUresult (*make)(void *entry, enum values values);
	void *linked; /* what this program was linked with */
};
extern const struct call calls[];
extern const unsigned int call_count;

/* A hooked entry; see src/cuda/hook_list.h. */
struct row {
	const char *symbol, *name;
	int from, until;
};
extern const struct row rows[];
extern const unsigned int row_count;

/* Prints what a route led to, which should be `symbol`, and calls it: in all
 * cases, or only in the first one. */
void walk_found(const char *route, const char *symbol, void *found, bool all);

/* Walks all routes of a row that go through cuGetProcAddress or the runtime. */
void walk_asked(const struct row *row);

#endif
