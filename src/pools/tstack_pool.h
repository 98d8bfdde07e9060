/* tstack_pool: a pool that learns what a program repeats, has a plan made of
 * where each block of an iteration is to lie, and then places the blocks there.
 * docs/tstack.md explains it. This is what the layers above need of it besides
 * the contract of all pools; each call is made under the context's lock. */
#ifndef MNM_TSTACK_POOL_H
#define MNM_TSTACK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mnm/pool.h>

#include "common/plan_figure_list.h"
#include "course.h"

extern const struct mnm_pool_ops tstack_pool;

static inline bool pool_is_tstack(const struct mnm_pool *pool)
{
	return pool->ops == &tstack_pool;
}

struct plan_job;

/* A job that the pool waits for; NULL if there is none. The caller sees to it
 * that plan_job_run is called, without the lock, and then tstack_pool_planned.
 * If the pool has ended meanwhile, the job is `dropped` and the caller closes
 * it. */
struct plan_job *tstack_pool_job(struct mnm_pool *pool);
void tstack_pool_planned(struct mnm_pool *pool, struct plan_job *job);

/* Whether pools that are opened from now on begin with the plan of a file: each
 * then waits for a job that loads it. */
void tstack_pool_loads_set(bool loads);

/* The largest plan that the pool has, as the bytes of a file, valid until the
 * next call; NULL: it has none. */
const unsigned char *tstack_pool_file(const struct mnm_pool *pool,
				      size_t *size);

/* The program says that its next iteration begins. */
void tstack_pool_mark(struct mnm_pool *pool);

/* Whether it sees no requests, as nothing has repeated. */
bool tstack_pool_rests(const struct mnm_pool *pool);

/* To be called now and then, with how many requests the device has had. Returns
 * whether the pool wants to see each request from now on, so that the threads'
 * caches have to be emptied. */
bool tstack_pool_tick(struct mnm_pool *pool, uint64_t requests);

/* The bytes of free pages that the pool does not need any more; 0: none. The
 * caller takes as many by `part` at once, which gives no others until it has
 * given these, or has said that there are none left. */
size_t tstack_pool_sheds(struct mnm_pool *pool);

enum tstack_state {
	TSTACK_LEARNS,  /* looks for what repeats */
	TSTACK_PLANS,   /* waits for its plan */
	TSTACK_WAITS,   /* has a plan, and waits for an iteration to begin */
	TSTACK_FOLLOWS, /* places blocks as planned */
	TSTACK_RESTS,   /* sees no requests, as nothing has repeated */
};

/* See common/plan_figure_list.h. */
struct tstack_figures {
	enum tstack_state state;
#define FIGURE(name, unit, help) uint64_t name;
	PLAN_FIGURE_LIST
#undef FIGURE
};

struct tstack_figures tstack_pool_figures(struct mnm_pool *pool);

/* The course of the pool, whose doors the caller may set while the pool has no
 * arena. The second ends it: what lies where a plan says goes on as blocks that
 * no plan has placed, and the doors are gone. */
struct course *tstack_pool_course(struct mnm_pool *pool);
void tstack_pool_course_end(struct mnm_pool *pool);

/* The cell whose block begins at an address, or NULL. The second says whether
 * its block was asked for in its turn by the last request, and may be freed by
 * arena_cell_free. */
struct arena_cell *tstack_pool_cell(const struct mnm_pool *pool, uint64_t addr);
bool tstack_pool_in_turn(const struct mnm_pool *pool,
			 const struct arena_cell *cell);

/* Counts the cell's block as one that lives, or not, for the one below. */
void tstack_pool_count(struct mnm_pool *pool, struct arena_cell *cell);

/* What the pool's live_count and live_span lack; see arena_owed. */
struct arena_owed tstack_pool_owed(struct mnm_pool *pool);

#endif
