/* What is said of a request that got no memory. */
#ifndef MNM_REFUSAL_H
#define MNM_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

struct device;
struct room;

/* A request of so many bytes (0: unknown) has failed for want of memory, or for
 * the hard limit: says so, once a second at most, with what there is. */
void refusal_say(struct device *device, size_t asked, bool by_limit);
void refusal_of_room(const struct room *room);

#endif
