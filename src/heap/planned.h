/* Blocks that tstack_pool places where its plan says. Each place of the plan
 * that has been used keeps its record, which is idle meanwhile and stays in the
 * index, so that taking and freeing it needs no lock (pools/course.h). All of
 * this is called under the context's lock. */
#ifndef MNM_PLANNED_H
#define MNM_PLANNED_H

#include "pools.h"
#include "tcache/tcache.h"

/* The pool begins to serve its heap; and ends to, or its memory has gone: then
 * what lies where its plan says goes on as any placed block. */
void planned_open(struct pool *pool);
void planned_end(struct pool *pool);

/* The same for all pools, called without a lock: some sizes are allocations of
 * their own from now on (whole.h), so each request has to be looked at. */
void planned_end_all(void);

/* The record that a place has already, or NULL. The second: that is its record
 * from now on, if the place is one of a plan. */
struct block *planned_record(struct pool *pool, const struct mnm_place *place);
void planned_know(struct pool *pool, struct block *block);

/* Whether a freed block keeps its record. */
bool planned_stays(const struct block *block);

/* The record of a placed block is about to end. */
void planned_forget(const struct block *block);

/* To be called after each call of the pool that takes or frees a block: brings
 * the pool's figures up to date. */
void planned_settle(struct pool *pool);

/* The block, live now, was asked for by the calling thread; `plain`: in no
 * stream's order. It may be freed without a lock if it came as planned, and if
 * that happened often, the thread's cache holds the course. */
void planned_lend(struct pool *pool, struct block *block, bool plain);

/* The calling thread frees blocks of the pool. */
void planned_join(struct pool *pool, struct tcache *cache);

#endif
