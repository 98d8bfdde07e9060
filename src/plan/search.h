/* What the searches share: the best plan so far, and what is asked for. */
#ifndef MNM_PLAN_SEARCH_H
#define MNM_PLAN_SEARCH_H

#include "plan/fit.h"
#include "plan/orders.h"
#include "plan/skyline.h"
#include "plan/watch.h"

struct search {
	const struct shape *shape;
	struct watch watch;
	struct random random;
	struct skyline skyline;
	struct fit fit;
	struct orders orders;
	uint32_t *ranks;
	int64_t *offsets; /* the best ones; peak is theirs */
	int64_t *trial;   /* those of one attempt */
	int64_t peak;     /* INT64_MAX before the first */
	int64_t bound;    /* no plan has a lower peak */
	int64_t target;   /* the search ends with a peak that is no larger */
	struct order_weights good; /* of the best skyline */
};

/* False: no memory. */
bool search_open(struct search *search, const struct shape *shape,
		 const struct plan_options *options);
void search_close(struct search *search);

/* Whether there is nothing more to do. */
bool search_is_done(struct search *search);
/* A plan was found, in trial. */
void search_offer(struct search *search, int64_t peak);

/* Some plans in one pass each. */
void search_quickly(struct search *search);
/* So many passes with orders that vary. */
void search_orders(struct search *search, unsigned passes);
/* The exact search and orders by turns, until it is done. */
void search_long(struct search *search);

#endif
