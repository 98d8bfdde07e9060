/* What a program is made of. A row's draw() fills in a step that is legal now
 * and notes what it does to the model, or returns false. Its run() makes the
 * step's calls. */
#ifndef TESTS_PROOF_STEP_H
#define TESTS_PROOF_STEP_H

#include "program.h"

/* Takes the home from all slots whose home is this stream. Returns false and
 * changes nothing if one of them has to keep it. */
bool homes_leave(struct program *program, int stream);
/* If the stream is the home of slots, moves them to another one of its context,
 * step->other, for which run_edge() is to be called. Returns false and changes
 * nothing if there is none. */
bool homes_move(struct program *program, struct step *step, int stream);

/* As the draws of the rows alloc, free, free_async and touch, of which the
 * caller has chosen the object. They return false and change nothing if the
 * step is not legal now. A slot has no more than one home: it has to be a
 * stream that is not captured. */
bool draw_alloc_of(struct program *program, struct step *step, size_t size,
		   int home, bool ordered);
bool draw_free_of(struct program *program, struct step *step, int slot);
bool draw_free_async_of(struct program *program, struct step *step, int slot);
bool draw_touch_of(struct program *program, struct step *step, int slot);

struct step_row {
	const char *name;
	unsigned weight;
	bool (*draw)(struct program *program, struct step *step);
	void (*run)(const struct step *step);
};

/* Ends with a row whose name is NULL. */
extern const struct step_row step_rows[];
const struct step_row *step_row_find(const char *name);

/* STEP(name, weight) */
#define STEP_LIST \
	STEP(alloc, 30) \
	STEP(alloc_too_much, 1) \
	STEP(free, 22) \
	STEP(free_async, 3) \
	STEP(touch, 26) \
	STEP(touch_two, 12) \
	STEP(fill, 8) \
	STEP(copy, 8) \
	STEP(copy_in, 5) \
	STEP(copy_out, 3) \
	STEP(pinned_alloc, 6) \
	STEP(pinned_free, 5) \
	STEP(pinned_in, 4) \
	STEP(pinned_out, 4) \
	STEP(order, 12) \
	STEP(event_new, 2) \
	STEP(event_drop, 1) \
	STEP(event_record, 6) \
	STEP(event_wait, 6) \
	STEP(event_query, 3) \
	STEP(event_sync, 2) \
	STEP(stream_new, 3) \
	STEP(stream_drop, 2) \
	STEP(stream_sync, 4) \
	STEP(stream_query, 2) \
	STEP(green_new, 1) \
	STEP(green_drop, 1) \
	STEP(context_new, 1) \
	STEP(context_drop, 1) \
	STEP(context_sync, 2) \
	STEP(capture_begin, 5) \
	STEP(capture_join, 6) \
	STEP(capture_end, 8) \
	STEP(graph_new, 4) \
	STEP(graph_instantiate, 8) \
	STEP(graph_launch, 9) \
	STEP(graph_drop, 2) \
	STEP(swap, 3) \
	STEP(trim, 3) \
	STEP(reset, 1) \
	STEP(level, 2) \
	STEP(quarantine, 1) \
	STEP(stat, 1) \
	STEP(thread_new, 2) \
	STEP(mempool, 0) \
	STEP(stream_again, 0) \
	STEP(event_again, 0) \
	STEP(mark, 0)

#define STEP(name, weight) \
	bool draw_##name(struct program *program, struct step *step); \
	void run_##name(const struct step *step);
STEP_LIST
#undef STEP

#endif
