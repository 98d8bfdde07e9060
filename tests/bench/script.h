/* The allocations and frees of a work, in order. They are prepared, so that
 * nothing else is done while they are timed. */
#ifndef MNM_BENCH_SCRIPT_H
#define MNM_BENCH_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

enum op_kind { OP_ALLOC, OP_FREE, OP_ORDER };

struct op {
	uint32_t slot;
	uint8_t kind;
	/* The streams of bench_free_in() or bench_order(); an allocation has
	 * only the first. Without streams, both are 0. */
	uint8_t first, second;
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

/* The same with streams, and an order between two streams. Only streams_play()
 * plays such a script. */
void script_alloc_in(struct script *script, size_t slot, size_t size,
		     unsigned int stream);
void script_free_in(struct script *script, size_t slot, size_t size,
		    unsigned int home, unsigned int last);
void script_order(struct script *script, unsigned int earlier,
		  unsigned int later);

void script_close(struct script *script);

/* Numbers that are the same in every run. */
uint32_t draw(uint32_t *state, uint32_t below);

#endif
