/* Makes the plans that pools wait for (pools/tstack_pool.h), each in a thread
 * that ends with it. */
#ifndef MNM_PLANNER_H
#define MNM_PLANNER_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

/* Under the context's lock, after a request: begins with the plan that the pool
 * waits for, if there is one. Does not wait for it. */
void planner_look(struct pool *pool);

/* Whether each plan has a thread; else the request makes it that comes first.
 * To be set before there is a pool. */
void planner_threads_set(bool threads);

/* The value of option `plan`, which stays: a plan that each pool begins with.
 * To be set before there is a pool. */
void planner_source_set(const char *option);

struct device;
struct tstack_figures;

/* Fills in the figures of the device's pools that plan, added up, and the state
 * of the last one that has a plan. Returns false if there is no such pool. */
bool planner_figures(const struct device *device,
		     struct tstack_figures *figures);

/* Copies the plan that the device's pool has, as the bytes of a file, for the
 * caller to free: of several, as each context may have one, the largest. *bytes
 * is NULL without memory. Returns false if there is no plan. */
bool planner_file(const struct device *device, unsigned char **bytes,
		  size_t *size);

/* The program says that its next iteration begins. */
void planner_mark(void);

/* Looks, at most once a second, whether pools that rest are to see requests
 * again. To be called now and then, by one thread; makes no CUDA call. */
void planner_tick(void);

#endif
