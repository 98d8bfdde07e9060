/* What the parts of the finder share: period.c feeds it, finder_runs.c looks
 * for requests that repeat one by one, and finder_rough.c for those of which a
 * few percent do not. */
#ifndef MNM_PLAN_FINDER_H
#define MNM_PLAN_FINDER_H

#include "plan/period.h"

/* A distance at which requests may repeat, and since when they do. */
struct finder_run {
	uint64_t lag;  /* 0: none */
	uint64_t from; /* requests from here on are equal to those lag before */
	uint64_t seen; /* up to here */
	uint64_t due;  /* when to look at it again */
	uint64_t asked; /* when it was last suggested */
};

/* Distances that differ by less than a tenth, for programs in which a few
 * requests come or go in each iteration. */
struct finder_rough {
	uint64_t first; /* when one was suggested first */
	uint64_t last;  /* and last */
	uint64_t next;  /* when to look at them again */
	uint64_t lag;   /* the one that most suggestions are near */
	uint32_t votes; /* how many more are near it than are not */
};

/* Where the last requests came before: the low bits of the serial, and bits of
 * their hash. */
struct finder_gram {
	uint32_t serial, tag;
};

enum {
	FINDER_GRAM = 8, /* requests whose hash is looked up */
	FINDER_RUNS = 16,
	FINDER_ROUGH = 256,
	FINDER_MARKS = 32,
};

struct finder {
	struct history history;
	struct period period; /* the last one found */
	uint64_t numbers;     /* how many numbers of periods there are */
	struct period hope;  /* one that repeats, of which some buffer lives on;
			      * length 0: none */
	uint64_t hope_at;    /* buffers before this serial have ended */
	uint64_t hope_due;   /* when to look whether they have */
	uint64_t due;        /* when the next look at anything is due */
	uint64_t base;       /* learns since then */
	uint64_t base_freed; /* how many buffers had been freed by then */
	uint64_t broken;     /* the longest run that has come to an end */
	uint64_t spent;      /* requests that were looked at again */
	uint64_t wake;       /* takes no notice of requests before this one */
	uint64_t rest;       /* for how many it took none the last time */
	uint64_t sum; /* of their tokens, which is that of any rotation */
	bool told;    /* marks say where iterations begin */
	bool locked;  /* the period holds */

	uint64_t gram; /* of the last requests */
	uint64_t lag;  /* that was suggested last */
	uint64_t cover_lag;
	unsigned int gram_shift;
	struct finder_gram *grams;
	struct finder_run runs[FINDER_RUNS];
	struct finder_rough rough[FINDER_ROUGH];
	uint64_t marks[FINDER_MARKS]; /* a ring */
	uint64_t marked;              /* how many there were */
};

/* Whether so many requests may be looked at again. */
bool finder_affords(const struct finder *finder, uint64_t requests);

/* The longest period that is looked for. */
uint64_t finder_longest(const struct finder *finder);

/* How many requests have to repeat at this distance before it is believed. */
uint64_t finder_need(const struct finder *finder, uint64_t lag);

/* Whether about as much lives at `end` as at `begin`: the difference is no more
 * than that part of what was asked for in between. */
bool finder_closes(const struct finder *finder, uint64_t begin, uint64_t end,
		   unsigned int part);

/* Whether the period in force, if there is one, misses so much from `begin` on
 * that one of that length is better, which misses that many bytes. */
bool finder_gains(const struct finder *finder, uint64_t length, uint64_t begin,
		  uint64_t missed);

/* Proposes a period; it is in force once its buffers have ended. */
void finder_propose(struct finder *finder, uint64_t first, uint64_t length,
		    bool exact);

void finder_runs_suggest(struct finder *finder, uint64_t lag);
/* Whether at about this distance a repeat, one by one, is half complete. */
bool finder_runs_expects(const struct finder *finder, uint64_t lag);
void finder_runs_check(struct finder *finder);
/* Whether the requests between the last marks repeated. */
bool finder_runs_marked(struct finder *finder);

void finder_rough_suggest(struct finder *finder, uint64_t lag);
/* Proposes a period if most of the requests are equal to those about `lag`
 * earlier. Else returns when it may be worth another look. */
uint64_t finder_rough_try(struct finder *finder, uint64_t lag);

#endif
