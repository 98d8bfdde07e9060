/* A search that finds a plan below a capacity if there is one, for problems of
 * at most some thousand buffers. docs/tstack.md explains its idea.
 *
 * It places buffers from low to high. A buffer's floor is the lowest offset at
 * which it may still come to lie. One decision takes a buffer beneath which no
 * other can come any more, and either places it at its floor, or refuses that
 * place to it for good. Refused, it has to lie on one of those that are not
 * placed yet, and one of them has to take up some of the refused place: else
 * the buffer could sink there, and some other plan with lower offsets would do
 * as well. */
#ifndef MNM_PLAN_EXACT_H
#define MNM_PLAN_EXACT_H

#include "plan/random.h"
#include "plan/shape.h"
#include "plan/watch.h"

enum {
	EXACT_MOST = 2000,        /* buffers; memory grows with their square */
	EXACT_FAILURES = 1 << 19, /* states that are kept */
	/* Of sizes and offsets: sums of two have to fit an int32_t. */
	EXACT_LARGEST = 1 << 29,
};

/* How the next section is chosen. Each is good at other problems. */
enum exact_rule { EXACT_BY_COUNT, EXACT_BY_SLACK, EXACT_RULES };

/* Sections [from, to). */
struct stretch {
	uint32_t from, to;
};

struct exact_buffer {
	int32_t align;
	int32_t rest;    /* on what is placed, it cannot lie lower than this */
	int32_t refused; /* the end of a refused place that nobody has taken up;
			  * 0: there is none */
	int32_t support; /* the neighbour on which it lies at its floor, while
			  * a place is refused; -1: to be found */
	int32_t support_floor;   /* of that neighbour, when it was found */
	uint32_t twin;           /* the next of a ring of equal buffers */
	int32_t offset;          /* where it is, if it is placed */
	uint64_t hash;           /* of rest and refused */
	struct stretch lives[2]; /* the second is empty but on a circle */
};

/* Where it failed to place a buffer the last time, as it may fail there again.
 * It does not where a witness can still be the lowest of that section. */
struct exact_look {
	uint32_t section;
	uint32_t witness; /* or the buffer itself: to be found */
	bool inside;      /* the buffer lives in the section */
	bool apart;       /* the witness does not live beside the buffer */
	uint32_t under;   /* it could lie beneath the buffer the last time; or
			   * the buffer itself */
};

/* What a decision changed of a buffer. */
struct exact_change {
	uint32_t buffer;
	bool placed; /* nothing else of it has changed */
	int32_t rest, floor, refused, support, support_floor;
};

struct exact {
	const struct shape *shape;
	uint32_t count, sections;
	int32_t capacity;
	uint64_t unit; /* in units of the shape */
	struct exact_buffer *buffers;
	int32_t *sizes, *floors; /* of each buffer, as they are looked at most;
				  * exact_placed in place of a floor for one
				  * that is placed */
	float *keys; /* of two buffers the one with the larger goes first */
	uint32_t *starts; /* of each buffer's neighbours, and an end */
	uint32_t *neighbours;
	uint32_t *member_starts; /* of those that live in each section */
	uint32_t *members;
	/* Of each section: */
	int32_t *load; /* all sizes */
	int32_t *room; /* capacity minus the sizes that are not placed: the
			* lowest of these has to begin there or below */
	int32_t *candidates; /* how many can; section_empty where all are
			      * placed */
	int32_t *crossing;   /* how many of these live in the one before, too */
	float *weights;      /* how often a section had no candidate */
	bool *stale; /* a candidate was raised or placed since the section was
		      * looked at */
	uint32_t blamed;          /* the last section that had no candidate, or
				   * exact_none */
	struct exact_look *looks; /* of each buffer */
	uint32_t wrapping; /* not placed, and across the cut of the circle */
	struct stretch within; /* the sections that the search is about now */
	struct exact_change *changes;
	size_t change_count, change_room;
	uint32_t *waiting; /* buffers with a refused place, or that had one */
	uint32_t waiting_count;
	bool *is_waiting;
	uint64_t *failures; /* states that are known to lead nowhere */
	uint64_t hash;      /* of all that are not placed */
	int32_t *saved;     /* a stack of copies of room and candidates */
	size_t saved_count, saved_room;
	enum exact_rule rule;
	/* Of the starts by each rule: how many there were, and how many buffers
	 * they had left at their best, together. */
	uint64_t starts_by[EXACT_RULES], left_by[EXACT_RULES];
	uint32_t left, least_left; /* not placed: now, at the start's best */
	struct random random;
	struct watch *watch;
	uint64_t nodes, node_limit;
	bool stopped; /* at the limit, for want of time or of memory */
	int64_t *offsets;
};

enum {
	section_empty = 1 << 24,
	exact_placed = 1 << 30, /* above all floors */
};

enum exact_answer {
	EXACT_FOUND,
	EXACT_IMPOSSIBLE, /* there is no plan below the capacity */
	EXACT_UNDECIDED,
};

/* False: no memory. The shape has at most EXACT_MOST buffers, and is used until
 * the search is closed. */
bool exact_open(struct exact *exact, const struct shape *shape,
		struct watch *watch, uint64_t seed);
void exact_close(struct exact *exact);

/* Looks for a plan of at most that peak, in so many steps at most. Sets the
 * offsets only if it finds one. */
enum exact_answer exact_run(struct exact *exact, int64_t capacity,
			    uint64_t steps, int64_t *offsets);

/* The parts of it: exact_open.c, exact_place.c, exact_raise.c, exact_look.c,
 * exact_choose.c */

/* Whether the buffer's sections have this one among them. */
bool exact_lives_in(const struct exact_buffer *buffer, uint32_t section);
/* Places nothing, for a new start at the capacity. */
void exact_reset(struct exact *exact);
/* Both are false where the capacity cannot be kept any more. */
bool exact_place(struct exact *exact, uint32_t buffer);
bool exact_refuse(struct exact *exact, uint32_t buffer);
/* Takes back all changes after the first ones, but those of sections. */
void exact_undo(struct exact *exact, size_t change_count,
		uint32_t waiting_count);
/* Before anything of a buffer changes that is not placed. */
void exact_note_change(struct exact *exact, uint32_t buffer);
/* Sets a higher floor, of which a change has been noted. False where the buffer
 * does not fit any more. */
bool exact_lift(struct exact *exact, uint32_t buffer, int32_t floor);
/* Raises all floors that have to be, after a decision. False like the decision
 * itself. */
bool exact_raise_all(struct exact *exact);
/* Notes a section of which nothing can be the lowest any more. */
void exact_blame(struct exact *exact, uint32_t section);
/* From now on looks at that section. */
void exact_look_at(struct exact *exact, uint32_t buffer, uint32_t section);
/* Whether a look shows that the buffer cannot be placed at its floor, if no
 * other can come beneath it. */
bool exact_is_refuted(struct exact *exact, uint32_t buffer);
/* A buffer that a look shows to be refused next, or exact_none. */
uint32_t exact_find_refuted(struct exact *exact);
/* The best of the neighbours that may still come to lie beneath, or
 * exact_none. */
uint32_t exact_lowest_under(const struct exact *exact, uint32_t buffer);
/* The buffer to decide on next, or exact_none if all are placed. */
uint32_t exact_choose(struct exact *exact);

static const uint32_t exact_none = UINT32_MAX;

#endif
