/* What the echo driver's entries are made of. */
#ifndef MNM_ECHO_ENTRY_H
#define MNM_ECHO_ENTRY_H

#include "entries.h" /* before any other header has CUDA's */

#include "echo.h"

#define EXPORT __attribute__((visibility("default")))

/* A call with an output that is NULL is refused. */
void echo_begin(enum echo_number number, enum echo_mode mode);
void echo_argument(const void *value, size_t size);
void echo_output(void *to, size_t size);
CUresult echo_end(void);

/* cuGetProcAddress's answer; NULL: it has none. */
void *echo_find(const char *name, int version, bool per_thread);

struct echo_row {
	const char *name;
	int version; /* the first with this form */
	bool per_thread;
	const char *symbol;
	void *entry, *inner; /* as exported, and a door that is not */
};
extern const struct echo_row echo_rows[]; /* by name, form, version */
extern const unsigned int echo_row_count;
extern const char *const echo_names[]; /* by number */

#endif
