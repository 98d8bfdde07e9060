/* The log line about a request that got no memory. */
#ifndef MNM_REFUSAL_H
#define MNM_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

struct device;
struct room;

/* A request of so many bytes (0 if unknown) has failed for want of memory, or
 * because of the hard limit. Logs that and what memory there is, at most once a
 * second for each device. */
void refusal_say(struct device *device, size_t asked, bool by_limit);
void refusal_of_room(const struct room *room);

#endif
