/* Iterations that do not repeat, as their shapes differ: what lives rises in
 * each, and falls again to what stays from one to the next. */
#ifndef MNM_RISES_H
#define MNM_RISES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many bytes live before a block comes or goes, and after it. */
struct rises_step {
	uint64_t number; /* of the event, which grows */
	uint64_t before, after;
	bool comes;
};

struct rise {
	uint64_t number; /* of the request that it begins with */
	uint64_t end;    /* behind the event that it ends with */
	uint64_t height; /* bytes, at most */
	uint64_t requests;
};

struct rises {
	uint64_t expected, seen; /* requests */
	uint64_t least, most;    /* bytes that live */
	struct rise *all;
	size_t count, room;
	bool fits; /* there was memory */
	/* Where least lives since the last rise, and the rise at hand. */
	uint64_t lowest, lowest_number, requests;
	bool rising;
	uint64_t usual; /* requests of an iteration, once they are chosen */
};

/* First each step of a device that has so many requests is measured, then each
 * is looked at. */
void rises_begin(struct rises *rises, uint64_t requests);
void rises_measure(struct rises *rises, const struct rises_step *step);
void rises_look(struct rises *rises, const struct rises_step *step);

/* Leaves those rises that are iterations: far higher than all others, and of
 * some length. Returns how many there are; 0 if that is not clear. */
size_t rises_choose(struct rises *rises);
void rises_end(struct rises *rises);

#endif
