/* How the plug-ins of the tests are written. Their pools keep nothing: some
 * have no more than a span, and some have regions that they never use. */
#ifndef MNM_TEST_PLUGIN_H
#define MNM_TEST_PLUGIN_H

#include <mnm/pool.h>

static inline size_t span_of(const struct mnm_pool *pool, size_t size,
			     size_t slack)
{
	(void)pool, (void)slack;
	return size;
}

static inline enum mnm_answer place_none(struct mnm_pool *pool,
					 const struct mnm_request *request,
					 struct mnm_place *place)
{
	(void)pool, (void)request, (void)place;
	return MNM_MISS;
}

static inline bool add_none(struct mnm_pool *pool,
			    const struct mnm_place *place)
{
	(void)pool, (void)place;
	return false;
}

static inline void lack_none(struct mnm_pool *pool, size_t span,
			     const struct mnm_region *grows,
			     enum mnm_growth rule, struct mnm_lack *lack)
{
	(void)pool, (void)grows, (void)rule;
	lack->fresh = span;
}

static inline bool part_none(struct mnm_pool *pool, size_t bytes, bool moves,
			     struct mnm_place *place)
{
	(void)pool, (void)bytes, (void)moves, (void)place;
	return false;
}

/* The functions of such pools. */
#define KEEPS_NOTHING .size = sizeof(struct mnm_pool), .span = span_of
#define PLACES_NOTHING \
	KEEPS_NOTHING, .place = place_none, .add = add_none, \
		       .lacks = lack_none, .part = part_none

#define EXPORTED __attribute__((visibility("default")))

#define ROW(ops, summary, backing) \
	{ \
		&(ops), summary, backing \
	}

/* The symbol that is looked for. */
#define PLUGIN(version, count, rows) \
	MNM_PLUGIN struct mnm_plugin mnm_plugin = {version, count, rows}

#endif
