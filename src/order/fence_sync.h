/* What the program's own waits make safe. */
#ifndef MNM_FENCE_SYNC_H
#define MNM_FENCE_SYNC_H

#include <stdint.h>

struct context;
struct device;

/* The program itself waits for a context. Once the wait has succeeded, what was
 * freed before it is safe; or, if other contexts may use that memory, it is
 * known that work of this context does not use it any more. The context may be
 * NULL. */
struct fence_sync_part {
	struct device *device;
	uint64_t safe; /* 0: nothing becomes safe */
	uint64_t bytes;
};
struct fence_sync {
	struct context *context;
	uint64_t over, over_host; /* its work before them is over */
	struct fence_sync_part device, host;
};
struct fence_sync fence_sync_begin(struct context *context);
void fence_sync_end(const struct fence_sync *sync, int res);

/* The context is new, and nobody has given it work. */
void fence_context_new(struct context *context);

#endif
