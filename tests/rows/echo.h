/* The echo driver: a libcuda.so.1 that does nothing. Each entry notes its own
 * name and its arguments, and returns a code that is no other entry's; or it
 * grants the call, and fills what its pointers point to. */
#ifndef MNM_ECHO_H
#define MNM_ECHO_H

#include <stdbool.h>
#include <stddef.h>

enum echo_mode { ECHO_REFUSES, ECHO_GRANTS, ECHO_AS_TOLD };

/* How entries answer that have no mode of their own, and whether
 * cuGetProcAddress hands out doors that are not exported. */
void echo_tell(enum echo_mode mode, bool inner);

/* The next calls of that export, so many of them, are out of memory, and have
 * no other effect. */
void echo_short(const char *symbol, int calls);

/* Arguments that point into these buffers are noted as places in it. */
void echo_buffers(const void *start, size_t size);

/* The calls since it was last asked: "NAME(WORD,...) ...". */
const char *echo_taken(void);

/* The export that a name, version and form mean, or NULL. */
const char *echo_meant(const char *name, int version, bool per_thread);

#endif
