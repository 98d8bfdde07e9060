/* The table of our entries, one row each, and how a row is found.
 *
 * A row joins the exported name, our function, and CUDA's own function as its
 * library defines it. */
#ifndef MNM_HOOK_H
#define MNM_HOOK_H

#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

/* CUDA's function of any row; to be cast back before a call. */
typedef void (*any_function)(void);

/* Returns what to hand out for `found`, the driver's answer to this name and
 * version: our function, or `found` itself if we have none for it. per_thread:
 * the program asked for the form with the per-thread default stream. */
void *hook_replace(const char *name, int version, bool per_thread, void *found);

/* What dlsym(handle, symbol) is to answer. If answered is 0, the dlsym behind
 * ours is to answer for its caller. */
struct dlsym_answer {
	void *address;
	unsigned long answered;
};
struct dlsym_answer hook_dlsym(void *handle, const char *symbol);

#endif
