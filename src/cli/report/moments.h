/* What happens now and then, and is drawn as lines across time. */
#ifndef MNM_MOMENTS_H
#define MNM_MOMENTS_H

#include <stdint.h>

#include <jansson.h>

#include <mnm/record.h>

struct moments {
	json_t *list;                       /* NULL: none yet */
	uint64_t buckets[MNM_RECORD_KINDS]; /* of the last one */
	json_t *last[MNM_RECORD_KINDS];     /* of the list; or NULL */
};

/* Adds swaps, trims, marks and failures; of each kind, those of one bucket of
 * time are one. */
void moments_add(struct moments *moments, uint64_t bucket,
		 const struct mnm_record_event *event);

#endif
