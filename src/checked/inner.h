/* Calls of the pool that is checked, each with an end (call.h). They return
 * false if a call was left: then the pool is off. */
#ifndef MNM_INNER_H
#define MNM_INNER_H

#include "checked_pool.h"

bool inner_open(struct checked_pool *self,
		const struct mnm_pool_options *options, bool *opened);
bool inner_close(struct checked_pool *self);
bool inner_alloc(struct checked_pool *self, const struct mnm_request *request,
		 struct mnm_block **block, enum mnm_answer *answer);
bool inner_free(struct checked_pool *self, struct mnm_block *block, bool *kept);
bool inner_alloc_batch(struct checked_pool *self,
		       const struct mnm_request *request, size_t most,
		       struct mnm_block_list *list);
bool inner_free_batch(struct checked_pool *self,
		      const struct mnm_block_list *list, bool *kept);
bool inner_trim(struct checked_pool *self, size_t bytes,
		struct mnm_block **list);
bool inner_span(const struct checked_pool *self, size_t size, size_t slack,
		size_t *span);
bool inner_place(struct checked_pool *self, const struct mnm_request *request,
		 struct mnm_place *place, enum mnm_answer *answer);
bool inner_add(struct checked_pool *self, const struct mnm_place *place,
	       bool *kept);
bool inner_lacks(struct checked_pool *self, size_t span,
		 const struct mnm_region *grows, enum mnm_growth rule,
		 struct mnm_lack *lack);
bool inner_part(struct checked_pool *self, size_t bytes, bool moves,
		struct mnm_place *place, bool *found);
bool inner_part_aged(struct checked_pool *self, uint64_t *age,
		     struct mnm_place *place, bool *found);

#endif
