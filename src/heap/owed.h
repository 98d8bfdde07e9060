/* Memory that goes back later, so that nobody waits for it. The driver's free
 * waits for all work of its device. A request for stream-ordered memory may
 * not wait for that, so what it would give back is owed: that goes back after
 * the program itself has waited for work, once there is none. */
#ifndef MNM_OWED_H
#define MNM_OWED_H

#include <stdbool.h>
#include <stddef.h>

struct device;

/* Between these two the calling thread gives nothing back while there is work.
 * They may be nested. */
void waits_forbid(void);
void waits_allow(void);
bool waits_are_forbidden(void);

/* So many bytes of the device's idle memory are to go back; what was owed
 * before counts as a part of these. */
void owed_add(struct device *device, size_t bytes);

/* Gives back at least so many bytes of what is idle for a request that fails
 * otherwise, if the program rests, or does so within about a second. If nothing
 * goes back, so many bytes are owed. Returns the bytes. */
size_t owed_now(struct device *device, size_t bytes);

/* The same, for a request that does not fail without: it waits for nothing. */
size_t owed_try(struct device *device, size_t bytes);

/* The program has waited for work: gives back what is owed and what is pending
 * (reclaim.h), if the program rests now. A few loads if there is nothing. */
void owed_give(struct device *device);

#endif
