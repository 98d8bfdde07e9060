/* What there is to find out about a post-mortem: the names of the code that
 * asked, and, by the recording that was made then, who held what. */
#ifndef MNM_REPORT_POSTMORTEM_HELD_H
#define MNM_REPORT_POSTMORTEM_HELD_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "holders.h"
#include "moment.h"
#include "report.h"

struct postmortem_held {
	struct symbols *calls; /* code of the stack */
	size_t call_count;
	/* Whether the recording has told; if it could not, `why` has a plain
	 * line about that, or is "". */
	bool known;
	char why[256];
	struct report report; /* of the moment */
	struct moment moment;
	const struct device_summary *device; /* in the report */
};

/* Returns false without memory. It is to be closed in any case. */
bool postmortem_held_open(struct postmortem_held *held, const json_t *told,
			  bool stacks);
void postmortem_held_close(struct postmortem_held *held);

/* The names of a call of the stack, from 0 to call_count - 1, as site_names. */
void postmortem_call(const struct postmortem_held *held, const json_t *told,
		     size_t number, char file[HOLDER_NAME_SIZE],
		     char function[HOLDER_NAME_SIZE]);

/* Adds to what was told: `calls`, and `held`, if that is known. */
void postmortem_held_add(const struct postmortem_held *held, json_t *told);

#endif
