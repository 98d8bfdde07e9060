/* The echo driver: a libcuda.so.1 that does nothing. Each entry notes its own
 * name and its arguments. It then returns a code that no other entry returns;
 * or it grants the call, and fills in what its pointers point to. */
#ifndef MNM_ECHO_H
#define MNM_ECHO_H

#include <stdbool.h>
#include <stddef.h>

enum echo_mode { ECHO_REFUSES, ECHO_GRANTS, ECHO_AS_TOLD };

/* Says how entries answer that have no mode of their own, and whether
 * cuGetProcAddress hands out entries that are not exported. */
void echo_tell(enum echo_mode mode, bool inner);

/* Makes the next `calls` calls of that export fail for lack of memory, without
 * any other effect. */
void echo_short(const char *symbol, int calls);

/* Arguments that point into this memory are noted as offsets in it. */
void echo_buffers(const void *start, size_t size);

/* Returns the calls since it was last called: "NAME(WORD,...) ...". */
const char *echo_taken(void);

/* Returns the export that a name, a version and a form mean, or NULL. */
const char *echo_meant(const char *name, int version, bool per_thread);

#endif
