/* Where the least is lost if a stretch of an arena goes to others: the cheapest
 * contiguous window. All that is planned to lie there, even in a part of it,
 * loses its place, so what goes should be neighbours. */
#ifndef MNM_WINDOW_H
#define MNM_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is planned to lie somewhere; counted in units, and at least a part of
 * each of them is its. */
struct window_slot {
	size_t begin, end;
	uint64_t cost; /* of the loss of its place */
};

struct window {
	size_t begin;  /* the first unit */
	uint64_t cost; /* of all that is planned to lie there */
};

/* Finds the cheapest window of `want` units, at least 1, among the first
 * `units`, of those in which none is taken; of several the first one. Returns
 * false if there is none, or no memory. */
bool window_find(const struct window_slot *slots, size_t count,
		 const bool *taken, size_t units, size_t want,
		 struct window *found);

#endif
