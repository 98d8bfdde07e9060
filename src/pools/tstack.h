/* The parts of tstack_pool, for the files that it is made of. */
#ifndef MNM_TSTACK_H
#define MNM_TSTACK_H

#include "plan/address_map.h"
#include "plan/arena.h"
#include "plan/job.h"
#include "course.h"
#include "tstack_pool.h"

/* Threads for whose requests the base grows at the same time. */
enum { TSTACK_SKIPS = 16 };

/* What an iteration had so far, while a plan is followed. */
struct tstack_lap {
	uint64_t asked, placed; /* bytes */
	uint64_t requests;
};

struct tstack_pool {
	struct mnm_pool pool; /* first */
	struct mnm_pool *base;
	enum tstack_state state;
	/* Learning: what was asked for, and the serials of what lives. */
	struct finder *finder;
	struct address_map serials;
	uint64_t known; /* the number of the period that is planned */
	uint64_t since; /* requests since it began to learn */
	uint64_t rest;  /* for how many requests it rests next */
	uint64_t wake;  /* the device's requests at which it learns again */
	uint64_t seen;  /* those at the last look */
	struct plan_job *job;
	bool job_given;
	/* Following. */
	struct replay *replay; /* the plan in force, or NULL */
	uint64_t followed;     /* the number of its period */
	uint32_t least;        /* the slot of a lap at which least is live */
	struct arena arena;
	struct course course;
	struct mnm_region *region; /* that the arena is in; NULL: none */
	uint64_t begin;            /* its first address */
	size_t bytes;
	/* In a region that grows, the arena begins as addresses only, and each
	 * of its pages gets memory as it is needed first. */
	bool *backed;      /* its pages that have memory; NULL: all have */
	size_t unbacked;   /* how many have none */
	bool claims;       /* its addresses are not taken yet */
	bool needs;        /* a request needs these pages: */
	uint64_t need;     /* the offset of the first */
	size_t need_bytes; /* how many of them follow each other */
	size_t need_span;  /* of that request */
	size_t wanted;     /* bytes of an arena that is to be made, or 0 */
	bool growing;      /* the region was to grow by these */
	unsigned int vain; /* so often there was no memory for it */
	uint64_t patience; /* laps to wait for before the next try */
	/* The base's is the next request of each of these spans, for which it
	 * has grown; 0: none. */
	size_t skips[TSTACK_SKIPS];
	unsigned int skipping; /* how many there were since the last one */
	/* The last request's span if its place in the plan was not ready, or 0,
	 * and what was ready then. No fence helps: the pool grew for such a
	 * request, so the base pool is to serve the others if it can. */
	size_t unready;
	uint64_t unready_safe;
	bool fenceless;
	struct tstack_lap lap;
	unsigned int poor; /* laps in a row of which too little was placed */
	struct tstack_figures figures;
};

static inline struct tstack_pool *tstack_of(struct mnm_pool *pool)
{
	return (struct tstack_pool *)pool;
}

/* Tells the base pool what mnm has changed in the pool's own record. To be
 * called before each call of it. */
void tstack_tell(struct tstack_pool *self);

/* The requests that were served without the pool's lock are accounted for. No
 * other thread holds the course then. */
void tstack_catch_up(struct tstack_pool *self);

/* The arena. The first takes self->wanted bytes for it, and returns whether
 * there is one then. The second ends it: what no block has are free bytes of
 * the base pool again, and its blocks are that pool's. It returns false, and
 * has changed nothing, without memory. */
bool tstack_arena_make(struct tstack_pool *self);
bool tstack_arena_end(struct tstack_pool *self);

/* What the region lacks so that pages of the arena have memory. */
void tstack_arena_lacks(struct tstack_pool *self,
			const struct mnm_region *grows, struct mnm_lack *lack);

/* Pages of the arena have memory. Returns false if these are none. */
bool tstack_arena_add(struct tstack_pool *self, const struct mnm_place *place);

/* A freed block of the arena. Returns false if it is not one. */
bool tstack_arena_free(struct tstack_pool *self, const struct mnm_place *place);

/* Serves the request where the plan says. MNM_MISS: the base pool is to serve
 * it. */
enum mnm_answer tstack_follow(struct tstack_pool *self,
			      const struct mnm_request *request,
			      struct mnm_place *place);

/* A request was served by that place; `placed`: as planned. Returns whether it
 * came in its turn. */
bool tstack_served(struct tstack_pool *self, const struct mnm_request *request,
		   const struct mnm_place *place, bool placed);

/* The block at that address was freed. */
void tstack_freed(struct tstack_pool *self, uint64_t addr);

/* Begins to learn; returns false without memory. Rests: sees no requests. */
bool tstack_learn(struct tstack_pool *self);
void tstack_rest(struct tstack_pool *self);

/* There was no memory for the arena, or it had to end: the plan is tried again
 * after some laps, and after more of them each time. */
void tstack_yield(struct tstack_pool *self);

/* Ends all that is kept of what was learnt and planned, but for the arena. */
void tstack_end(struct tstack_pool *self);

#endif
