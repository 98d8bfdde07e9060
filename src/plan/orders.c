#include "plan/orders.h"

#include <stdlib.h>

/* Of base 2, with a straight line between the powers: near enough, the same on
 * every machine, and without the library of mathematics. */
static float logarithm(uint64_t value)
{
	unsigned power = 63 - (unsigned)__builtin_clzll(value);

	return (float)power - 1 + (float)value / (float)(UINT64_C(1) << power);
}

bool orders_open(struct orders *orders, const struct shape *shape)
{
	size_t count = shape->count;

	orders->shape = shape;
	orders->size = malloc(2 * count * sizeof *orders->size);
	orders->entries = malloc(2 * count * sizeof *orders->entries);
	if (!orders->size || !orders->entries) {
		orders_close(orders);
		return false;
	}
	orders->life = orders->size + count;
	for (size_t i = 0; i < count; i++) {
		orders->size[i] = logarithm((uint64_t)shape->size[i]);
		orders->life[i] = logarithm(shape->to[i] - shape->from[i]);
	}
	return true;
}

void orders_close(struct orders *orders)
{
	free(orders->size);
	free(orders->entries);
}

void orders_rank(struct orders *orders, const struct order_weights *weights,
		 struct random *random, uint32_t *ranks)
{
	/* Sums are far below the one, and fractions are kept by the other. */
	const double most = 1 << 16, scale = 1 << 16;
	const struct shape *shape = orders->shape;
	double load = weights->load / (double)shape->bound;
	double begin = weights->begin / (double)shape->sections;

	for (uint32_t i = 0; i < shape->count; i++) {
		double sum = weights->size * orders->size[i] +
			     weights->life * orders->life[i] +
			     load * (double)shape->most[i] +
			     begin * shape->from[i];

		if (weights->noise > 0)
			sum += random_between(random, 0, weights->noise);
		orders->entries[i] = (struct sort_entry){
			(uint64_t)((most - sum) * scale), i};
	}
	sort_entries(orders->entries, orders->entries + shape->count,
		     shape->count);
	for (uint32_t rank = 0; rank < shape->count; rank++)
		ranks[orders->entries[rank].id] = rank;
}
