/* What lives on a device over time: by file, by function and by pool, one upon
 * the other. There is a row for each bucket of time, of when the most lived in
 * it; and one of its end, if nothing comes in the bucket after it. */
#ifndef MNM_STACK_H
#define MNM_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "cli/export/live_blocks.h"
#include "shares.h"
#include "symbols.h"

struct stack_site;

struct stack {
	struct symbols *symbols;
	const struct mnm_record *record;
	struct stack_site *sites;
	struct shares files, functions, pools;
	json_t *times; /* of the rows */
	/* Of the bucket: when it began, the most bytes, and when it was changed
	 * last; whether the row of the most is still to be kept, and is the
	 * first one; whether less has come since. */
	uint64_t bucket, begin, most, last;
	bool open, due, first, past;
};

/* Those who hold the peak come first, so none of them is among the others. */
void stack_open(struct stack *stack, const struct summary *summary,
		unsigned int number, const struct mnm_record *record,
		struct symbols *symbols);
void stack_close(struct stack *stack);

/* A block comes or goes, at that time; `live` is how many bytes live then. */
void stack_change(struct stack *stack, uint64_t bucket, uint64_t time,
		  const struct live_block *block, bool comes, uint64_t live);

/* The share of the functions to which the block counts. */
unsigned int stack_function(struct stack *stack,
			    const struct live_block *block);

/* Ends it: {"t": [...], "files", "functions", "pools"}, as shares_rows; each
 * time but the first is the difference to the one before. */
json_t *stack_json(struct stack *stack);

#endif
