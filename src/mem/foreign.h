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

#include "common/counter_list.h"

struct context;
struct seen;

/* What a key is: the namespaces don't mix. A pool of CUDA's has no bytes of its
 * own here. */
enum seen_key {
	SEEN_ADDRESS,
	SEEN_ARRAY,
	SEEN_PHYSICAL,
	SEEN_EXTERNAL,
	SEEN_POOL,
};

/* Which figure counts it. */
enum seen_kind {
	SEEN_MANAGED,
	SEEN_PITCHED,
	SEEN_ASYNC,
	SEEN_ARRAYS,
	SEEN_VIRTUAL,
	SEEN_IMPORTED,
};

/* A call that is about to yield memory of this process. */
struct seen_order {
	struct device *device;         /* NULL: it is not counted */
	const struct context *context; /* it goes with, or NULL */
	size_t bytes;                  /* claimed of the device */
};

/* Claims it, of a device by its ordinal, or of the current context's (-1).
 * False: that would pass the hard limit, and the program is out of memory. */
bool seen_order(struct seen_order *order, int ordinal, size_t bytes);

/* The call has yielded it; physical memory and pools belong to no context.
 * False: it is not counted. Or it has failed. */
bool seen_got(const struct seen_order *order, enum seen_kind kind,
	      enum seen_key key, uint64_t handle, size_t bytes);
void seen_cancel(const struct seen_order *order);

/* A call has yielded memory of others, in the current context. False: it is not
 * counted. */
bool seen_add_import(enum seen_key key, uint64_t handle, size_t bytes);

/* The ordinal of the device that it is of; -1: it is not known. */
int seen_device(enum seen_key key, uint64_t handle);

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
