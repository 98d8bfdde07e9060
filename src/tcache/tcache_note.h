/* What the fast path notes while a recording is made (record/ring.h). */
#ifndef MNM_TCACHE_NOTE_H
#define MNM_TCACHE_NOTE_H

#include "record/ring.h"
#include "tcache.h"

/* After a block has become the program's, and before it is anybody else's. */
static inline void tcache_note(const struct tcache *cache,
			       enum mnm_record_kind kind, unsigned int flags,
			       uint64_t addr, size_t size, size_t span)
{
	if (record_is_on())
		record_note(kind, MNM_RECORD_SERVED | flags, addr, size, span,
			    cache->device_number, cache->pool_number, 0,
			    record_site);
}

/* The same along the course of that pool, which is not the cache's. */
static inline void tcache_note_step(const struct tcache *cache,
				    enum mnm_record_kind kind,
				    const struct pool *pool, uint64_t addr,
				    size_t size, size_t span)
{
	if (record_is_on())
		record_note(kind, MNM_RECORD_SERVED, addr, size, span,
			    cache->device_number, pool_number(pool), 0,
			    record_site);
}

static inline void tcache_note_free(const struct tcache *cache, uint64_t addr)
{
	tcache_note(cache, MNM_RECORD_FREE, 0, addr, 0, 0);
}

#endif
