/* Our entries, a row each, and how a row is found.
 *
 * A row joins the exported name, our function, and CUDA's own function as
 * its library defines it. */
#ifndef MNM_HOOK_H
#define MNM_HOOK_H

#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

/* CUDA's function of any row; cast back before a call. */
typedef void (*any_function)(void);

/* Our function to hand out instead of `found`, which the driver answered for
 * name and version, with or without the per-thread default stream; `found`
 * itself where none is meant. */
void *hook_replace(const char *name, int version, bool per_thread, void *found);

/* What dlsym(handle, symbol) should answer. answered 0: let libc's own dlsym
 * answer, for its caller. */
struct dlsym_answer {
	void *address;
	unsigned long answered;
};
struct dlsym_answer hook_dlsym(void *handle, const char *symbol);

#endif
