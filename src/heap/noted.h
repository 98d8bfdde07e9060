/* What the slow path notes while a recording is made (record/ring.h). What the
 * fast path serves is noted there. */
#ifndef MNM_NOTED_H
#define MNM_NOTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mnm/record.h"

struct block;
struct device;
struct heap_region;

/* A request was served at addr, or has failed with CUDA's code. stream: the
 * number of the one in whose order it is, or 0. */
void noted_request(const struct device *device, size_t size, bool ordered,
		   unsigned int stream, uint64_t addr, int result);

/* The block is about to be freed; or it is the program's again, as CUDA would
 * not free it. */
void noted_free(const struct device *device, bool ordered,
		const struct block *block);
void noted_regain(const struct device *device, const struct block *block);

/* Memory that no pool serves: `kind` is MNM_RECORD_ALLOC, FREE, LIVE or
 * FAILED. */
void noted_foreign(enum mnm_record_kind kind, const struct device *device,
		   bool ordered, uint64_t handle, size_t bytes);

/* What an order or the program has done; device: NULL for all. */
void noted_swap(const struct device *device, int choice);
void noted_trim(const struct device *device, size_t bytes);
void noted_mark(void);

/* So many bytes of the device are reserved by now. */
void noted_reserved(const struct device *device, uint64_t bytes);

/* A range of the program's, or a point (MNM_RECORD_PUSH, POP, START, STOP,
 * POINT); number: the event's address. The texts are copied; NULL: it has
 * none. */
void noted_range(enum mnm_record_kind kind, uint64_t number, const char *domain,
		 const char *name);

/* A region has come (MNM_RECORD_REGION), or is about to go
 * (MNM_RECORD_REGION_END).
 */
void noted_region(enum mnm_record_kind kind, const struct heap_region *region);

/* Calls each for every region, and every block that lives. */
void noted_regions(void (*each)(const struct mnm_record_event *event));
void noted_blocks(void (*each)(const struct mnm_record_event *event));

#endif
