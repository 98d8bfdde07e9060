/* What MNM_LOG=info and debug promise: lines about requests and devices. */
#ifndef MNM_MEM_LOG_H
#define MNM_MEM_LOG_H

#include <stddef.h>
#include <stdint.h>

struct block;
struct device;

/* One line of the level debug. result is CUDA's code. */
void mem_log_request(const struct device *device, size_t size, uint64_t addr,
		     int result);
void mem_log_free(const struct device *device, const struct block *block);

/* A line of the level info for each device that was used, about its requests.
 * None in a forked child, whose figures are its parent's. */
void mem_log_figures(void);

#endif
