/* What is to be played: the requests, frees and marks of a recording or of a
 * trace, in their order, as one thread makes them. */
#ifndef MNM_REPLAY_SCRIPT_H
#define MNM_REPLAY_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum script_kind {
	SCRIPT_ALLOC,
	SCRIPT_FREE,
	SCRIPT_TAKE, /* as alloc, of memory that no pool serves */
	SCRIPT_GIVE, /* and its free */
	SCRIPT_MARK, /* an iteration begins */
};

enum { SCRIPT_STREAMS = 64 };

struct script_step {
	uint64_t bytes; /* of a request */
	uint32_t slot;  /* of the block, from 0: a free has that of its request,
			 * and a later request may have it again */
	uint8_t kind;   /* enum script_kind */
	uint8_t device;
	uint8_t stream;   /* where the block is used, from 0 */
	bool ordered : 1; /* the request, or the free, is in its order */
	bool follows : 1; /* the size follows the batch; see scale.h */
};

struct script {
	struct script_step *steps;
	size_t count, room;
	uint32_t slots; /* that are in use at most */
	int devices;    /* the highest ordinal + 1 */
	uint64_t requests, marks;
	bool marks_are_told; /* the program has told mnm of them */
	/* By what repeats: nobody has made them. Then the last one is where the
	 * last iteration ends. */
	bool marks_are_found;
	/* Of what the file has and the steps don't: requests for pinned memory,
	 * requests that failed, and events that the recording lacks. */
	uint64_t pinned, failed, dropped;
};

/* Reads a recording, or a trace (examples/traces/FORMAT.md). On failure prints
 * one line and returns false; there is nothing to release then. If the end of a
 * recording is missing or damaged, *damage says so, to be freed, and the rest
 * is read. */
bool script_read(struct script *script, const char *path, char **damage);
void script_release(struct script *script);

static inline uint64_t script_iterations(const struct script *script)
{
	return script->marks - script->marks_are_found;
}

/* Appends a step. Returns false without memory. */
bool script_add(struct script *script, struct script_step step);

/* Appends the steps of an event of a recording. The blocks are those that live
 * before it. */
struct live_blocks;
struct mnm_record_event;
bool script_event_add(struct script *script, struct live_blocks *live,
		      const struct mnm_record_event *event);

/* Changes the streams of all steps to `count` ones; 0: nothing is in the order
 * of one. */
void script_fold_streams(struct script *script, unsigned int count);

#endif
