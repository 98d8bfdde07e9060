/* The functions that the echo driver's entries are made of. */
#ifndef MNM_ECHO_ENTRY_H
#define MNM_ECHO_ENTRY_H

#include "entries.h" /* before other headers include CUDA's */

#include "echo.h"

#define EXPORT __attribute__((visibility("default")))

/* A call that has NULL for an output is refused. */
void echo_begin(enum echo_number number, enum echo_mode mode);
void echo_argument(const void *value, size_t size);
void echo_output(void *to, size_t size);
CUresult echo_end(void);

/* Returns cuGetProcAddress's answer, or NULL if it has none. */
void *echo_find(const char *name, int version, bool per_thread);

struct echo_row {
	const char *name;
	int version; /* the first that has this form */
	bool per_thread;
	const char *symbol;
	void *entry, *inner; /* exported, and not exported */
};
extern const struct echo_row echo_rows[]; /* sorted by name, form, version */
extern const unsigned int echo_row_count;
extern const char *const echo_names[]; /* by number */

#endif
