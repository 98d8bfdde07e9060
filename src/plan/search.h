/* What the searches share: the best plan so far, and what is asked for. */
#ifndef MNM_PLAN_SEARCH_H
#define MNM_PLAN_SEARCH_H

#include "plan/fit.h"
#include "plan/orders.h"
#include "plan/repair.h"
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
	bool by_fit;               /* no skyline was the best */
	struct repair repair;
	bool repairs;     /* it is open */
	int64_t repaired; /* the peak of the plan that it has */
	double cut;       /* the share of what is above the target that
			   * it is to do away with next */
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
/* The best plan is made lower, until that has failed so many times. */
void search_repair(struct search *search, unsigned failures);
/* Orders that vary. */
void search_widely(struct search *search);
/* The exact search and orders by turns, until it is done. */
void search_long(struct search *search);

#endif
