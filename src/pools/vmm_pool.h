/* vmm_pool as the base of another pool. */
#ifndef MNM_VMM_POOL_H
#define MNM_VMM_POOL_H

#include <mnm/pool.h>

extern const struct mnm_pool_ops vmm_pool;

/* From now on it spares what its option says, however many pages move: what
 * moves most is to be placed by a plan before long. */
void vmm_pool_hold(struct mnm_pool *pool);

#endif
