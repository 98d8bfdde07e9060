/* The rules that steps are drawn by: what is legal now, and what it needs. */
#ifndef TESTS_PROOF_MODEL_H
#define TESTS_PROOF_MODEL_H

#include "program.h"

/* The step makes it; uses it as others may at the same time; or changes it,
 * after all that used it, and before all that will. */
void object_make(struct object *object, const struct step *step);
void object_use(struct object *object, struct step *step);
void object_change(struct object *object, struct step *step);
void object_end(struct object *object, struct step *step);

/* Calls that some captures forbid: whether they are allowed to the step's
 * thread now. If so, unsafe_use has to follow. */
bool unsafe_allowed(const struct program *program, const struct step *step);
void unsafe_use(struct program *program, struct step *step);

/* Whether the step's thread may queue work in a stream now. */
bool stream_usable(const struct program *program, const struct step *step,
		   int stream);
void stream_use(struct program *program, struct step *step, int stream);
/* A random one of those, in a context or (NONE) any; NONE if there is none. */
int stream_pick(struct program *program, const struct step *step, int context);
/* The same, but none that is capturing. */
int stream_pick_free(struct program *program, const struct step *step,
		     int context);

/* Whether work on a slot may be queued in a stream; a copy reaches further
 * than a kernel. */
bool slot_usable(const struct program *program, const struct step *step,
		 int slot, int stream, bool copy);
void slot_use(struct program *program, struct step *step, int slot, int stream);
/* A random one of those in a stream. */
int slot_pick(struct program *program, const struct step *step, int stream,
	      bool copy);
/* Picks slot and stream of the step, and a part, for a kernel or a copy. */
bool slot_and_stream(struct program *program, struct step *step, bool copy);

int context_pick(struct program *program);
void context_use(struct program *program, struct step *step, int context);
/* Whether its work may be waited for as a whole. If so, sync_use follows. */
bool sync_allowed(const struct program *program, int context);
void sync_use(struct program *program, struct step *step, int context);

/* The waits that a slot's end needs as the driver's does not cover them: for
 * other contexts that used it, near ones (of its device) only if so asked.
 * False: one can't be waited for now. If so, others_use follows. */
bool others_wait(struct program *program, struct step *step, int slot,
		 bool near);
void others_use(struct program *program, struct step *step);

int event_pick(struct program *program);

#endif
