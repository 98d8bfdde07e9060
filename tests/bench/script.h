/* The allocations and frees of a work, in order. They are prepared, so that
 * nothing else is done while they are timed. */
#ifndef MNM_BENCH_SCRIPT_H
#define MNM_BENCH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op {
	uint32_t slot;
	bool frees;
	size_t size; /* of the block that is allocated or freed */
};

struct script {
	struct op *ops;
	size_t count, room;
	size_t pairs; /* allocations */
	size_t slots; /* most blocks that are live at once */
};

/* These end the program if there is no memory. */
void script_alloc(struct script *script, size_t slot, size_t size);
void script_free(struct script *script, size_t slot, size_t size);

void script_close(struct script *script);

/* Numbers that are the same in every run. */
uint32_t draw(uint32_t *state, uint32_t below);

#endif
