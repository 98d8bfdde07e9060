/* Holes: stretches of memory in a device's regions in which no block lives. */
#ifndef MNM_HOLES_H
#define MNM_HOLES_H

#include <stdbool.h>
#include <stdint.h>

struct device;

struct holes {
	uint64_t regions;
	uint64_t bytes, count, largest; /* of the holes; the largest in bytes */
	/* Bytes of whole pages in regions that grow, where they can move to be
	 * side by side. */
	uint64_t pages;
};

/* Returns false, and nothing is known, if other threads have held the locks for
 * some 20 ms, or would have to wait too long for them, as there are 131,072
 * blocks or more. */
bool holes_look(const struct device *device, struct holes *holes);

#endif
