/* A program: what a few host threads do, as a seed says.
 *
 * It is drawn as one list of steps that is legal in that order. Each step then
 * names how many steps of each other thread it needs. So the program is legal
 * in every order in which the threads can come to their steps. Objects are
 * numbered as they are made, and no number is used again: a slot is one
 * allocation. */
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
	EVENTS_MAX = 96,
	SLOTS_MAX = 768,
	GRAPHS_MAX = 64,
	STEPS_MAX = 2048,
	PARTS_MAX = 3,   /* parts of a slot that are written and read */
	PART_WORDS = 64, /* words in each part */
	SLOTS_LIVE = 14, /* at the same time */
	NARROW = 3,      /* streams and events of a narrow program */
	QUOTA_MIB = 8,   /* what a thread of a full program has at most */
	FAULTS_MAX = 3,
	TRIES = FAULTS_MAX + 1, /* attempts at a call that has to succeed */
	NONE = -1,
};

/* Each purpose has random numbers of its own, so that one choice does not
 * change another. */
enum {
	PURPOSE_CONFIG,
	PURPOSE_STEPS,
	PURPOSE_SCHEDULE,
	PURPOSE_IDLE,
	PURPOSE_CLASSES,
	PURPOSE_POOLS,
	PURPOSE_LAPS
};

/* An object's place in the order of the host's threads. */
struct object {
	bool live;
	int thread, number;    /* the step that made or last changed it */
	int used[THREADS_MAX]; /* steps of each that a change comes after */
};

/* The words are first, first + step, first + 2 step, ... */
struct words {
	bool known;
	uint32_t first, step;
};

struct device_model {
	int primary;  /* the primary context at the start */
	int keeper;   /* a context that lives to the end */
	int retained; /* the primary context now, or NONE */
};

struct context_model {
	struct object object;
	/* Stands for the calls that any capture in the context forbids. */
	struct object sync;
	/* Stands for the calls that a capture of a blocking stream forbids. */
	struct object legacy;
	int device;
	bool primary;
	bool kept; /* lives to the end */
	int captures, blocking_captures;
};

enum stream_kind { LEGACY, PER_THREAD, BLOCKING, NON_BLOCKING };

struct stream_model {
	struct object object;
	enum stream_kind kind;
	int context;
	int thread;  /* the only thread that may use it, or NONE */
	int capture; /* the graph it is captured into, or NONE */
	bool given;  /* exists from the start */
	/* Of a green context of its own, which is a part of `context` but takes
	 * none of its events. */
	bool green;
};

struct event_model {
	struct object object;
	int context;
};

struct slot_model {
	struct object object;
	int context;
	int thread;   /* the thread that allocates it */
	size_t size;  /* bytes */
	bool pinned;  /* host memory */
	bool checked; /* its uses are ordered, and its contents known */
	bool ordered; /* it is asked for in the order of its home */
	bool wild;    /* used outside the order of its home */
	int home;     /* the stream that orders its work, or NONE */
	bool placed;  /* its home was given work on it since it came there */
	bool implied; /* it was not, and no event has brought the slot there */
	unsigned others; /* other contexts that used it, one bit each */
	struct words words[PARTS_MAX];
};

enum graph_state { CAPTURING, CAPTURED, INSTANTIATED, GONE };

struct graph_model {
	struct object object;
	enum graph_state state;
	int mode; /* CUstreamCaptureMode */
	int thread, stream, context;
	unsigned contexts;     /* contexts that have work in it, one bit each */
	bool slots[SLOTS_MAX]; /* slots that its work uses */
};

struct thread_model {
	int capture;  /* the graph it captures, or NONE */
	bool careful; /* the capture forbids unsafe calls to this thread */
	int steps;
};

struct step_row;

struct step {
	const struct step_row *row;
	int thread, number; /* this is step `number` of `thread` */
	int context;        /* the context to make current */
	int slot, source;   /* NONE, or as the row needs them */
	int stream, other, event, graph;
	int made; /* the stream or event that takes another one's place */
	unsigned part, source_part; /* of slot and source */
	unsigned value, choice;
	unsigned waits; /* contexts to wait for first, one bit each */
	size_t size;    /* bytes */
	struct words words[PARTS_MAX]; /* that the slot should hold */
	int need[THREADS_MAX]; /* steps of each thread to be done first */
};

enum door { DOOR_EXPORTS, DOOR_TABLE, DOOR_PER_THREAD };

/* MIXED: a little of everything. DENSE: mostly blocks that change hands.
 * CONTEXTS: contexts of one device come and go. RENEWALS: its primary context
 * does. DEVICES: two devices reach each other's memory. FULL: there is just as
 * much memory as the program holds at most. PINNED: host memory changes hands.
 * HANDS: blocks pass between threads that end, beside captures, swaps and the
 * like. ALONE: one stream is given nearly all work, and now and then another
 * stream takes its place. FAULTY: several calls fail, with swaps and trims in
 * between. GRAPHS: made of nodes and by captures, on one device or two, beside
 * green contexts. STREAMS: memory is asked for and freed in the order of
 * streams. LAPS: the same requests come again and again, with deviations. */
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
	STREAMS,
	LAPS,
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
		quarantine[16], thread_cache[16], idle_limit[16], classes[16],
		garbage[16];
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
	/* Of kind STREAMS, with few blocks, streams and events at a time, so
	 * that each is used again and again. */
	bool narrow;
	int thread_count, device_count, context_count, stream_count,
		event_count, slot_count, graph_count, step_count;
	int contexts_live;    /* at a time, at most */
	int favourite;        /* stream of a program of kind ALONE */
	size_t sizes[3];      /* bytes of slots */
	struct object unsafe; /* calls that a capture may forbid */
	struct object turn;   /* requests that come in one order, in laps */
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

/* What the caller fixes, so that the seed does not decide it. */
struct wish {
	const char *pool, *level, *kind; /* NULL if drawn */
};

/* Draws the program of a seed. */
void program_draw(struct program *program, uint64_t seed,
		  const struct wish *wish);
/* Prints it for people to read. */
void program_print(const struct program *program);

/* Where a part of a slot begins, and how many parts there are. */
size_t part_offset(size_t size, unsigned part);
unsigned part_count(size_t size);

#endif
