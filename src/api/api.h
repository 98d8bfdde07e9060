/* What the functions of mnm/mnm.h share. They are called by the program, on its
 * threads, and call the entry points as the program does. */
#ifndef MNM_API_H
#define MNM_API_H

#include <stdbool.h>

#include "cuda/real.h" /* first, as it has cuda.h declare all versions */

#define MNM_API_OWN
#include <mnm/mnm.h>

struct device;

/* Keeps one line for mnm_error; returns the result. */
CUresult api_fail(CUresult result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether the process is served. If not, *result is what to return. */
bool api_serves(CUresult *result);

/* The device of an ordinal, or of MNM_HOST. Returns NULL, with *result set, if
 * there is none or the process is not served. */
struct device *api_device(int ordinal, CUresult *result);

/* What to return of a pointer that may not be NULL. */
CUresult api_no_pointer(const char *name);

#endif
