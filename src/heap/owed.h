/* Memory that goes back later, so that nobody waits for it. The driver's free
 * waits for all work of its device. A request for stream-ordered memory may
 * never wait, so what it would give back is owed: that goes back after the
 * program itself has waited for work, once the device has none. */
#ifndef MNM_OWED_H
#define MNM_OWED_H

#include <stdbool.h>
#include <stddef.h>

struct device;

/* Between these two the calling thread gives nothing back while the device has
 * work. They may be nested. */
void waits_forbid(void);
void waits_allow(void);
bool waits_are_forbidden(void);

/* So many bytes of the device's idle memory are to go back; what was owed
 * before counts as a part of these. */
void owed_add(struct device *device, size_t bytes);

/* The program has waited for work: gives back what is owed and what is pending
 * (reclaim.h), if the device has no work now. Two loads if there is nothing. */
void owed_give(struct device *device);

#endif
