/* Pools of CUDA's that the program gives other devices access to
 * (cuMemPoolSetAccess). What mnm serves for such a pool is memory of the
 * owner's primary context, so the contexts of those devices are given access to
 * that context, as by cuCtxEnablePeerAccess. The program's own calls of that
 * entry, and of its opposite, get the answers that they would get without this.
 */
#ifndef MNM_MEMPOOL_SHARE_H
#define MNM_MEMPOOL_SHARE_H

#include <stdbool.h>

struct context;
struct device;

/* The program has given a device access to the pool of that number. Returns
 * false if mnm can't do so: then new requests of the pool are CUDA's. */
bool mempool_share(unsigned int number, int ordinal);

/* Whether all contexts reach what is served for the pool from now on. If not,
 * new requests of it are CUDA's. One load if it is not shared. */
bool mempool_is_reached(unsigned int number);

/* A context has come; or has ended. */
void mempool_share_joined(struct context *context);
void mempool_share_ended(const struct context *context);

/* The program itself has enabled a context's access to another one; `enabled`:
 * the driver said that it was enabled already. Returns whether the program is
 * to be told that it was not. */
bool peer_asked(struct context *context, const struct context *owner,
		bool enabled);

/* The program takes that access back. If the access is needed for a pool, the
 * driver is not to be called, and *was says whether the program had it. */
bool peer_returned(struct context *context, const struct context *owner,
		   bool *was);

#endif
