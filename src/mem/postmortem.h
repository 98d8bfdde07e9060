/* What there was when a request failed for want of memory: a file of JSON,
 * written for the first such request of a process; docs/out-of-memory.md. */
#ifndef MNM_POSTMORTEM_H
#define MNM_POSTMORTEM_H

#include <stdbool.h>
#include <stddef.h>

struct device;

/* A request of so many bytes (0 if unknown) has failed for good. Takes no
 * memory, waits for no lock, and fails silently. To be called without a
 * lock. */
void postmortem_write(struct device *device, size_t asked, bool by_limit);

/* Writes the text as the process's post-mortem: where the option says, or into
 * the folder of the control sockets, where the newest few are kept. Returns
 * false if it can't be; otherwise path has its place. */
bool postmortem_save(const char *text, size_t length, char *path, size_t size);

#endif
