/* The parts of tstack_pool, for the files that it is made of. */
#ifndef MNM_TSTACK_H
#define MNM_TSTACK_H

#include "plan/address_map.h"
#include "plan/arena.h"
#include "plan/job.h"
#include "plan/segments.h"
#include "plan/templates.h"
#include "course.h"
#include "tstack_pool.h"

/* Threads for whose requests the base grows at the same time. */
enum { TSTACK_SKIPS = 16 };

/* If the arena has ended so often of late, the plans of a program's parts do
 * not get along with each other, and one of all of them may. */
enum { TSTACK_VAIN = 2 };

/* What an iteration had so far, while a plan is followed. */
struct tstack_lap {
	uint64_t asked, placed; /* bytes */
	uint64_t requests;
	uint64_t blocked; /* of all, as it began */
	uint64_t amiss;   /* blocks that lived for another time than planned */
};

struct tstack_pool {
	struct mnm_pool pool; /* first */
	struct mnm_pool *base;
	enum tstack_state state;
	/* Learning: what was asked for, and the serials of what lives. */
	struct finder *finder;
	struct address_map serials;
	struct segments segments;
	uint64_t known; /* the number of the period that is planned */
	uint64_t since; /* requests since it began to learn */
	uint64_t apart; /* requests of the finder's before the next plan */
	uint64_t rest;  /* for how many requests it rests next */
	bool told;      /* by marks where iterations begin */
	uint64_t wake;  /* the device's requests at which it learns again */
	uint64_t seen;  /* those at the last look */
	struct plan_job *job;
	bool job_given;
	/* Following. */
	struct templates templates;
	struct replay *replay; /* of the current template, or NULL */
	uint32_t least;        /* its slot of a lap at which least is live */
	uint64_t calm;         /* hardly more bytes are live then */
	bool loaded; /* a plan is from a file, and has not failed yet */
	/* Where the program of a loaded plan begins its first iteration, and
	 * what this one has asked for until it was there. */
	struct beginning beginning, asked;
	size_t kept;     /* how many of beginning.kept have come */
	uint64_t unseen; /* requests that a loaded plan has had no place for */
	uint64_t idle;   /* requests since it was followed last */
	unsigned int loaded_laps; /* that it has been followed for */
	struct arena arena;
	struct course course;
	struct mnm_region *region; /* that the arena is in; NULL: none */
	uint64_t begin;            /* its first address */
	size_t bytes;
	/* In a region that grows, the arena begins as addresses only, and each
	 * of its pages gets memory as it is needed first. */
	bool *backed;    /* its pages that have memory; NULL: all have */
	size_t unbacked; /* how many have none */
	size_t lacked;   /* the same, as the last lap ended */
	/* Of these, pages that have gone to others; NULL: none. */
	bool *gone;
	bool claims;         /* its addresses are not taken yet */
	bool needs;          /* a request needs these pages: */
	uint64_t need;       /* the offset of the first */
	size_t need_bytes;   /* how many of them follow each other */
	size_t need_span;    /* of that request */
	unsigned int needed; /* so often pages came for it */
	size_t wanted;       /* bytes of an arena that is to be made, or 0 */
	bool growing;        /* the region was to grow by these */
	unsigned int vain;   /* so often it could not be, or not for long */
	unsigned int dear;   /* so often it has ended to save memory */
	uint64_t patience;   /* laps to wait for before the next try */
	uint64_t waited;     /* requests since the last of these laps ended */
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
	/* What the base pool does not need goes back to the driver. */
	size_t spare;            /* its free bytes in this lap, at least */
	size_t surplus, sheds;   /* bytes that are to go back; that do now */
	uint64_t laps, shed_due; /* since the last look; when to look next */
	uint64_t age;            /* of the arena, in laps */
	/* The finder's requests at which the last two laps of the current
	 * template began; and laps to wait before a plan is made anew of what
	 * was seen in them. */
	uint64_t begins[2];
	uint64_t refine, refining;
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

/* What lies in the arena's cells goes on without them. */
void tstack_cells_leave(struct tstack_pool *self);

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

/* Calls visit for the bytes of the arena that are free and have memory. */
void tstack_arena_gaps(struct tstack_pool *self,
		       void (*visit)(void *argument, uint64_t offset,
				     uint64_t size),
		       void *argument);

/* Whether what was freed so may be used by a request, the argument. */
bool tstack_is_ready(const struct replay_free *freed, void *argument);

/* Serves a request that the plan does not foresee, or whose place is taken, by
 * bytes of the arena. MNM_MISS: there are none that are not needed soon. */
enum mnm_answer tstack_stray(struct tstack_pool *self,
			     const struct mnm_request *request,
			     struct mnm_place *place);

/* Whether a block that the plan did not foresee stays in the arena for long, so
 * that it would be better to begin another one elsewhere. blocks: places of the
 * plan were taken. */
bool tstack_stray_stays(const struct tstack_pool *self, bool blocks);

/* The free bytes of the base pool, as so many more are live than mnm has
 * noted. */
size_t tstack_spare(const struct tstack_pool *self, size_t bytes);

/* Whether so many bytes of fresh memory for such a request would be more than
 * what the program needs, and what is idle in the arena is to serve. */
bool tstack_is_dear(const struct tstack_pool *self, size_t span);

/* The same, when the arena has nothing that could serve it: then the arena ends
 * instead. The next time, twice as much may be taken before it does. */
bool tstack_is_too_dear(struct tstack_pool *self, size_t span);

/* Serves the request where the plan says. MNM_MISS: the base pool is to serve
 * it. */
enum mnm_answer tstack_follow(struct tstack_pool *self,
			      const struct mnm_request *request,
			      struct mnm_place *place);

enum tstack_how {
	TSTACK_PLACED, /* as planned */
	TSTACK_OTHER,  /* not so */
	TSTACK_KEPT,   /* it is none of the plan's, see tstack_keeps */
};

/* A request was served by that place. Returns whether it came in its turn: then
 * it is accounted for by tstack_catch_up. */
bool tstack_served(struct tstack_pool *self, const struct mnm_request *request,
		   const struct mnm_place *place, enum tstack_how how);

/* Whether the next request is one whose block the program keeps, as a loaded
 * plan says, which has more of them to come. */
bool tstack_keeps(const struct tstack_pool *self,
		  const struct mnm_request *request);

/* The request was served, and is not one that came in its turn, while there is
 * a plan. placed: where that says. */
void tstack_lap_step(struct tstack_pool *self,
		     const struct mnm_request *request, bool placed);

/* The plan is followed no more; another one may be found. */
void tstack_leave(struct tstack_pool *self);

/* So many requests of a lap were served, and asked for so many bytes. turns: it
 * has ended. */
void tstack_lap_count(struct tstack_pool *self, uint64_t requests,
		      uint64_t bytes, bool placed, bool turns);

/* Whether a thread may hold the course. */
bool tstack_is_settled(const struct tstack_pool *self);

/* In lap after lap some block lives for another time than the plan has it: a
 * plan is made anew, if it is time. */
void tstack_refine(struct tstack_pool *self);

/* A lap of the current template begins with the finder's request of that
 * serial. */
void tstack_lap_begins(struct tstack_pool *self, uint64_t serial);

/* Bytes of live blocks: beside the arena, and all. */
uint64_t tstack_beside(const struct tstack_pool *self);
uint64_t tstack_live(const struct tstack_pool *self);

/* The cell is about to have another block. If the last one has lived for
 * another time than planned, the finder is told. */
void tstack_lived(struct tstack_pool *self, const struct arena_cell *cell);

/* The cell is about to be forgotten. If its block lives, its free is noted by
 * its address from now on. */
void tstack_lives_on(struct tstack_pool *self, const struct arena_cell *cell);

/* The block at that address was freed. */
void tstack_freed(struct tstack_pool *self, uint64_t addr);

/* A pool that has just been opened asks for the plan of a file, if it is to. */
void tstack_load(struct tstack_pool *self);

/* A loaded plan comes into force. */
void tstack_loaded(struct tstack_pool *self, struct plan_job *job);

/* A request was served, before a loaded plan has begun, or while buffers are
 * to come that the program keeps. Looks whether it begins now. */
void tstack_load_step(struct tstack_pool *self,
		      const struct mnm_request *request);

/* Begins to learn; returns false without memory. Rests: sees no requests. */
bool tstack_learn(struct tstack_pool *self);
void tstack_rest(struct tstack_pool *self);

/* There was no memory for the arena, or it had to end: the plan is tried again
 * after some laps, and after more of them each time. */
void tstack_yield(struct tstack_pool *self);

/* Ends all that is kept of what was learnt and planned, but for the arena. */
void tstack_end(struct tstack_pool *self);

#endif
