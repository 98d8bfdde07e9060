/* Orders in which a one-pass placement may take buffers. */
#ifndef MNM_PLAN_ORDERS_H
#define MNM_PLAN_ORDERS_H

#include "plan/random.h"
#include "plan/shape.h"
#include "plan/sort.h"

/* How much counts what. The larger sum goes first. */
struct order_weights {
	double size, life; /* of their logarithms */
	double load;       /* of the largest load of its sections, as a share of
			    * the bound */
	double begin;      /* of a late begin, as a share of the time */
	double noise;
};

struct orders {
	const struct shape *shape;
	float *size, *life; /* logarithms */
	struct sort_entry *entries;
};

/* False: no memory. */
bool orders_open(struct orders *orders, const struct shape *shape);
void orders_close(struct orders *orders);

/* Sets each buffer's place in the order. */
void orders_rank(struct orders *orders, const struct order_weights *weights,
		 struct random *random, uint32_t *ranks);

#endif
