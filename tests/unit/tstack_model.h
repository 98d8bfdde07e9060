/* What tstack_pool is given and takes, as mnm would: memory of the device in
 * pages, fences, and blocks of a program. What the pool answers is judged by
 * what is known of each unit of memory, apart from the pool. */
#ifndef MNM_TEST_TSTACK_MODEL_H
#define MNM_TEST_TSTACK_MODEL_H

#include "pools/tstack_pool.h"

enum {
	MODEL_PAGES = 4096,  /* of addresses */
	PAGE_UNITS = 32,     /* units of a page */
	MODEL_BLOCKS = 512,  /* that live */
	MODEL_REGIONS = 512, /* at the same time */
};

#define MODEL_UNIT (MNM_REGION_PAGE / PAGE_UNITS)

enum unit_state { UNIT_NONE, UNIT_FREE, UNIT_LIVE };

struct model_unit {
	enum unit_state state;
	bool had; /* memory, some time */
	unsigned int stream;
	uint64_t epoch;
};

struct model_block {
	struct mnm_place place;
	unsigned int stream; /* in whose order it will be freed; or 0 */
	unsigned int life;   /* requests */
};

struct model {
	struct mnm_pool *pool;
	struct mnm_region growing;
	struct mnm_region regions[MODEL_REGIONS]; /* base 0: none */
	uint64_t next;                            /* address of a new region */
	struct model_unit *units;
	struct model_block blocks[MODEL_BLOCKS];
	size_t count;
	/* A careful request, as during a capture, may use what was freed in
	 * epochs below `over` only. */
	uint64_t epoch, safe, over, seed, random;
	bool fences;                 /* each time that it helps */
	bool inside;                 /* pages are on their way inside */
	bool meanwhile;              /* the world goes on while pages come */
	unsigned int fails, strange; /* in thousand: growths; interruptions */
	struct plan_job *job;
	unsigned int wait; /* requests until the job is done */
	size_t claimed;    /* bytes of addresses that came first */
	size_t shed;       /* bytes that the pool gave back by itself */
	/* What jobs load, of malloc; NULL: they load nothing. */
	bool at_once; /* it takes them no time */
	/* Jobs are not done before so many requests are served. */
	unsigned int late, served;
	unsigned char *file;
	size_t file_size;
};

/* A pool in regions of that backing; a seed is not 0. The second takes all that
 * it has, and judges whether that is all it was given. */
void model_open(struct model *model, enum mnm_backing backing, uint64_t seed);
void model_close(struct model *model);

/* Opens one that begins with the plan that the other has, which is closed. The
 * same seed as the other one's draws the same. */
void model_reopen(struct model *model, enum mnm_backing backing, uint64_t seed);

unsigned int model_draw(struct model *model, unsigned int below);

/* A request of so many bytes, in the order of a stream or 0, for a block that
 * is freed in the order of another. */
void model_ask(struct model *model, size_t bytes, unsigned int stream,
	       unsigned int life, unsigned int freed);
void model_free(struct model *model, size_t block);
/* Frees what has lived for long enough. */
void model_step(struct model *model);
/* The pool grows for a request of that span, for which nothing was ready, or
 * there was nothing; for the first time, or after some tries. */
void model_grow(struct model *model, size_t span, bool unready, int tries);
/* Takes that many bytes from the pool, or what there is. */
void model_trim(struct model *model, size_t bytes);

struct tstack_figures model_figures(const struct model *model);

#endif
