/* Whether a shared runtime binds a device to a thread at once. One older than
 * version 12 does so only at the thread's next call, so the current context may
 * not be the one that it will use. */
#ifndef MNM_BINDING_H
#define MNM_BINDING_H

#include <stdbool.h>

struct real_runtime;

/* Asks the runtime, until it is known to be of version 12 or later. From then
 * on tcache_runtime is a cache. */
bool runtime_binds_at_once(const struct real_runtime *real);

#endif
