/* The regions of a device's pools, as they come and go, and what lives in
 * them. */
#ifndef MNM_REPORT_REGIONS_H
#define MNM_REPORT_REGIONS_H

#include "peak_blocks.h"

#include "mnm/record.h"

enum { REGIONS_SHOWN = 256 };

struct region {
	uint64_t address, size;
	uint64_t live; /* bytes that blocks take */
	size_t blocks;
	unsigned int pool;
};

struct regions {
	struct region *rows; /* by address */
	size_t count, room;
};

/* What is no region is left alone. Without memory, a region is left out. */
void regions_note(struct regions *regions,
		  const struct mnm_record_event *event);
void regions_close(struct regions *regions);

/* [{"address", "size", "pool", "live", "blocks"}]: those that some block of
 * these is in; up to REGIONS_SHOWN, those with the most live bytes first. */
json_t *regions_json(const struct regions *regions,
		     const struct peak_blocks *peak,
		     const struct mnm_record *record);

#endif
