/* The iterations of a program that does not mark them: what it repeats. They
 * are found in the requests of the device that has most of them. */
#ifndef MNM_REPETITION_H
#define MNM_REPETITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block that comes or goes. */
struct repetition_block {
	uint64_t number; /* of the event, which grows */
	uint64_t key;    /* the same as it comes and as it goes */
	uint64_t size;
	unsigned int device;
	bool comes;
};

/* An iteration begins before each event of these numbers, but for the last one,
 * before which the last iteration ends. */
struct repetition {
	uint64_t *borders;
	size_t count; /* 0: nothing repeats */
	size_t room;
	uint64_t requests; /* of most iterations, on that device */
	unsigned int device;
};

static inline uint64_t repetition_iterations(const struct repetition *found)
{
	return found->count ? found->count - 1 : 0;
}

/* Finds them. `play` tells repetition_feed of all blocks of devices, in order;
 * it is called three times. Returns false without memory, or if `play` does.
 * Iterations may differ a little, and those of fewer than two requests are not
 * looked for. What is remembered at a time is bounded, but for the borders. */
struct repetition_finder;
bool repetition_find(struct repetition *found,
		     bool (*play)(void *argument,
				  struct repetition_finder *finder),
		     void *argument);
void repetition_feed(struct repetition_finder *finder,
		     const struct repetition_block *block);
void repetition_release(struct repetition *found);

#endif
