/* Memory that the program has by calls which no pool serves. It is counted, so
 * that the figures add up to what CUDA says of the device.
 *
 * Bytes are those asked for. What goes with its context is forgotten with it.
 * All of it is quick where the program makes no such call, and may take a lock
 * where it does. */
#ifndef MNM_SEEN_H
#define MNM_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counter_list.h"

struct context;
struct seen;

/* What a key is: the namespaces don't mix. */
enum seen_key { SEEN_ADDRESS, SEEN_ARRAY, SEEN_PHYSICAL, SEEN_EXTERNAL };

/* Which figure counts it. */
enum seen_kind {
	SEEN_MANAGED,
	SEEN_PITCHED,
	SEEN_ASYNC,
	SEEN_ARRAYS,
	SEEN_VIRTUAL,
	SEEN_IMPORTED,
};

/* A call has yielded memory of the current context. False: it is not
 * counted. */
bool seen_add(enum seen_kind kind, enum seen_key key, uint64_t handle,
	      size_t bytes);

/* Physical memory of a device, which belongs to no context. */
bool seen_add_physical(uint64_t handle, int ordinal, size_t bytes);

/* A call that ends it is about to be made, as its handle may be another's right
 * after; and has been made, or has failed. NULL: it is not known. */
struct seen *seen_take(enum seen_key key, uint64_t handle);
void seen_settle(struct seen *seen, int failed);

/* Physical memory lives until its last handle is released and its last
 * mapping is gone: each is a use. grab adds one, before a call that may end
 * others; drop takes away as many. NULL: not known. */
struct seen *seen_grab(uint64_t handle);
void seen_drop(struct seen *seen, unsigned int uses);
void seen_map(uint64_t handle, uint64_t addr);

/* Takes away the mappings of a range that is about to be unmapped; settle says
 * what became of that. */
struct mapping;
struct mapping *seen_unmap(uint64_t addr, size_t size);
void seen_unmap_settle(struct mapping *list, int failed);

/* A context has ended. */
void seen_forget(const struct context *context);

#endif
