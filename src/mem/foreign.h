/* Memory that the program has by calls which no pool serves. It is counted, so
 * that the figures add up to what CUDA says of the device.
 *
 * Bytes are those asked for. What goes with its context is forgotten with it.
 * All of it is quick where the program makes no such call, and may take a lock
 * where it does. */
#ifndef MNM_FOREIGN_H
#define MNM_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/counter_list.h"

struct context;
struct foreign;

/* What a key is: the namespaces don't mix. A pool of CUDA's has no bytes of its
 * own here. */
enum foreign_key {
	FOREIGN_ADDRESS,
	FOREIGN_ARRAY,
	FOREIGN_PHYSICAL,
	FOREIGN_EXTERNAL,
	FOREIGN_POOL,
};

/* Which figure counts it. */
enum foreign_kind {
	FOREIGN_MANAGED,
	FOREIGN_PITCHED,
	FOREIGN_ASYNC,
	FOREIGN_ARRAYS,
	FOREIGN_VIRTUAL,
	FOREIGN_IMPORTED,
};

/* A call that is about to yield memory of this process. */
struct foreign_claim {
	struct device *device;         /* NULL: it is not counted */
	const struct context *context; /* it goes with, or NULL */
	size_t bytes;                  /* claimed of the device */
};

/* Claims it, of a device by its ordinal, or of the current context's (-1).
 * False: that would pass the hard limit, and the program is out of memory. */
bool foreign_claim(struct foreign_claim *order, int ordinal, size_t bytes);

/* The call has yielded it; physical memory and pools belong to no context.
 * False: it is not counted. Or it has failed. */
bool foreign_got(const struct foreign_claim *order, enum foreign_kind kind,
		 enum foreign_key key, uint64_t handle, size_t bytes);
void foreign_cancel(const struct foreign_claim *order);

/* A call has yielded memory of others, in the current context. False: it is not
 * counted. */
bool foreign_add_import(enum foreign_key key, uint64_t handle, size_t bytes);

/* The ordinal of the device that it is of; -1: it is not known. */
int foreign_device(enum foreign_key key, uint64_t handle);

/* A call that ends it is about to be made, as its handle may be another's right
 * after; and has been made, or has failed. NULL: it is not known. */
struct foreign *foreign_end_begin(enum foreign_key key, uint64_t handle);
void foreign_end_finish(struct foreign *seen, int failed);

/* Physical memory lives until its last handle is released and its last
 * mapping is gone: each is a use. grab adds one, before a call that may end
 * others; drop takes away as many. NULL: not known. */
struct foreign *foreign_grab(uint64_t handle);
void foreign_drop(struct foreign *seen, unsigned int uses);
void foreign_map(uint64_t handle, uint64_t addr);

/* Takes away the mappings of a range that is about to be unmapped; settle says
 * what became of that. */
struct mapping;
struct mapping *foreign_unmap_begin(uint64_t addr, size_t size);
void foreign_unmap_finish(struct mapping *list, int failed);

/* A context has ended. */
void foreign_forget(const struct context *context);

#endif
