/* The rules by which steps are drawn: what is legal now, and what a step
 * needs. */
#ifndef TESTS_PROOF_MODEL_H
#define TESTS_PROOF_MODEL_H

#include "program.h"

/* The step makes the object; uses it, as other steps may at the same time; or
 * changes it, after all steps that used it and before all that will. */
void object_make(struct object *object, const struct step *step);
void object_use(struct object *object, struct step *step);
void object_change(struct object *object, struct step *step);
void object_end(struct object *object, struct step *step);

/* For calls that some captures forbid: returns whether the step's thread may
 * make them now. If it may, unsafe_use has to follow. */
bool unsafe_allowed(const struct program *program, const struct step *step);
void unsafe_use(struct program *program, struct step *step);

/* Returns whether the step's thread may queue work in a stream now. */
bool stream_usable(const struct program *program, const struct step *step,
		   int stream);
void stream_use(struct program *program, struct step *step, int stream);
/* Returns a random stream that is usable, in a context or, with NONE, in any.
 * Returns NONE if there is none. */
int stream_pick(struct program *program, const struct step *step, int context);
/* The same, without the streams that are capturing. */
int stream_pick_free(struct program *program, const struct step *step,
		     int context);

/* Returns whether work on a slot may be queued in a stream. A copy may reach
 * slots that a kernel may not. */
bool slot_usable(const struct program *program, const struct step *step,
		 int slot, int stream, bool copy);
void slot_use(struct program *program, struct step *step, int slot, int stream);
/* Returns a random slot that is usable in a stream, or NONE. */
int slot_pick(struct program *program, const struct step *step, int stream,
	      bool copy);
/* Picks the step's slot and stream, and a part of the slot, for a kernel or a
 * copy. Returns false if there is none. */
bool slot_and_stream(struct program *program, struct step *step, bool copy);

int context_pick(struct program *program);
void context_use(struct program *program, struct step *step, int context);
/* Returns whether a thread may wait for all work of a context. If so, sync_use
 * has to follow. */
bool sync_allowed(const struct program *program, int context);
void sync_use(struct program *program, struct step *step, int context);

/* Notes the waits that a slot's end needs because the driver's own wait does
 * not cover them: for other contexts that used it, for those of its own device
 * only if `near`. Returns false if one of them can't be waited for now. If it
 * returns true, others_use has to follow. */
bool others_wait(struct program *program, struct step *step, int slot,
		 bool near);
void others_use(struct program *program, struct step *step);

int event_pick(struct program *program);

#endif
