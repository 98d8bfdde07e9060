/* A program: what a seed says a few host threads do.
 *
 * It is drawn as one list of steps, legal in that order, and each step then
 * names what it needs of the other threads. So it is legal in every order in
 * which the threads can come to their steps. Objects are numbered as they are
 * made, and no number is used again: a slot is one allocation. */
#ifndef TESTS_PROOF_PROGRAM_H
#define TESTS_PROOF_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

enum {
	THREADS_MAX = 4,
	DEVICES_MAX = 2,
	CONTEXTS_MAX = 16,
	STREAMS_MAX = 96,
	EVENTS_MAX = 48,
	SLOTS_MAX = 384,
	GRAPHS_MAX = 64,
	STEPS_MAX = 512,
	PARTS_MAX = 3,   /* of a slot, that are written and read */
	PART_WORDS = 64, /* in each */
	SLOTS_LIVE = 14, /* at a time */
	QUOTA_MIB = 8,   /* that a thread of a full program has at a time */
	FAULTS_MAX = 3,
	TRIES = FAULTS_MAX + 1, /* of a call that has to succeed */
	NONE = -1,
};

/* What a seed is asked for, so that one answer does not change another. */
enum {
	PURPOSE_CONFIG,
	PURPOSE_STEPS,
	PURPOSE_SCHEDULE,
	PURPOSE_IDLE,
	PURPOSE_CLASSES
};

/* Where an object stands in the order of the host's threads. */
struct object {
	bool live;
	int thread, number;    /* the step that made or last changed it */
	int used[THREADS_MAX]; /* steps of each that a change must follow */
};

/* Words that are first, first + step, first + 2 step, ... */
struct words {
	bool known;
	uint32_t first, step;
};

struct device_model {
	int primary;  /* context, at the start */
	int keeper;   /* context that is there to the end */
	int retained; /* primary context now; NONE: it has been released */
};

struct context_model {
	struct object object;
	struct object sync;   /* what no capture in the context allows */
	struct object legacy; /* what no capture of a blocking stream allows */
	int device;
	bool primary;
	bool kept; /* to the end */
	int captures, blocking_captures;
};

enum stream_kind { LEGACY, PER_THREAD, BLOCKING, NON_BLOCKING };

struct stream_model {
	struct object object;
	enum stream_kind kind;
	int context;
	int thread;  /* whose alone it is, or NONE */
	int capture; /* graph, or NONE */
	bool given;  /* there from the start */
	bool green;  /* of a green context of its own, a part of `context`,
		      * whose events it does not take */
};

struct event_model {
	struct object object;
	int context;
};

struct slot_model {
	struct object object;
	int context;
	int thread;      /* that allocates it */
	size_t size;     /* bytes */
	bool pinned;     /* host memory */
	bool checked;    /* uses are ordered, and contents known */
	bool wild;       /* used outside the order of its home */
	int home;        /* stream that its ordered work is in, or NONE */
	unsigned others; /* other contexts that used it, a bit each */
	struct words words[PARTS_MAX];
};

enum graph_state { CAPTURING, CAPTURED, INSTANTIATED, GONE };

struct graph_model {
	struct object object;
	enum graph_state state;
	int mode; /* CUstreamCaptureMode */
	int thread, stream, context;
	unsigned contexts;     /* whose work is in it, a bit each */
	bool slots[SLOTS_MAX]; /* that its work uses */
};

struct thread_model {
	int capture;  /* graph, or NONE */
	bool careful; /* that capture forbids unsafe calls to this thread */
	int steps;
};

struct step_row;

struct step {
	const struct step_row *row;
	int thread, number; /* it is its thread's number-th */
	int context;        /* to be current */
	int slot, source;   /* NONE, or what the row says */
	int stream, other, event, graph;
	unsigned part, source_part; /* of slot and source */
	unsigned value, choice;
	unsigned waits;                /* contexts to be waited for first */
	size_t size;                   /* bytes */
	struct words words[PARTS_MAX]; /* to be found in the slot */
	int need[THREADS_MAX];         /* steps of each to be done before */
};

enum door { DOOR_EXPORTS, DOOR_TABLE, DOOR_PER_THREAD };

/* MIXED: a little of everything. DENSE: little else than blocks that change
 * hands. CONTEXTS: of one device, that come and go. RENEWALS: of its primary
 * context. DEVICES: two, that reach each other's memory. FULL: memory is as
 * much as the program ever holds. PINNED: host memory changes hands. HANDS:
 * blocks pass between threads that end, at whatever else there is. ALONE: one
 * stream is given nearly all work, and now and then it is another one. FAULTY:
 * several calls fail, with swaps and trims between. GRAPHS: of nodes and of
 * captures, on one device or two, beside green contexts. */
enum kind {
	MIXED,
	DENSE,
	CONTEXTS,
	RENEWALS,
	DEVICES,
	FULL,
	PINNED,
	HANDS,
	ALONE,
	FAULTY,
	GRAPHS,
	KIND_COUNT
};

/* An entry that fails once. Late: it is called, and then tells of an error. */
struct fault {
	const char *entry;
	int code;
	bool late;
};

/* Around the program: what the environment says. */
struct setting {
	enum kind kind;
	const char *pool, *level;
	char sim[16], fail[128], late[128], pool_limit[16], hard_limit[16],
		quarantine[16], thread_cache[16], idle_limit[16], classes[16];
	bool old_driver;  /* without cuCtxRecordEvent */
	bool giver;       /* that of src/heap/giver.h runs */
	bool tight;       /* memory may run out */
	bool level_fixed; /* chosen by the caller: no step changes it */
	struct fault faults[FAULTS_MAX];
	int fault_count;
};

struct program {
	uint64_t seed;
	struct random random;
	struct setting setting;
	enum door door;
	bool peers; /* access between the devices is enabled */
	bool tame;  /* a slot's work is in order: no races in the program */
	int thread_count, device_count, context_count, stream_count,
		event_count, slot_count, graph_count, step_count;
	int contexts_live;    /* at a time, at most */
	int favourite;        /* stream of a program of kind ALONE */
	size_t sizes[3];      /* bytes of slots */
	struct object unsafe; /* calls that a capture may forbid */
	int forbidding;       /* captures that forbid them to all */
	struct thread_model threads[THREADS_MAX];
	struct device_model devices[DEVICES_MAX];
	struct context_model contexts[CONTEXTS_MAX];
	struct stream_model streams[STREAMS_MAX];
	struct event_model events[EVENTS_MAX];
	struct slot_model slots[SLOTS_MAX];
	struct graph_model graphs[GRAPHS_MAX];
	struct step steps[STEPS_MAX];
};

/* What is not left to the seed. */
struct wish {
	const char *pool, *level, *kind; /* NULL: as drawn */
};

/* Draws the program of a seed. */
void program_draw(struct program *program, uint64_t seed,
		  const struct wish *wish);
/* For people. */
void program_print(const struct program *program);

/* Where a part of a slot begins, and how many parts there are. */
size_t part_offset(size_t size, unsigned part);
unsigned part_count(size_t size);

#endif
