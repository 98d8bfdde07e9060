/* A kernel in the form in which it runs. The 32 threads of a warp run an
 * operation together, as lanes. A warp has a frame of slots: a register has 32
 * elements of its width side by side, and a predicate is a mask of lanes.
 * Constants are slots, too. */
#ifndef SIM_PTX_FORM_H
#define SIM_PTX_FORM_H

#include <string.h>

#include "reach.h"

enum { PTX_LANES = 32, PTX_BARRIERS = 16 };

/* Bytes of a block's shared memory that are the system's, as on devices of
 * compute capability 8.0 and later (CUDA C++ Programming Guide). Cooperative
 * groups of several warps keep up to 288 bytes there (the toolkit's
 * cooperative_groups/details/memory.h). */
enum { PTX_RESERVED_SMEM = 1024 };

#define PTX_ALL_LANES UINT32_MAX

/* Where the spaces are in the numbers of generic addresses. Others are the
 * host's own. */
#define PTX_WINDOW_BITS 48
enum ptx_window {
	PTX_WINDOW_GLOBAL,
	PTX_WINDOW_SHARED,
	PTX_WINDOW_LOCAL,
};

enum ptx_step {
	PTX_STEP_PLAIN,  /* run() does it all */
	PTX_STEP_BRANCH, /* to `target` */
	PTX_STEP_TABLE,  /* to list[a] of `count` */
	PTX_STEP_RETURN, /* to what slot a says */
	PTX_STEP_EXIT,
	PTX_STEP_CALL,    /* to `target`; slot d keeps the way back */
	PTX_STEP_POINTER, /* to the function whose address is in a */
	PTX_STEP_SYNC,    /* run() once all lanes in slot `target` are there */
	PTX_STEP_BARRIER, /* number a, threads b (0: all), c, d; mode */
	PTX_STEP_REST,    /* run(), which may have lanes rest */
	PTX_STEP_TRAP,
};

struct ptx_op;
struct ptx_warp;

/* Does an operation for some lanes. */
typedef void ptx_run_fn(struct ptx_warp *warp, const struct ptx_op *op,
			uint32_t mask);

struct ptx_op {
	ptx_run_fn *run;
	ptx_run_fn *inner; /* what run() does in another mode */
	uint32_t guard;    /* slot of a predicate */
	uint32_t guard_flip;
	uint32_t straight; /* operations from here that all lanes just do */
	uint32_t d, a, b, c, e; /* slots */
	uint32_t target;        /* of the code, or whatever run() wants */
	uint32_t count;         /* of list */
	const uint32_t *list;
	int64_t value;           /* an offset, or whatever run() wants */
	uint8_t step;            /* enum ptx_step */
	uint8_t mode;            /* enum ptx_mode, or whatever run() wants */
	uint8_t type, from_type; /* enum ptx_type */
	uint8_t window;          /* of an address: enum ptx_window */
	bool narrow;             /* an address of 32 bits */
	bool generic;
	bool fixed;    /* the address is that of a variable all threads have */
	uint8_t bytes; /* of an element in memory */
	unsigned int line;
};

enum ptx_mode {
	PTX_MODE_NEAREST,
	PTX_MODE_ZERO,
	PTX_MODE_DOWN,
	PTX_MODE_UP,
	PTX_MODE_ROUND = 3,
	PTX_MODE_FLUSH = 4,         /* .ftz */
	PTX_MODE_SATURATE = 8,      /* to 0 ... 1 */
	PTX_MODE_FLUSH_RESULT = 16, /* the host's processor does not do it */
};

enum ptx_constant_kind {
	PTX_CONSTANT_BITS,
	PTX_CONSTANT_VARIABLE, /* its address + bits */
	PTX_CONSTANT_PARAM, /* the address of the kernel's parameters + bits */
	PTX_CONSTANT_GRID,  /* that of the grid's barrier, >> bits */
};

struct ptx_constant {
	enum ptx_constant_kind kind;
	uint32_t slot;
	uint8_t bytes; /* width; 0 for a predicate */
	uint64_t bits;
	const struct ptx_variable *variable;
};

/* A special register that is a slot. */
struct ptx_special {
	uint32_t slot;
	uint8_t which; /* enum ptx_special_kind */
	char part;
};

enum ptx_special_kind {
	PTX_SPECIAL_TID,
	PTX_SPECIAL_NTID,
	PTX_SPECIAL_CTAID,
	PTX_SPECIAL_NCTAID,
	PTX_SPECIAL_LANEID,
	PTX_SPECIAL_WARPID,
	PTX_SPECIAL_NWARPID,
	PTX_SPECIAL_LANEMASK_EQ,
	PTX_SPECIAL_LANEMASK_LE,
	PTX_SPECIAL_LANEMASK_LT,
	PTX_SPECIAL_LANEMASK_GE,
	PTX_SPECIAL_LANEMASK_GT,
	PTX_SPECIAL_DYNAMIC_SMEM,
	PTX_SPECIAL_TOTAL_SMEM,
	PTX_SPECIAL_RESERVED_SMEM,
	PTX_SPECIAL_ZERO, /* of one cluster of one block, and the like */
	PTX_SPECIAL_ONE,
};

enum ptx_barrier_mode {
	PTX_BARRIER_SYNC,
	PTX_BARRIER_ARRIVE, /* without waiting */
	PTX_BARRIER_POPC,   /* d = how many have predicate c */
	PTX_BARRIER_AND,    /* d = whether all, */
	PTX_BARRIER_OR,     /* or any */
};

/* Bytes in a thread's memory. */
struct ptx_piece {
	uint32_t place, size;
};

/* A register that a call of a function in itself has to keep. */
struct ptx_kept {
	uint32_t slot, bytes; /* 0 bytes: a predicate */
};

/* A function that is part of a program. It has one place for its registers, and
 * one for its variables and parameters in a thread's memory. If it is called
 * again before it has returned, its registers are kept on a stack, and its
 * memory is further up: `delta` is by how much. */
struct ptx_routine {
	const struct ptx_piece *params;
	uint32_t param_count;
	struct ptx_piece result;
	bool pointed;        /* its address is taken */
	bool recursive;      /* it may be called in itself */
	const char *refused; /* why it cannot run, or NULL */
	uint32_t entry;      /* where its code begins */
	uint64_t address;
	struct ptx_frame frame;
	const struct ptx_kept *kept;
	uint32_t kept_count, kept_bytes;
	/* Slots: the way back, and the mask of the lanes that are in it. */
	uint32_t back, active;
	/* Slots of numbers that are added to places in a thread's memory: now,
	 * in the call that is made ready, and in the one that ended. They are
	 * always 0 in a routine that is not recursive. */
	uint32_t delta, next, last;
};

struct ptx_program {
	struct ptx_arena arena;
	const struct ptx_module *module;
	const struct ptx_kernel *kernel;
	struct ptx_op *ops;
	uint32_t op_count;
	struct ptx_constant *constants;
	uint32_t constant_count;
	struct ptx_special *specials;
	uint32_t special_count;
	struct ptx_routine *routines;
	uint32_t routine_count;
	uint32_t frame_bytes;         /* of a warp */
	size_t shared_bytes, dynamic; /* static; where dynamic memory begins */
	size_t thread_bytes; /* local memory and parameters, of each thread */
	bool reserves;       /* it asks for what is kept for the system */
	bool recursive;      /* some routine is */
	bool takes;          /* see ptx_program_takes() */
	bool apart;          /* see apart.h */
};

struct ptx_range {
	uint64_t begin, end;
	bool write;
};

struct ptx_block;
struct ptx_crew;

enum { PTX_RANGES = 8 };

/* What a thread that runs blocks has of its own. */
struct ptx_run {
	const struct ptx_program *program;
	const struct ptx_launch *launch;
	const struct ptx_host *host;
	unsigned char *params; /* the buffer of the kernel's parameters */
	/* What cooperative groups take for a barrier of the whole grid: their
	 * size in bytes, and the count that they keep. */
	uint32_t grid_barrier[2];
	struct ptx_range ranges[PTX_RANGES];
	unsigned int range_next;
	struct ptx_range *variables; /* of the module */
	uint32_t variable_count;
	unsigned int threads; /* of a block */
	unsigned int warps;
	size_t shared_bytes;
	size_t thread_bytes; /* with the stack */
	struct ptx_crew *crew;
	bool helps;           /* it is not the thread of ptx_run() */
	uint64_t steps, told; /* operations of warps; those the crew counts */
	uint64_t next_tick, next_help; /* steps: see crew.c */
	uint64_t waited;        /* cycles that went by as the clock was read */
	enum ptx_result result; /* of the block that runs */
	struct ptx_error error;
};

/* Of a thread that calls functions in themselves. What is kept is where the
 * thread cannot reach it. */
struct ptx_stack {
	unsigned char *kept;
	size_t kept_bytes, kept_room;
	size_t top; /* the first free byte in the thread's memory */
};

/* What a warp asked for, where an answer may come of other threads. */
struct ptx_question {
	const struct ptx_op *op;
	uint64_t place, answer; /* of one lane */
	unsigned int times;     /* that it had this answer again */
};

struct ptx_warp {
	unsigned char *frame;
	unsigned char *local;     /* thread_bytes for each lane */
	struct ptx_stack *stacks; /* of each lane; NULL without recursion */
	struct ptx_run *run;
	struct ptx_block *block;
	unsigned int index; /* in the block */
	uint32_t live;      /* lanes that have not ended */
	uint32_t syncing;   /* lanes that wait for others of the warp */
	uint32_t blocked;   /* lanes that wait at a barrier */
	uint32_t resting;   /* lanes that others have their turn before */
	struct ptx_question asked;
	uint32_t pc[PTX_LANES];
	/* Of the lanes that are blocked: who is at each barrier, and the
	 * operation of those that get a result. */
	uint32_t waiting[PTX_BARRIERS];
	uint32_t answered;
	const struct ptx_op *answers[PTX_LANES];
};

struct ptx_barrier {
	unsigned int arrived, expected; /* threads; expected 0: all that live */
	unsigned int set;               /* arrived with a predicate */
	uint32_t warps;                 /* those with threads that arrived */
};

struct ptx_block {
	struct ptx_run *run;
	unsigned char *shared;
	unsigned char *memory; /* all that the block has */
	struct ptx_warp *warps;
	struct ptx_stack *stacks; /* of all warps, or NULL */
	uint64_t number, turn;    /* turn: how many it has had, from 1 on */
	unsigned int id[3];
	unsigned int live; /* threads */
	bool waits;        /* some ask in vain */
	struct ptx_barrier barriers[PTX_BARRIERS];
};

static inline void *ptx_slot(const struct ptx_warp *warp, uint32_t slot)
{
	return warp->frame + slot;
}

/* For each lane i in mask: the loop over all of them can use vectors. */
#define PTX_EACH_LANE(...) \
	do { \
		PTX_IVDEP \
		for (unsigned int i = 0; i < PTX_LANES; i++) \
			__VA_ARGS__ \
	} while (0)
#define PTX_FOR_LANES(mask, ...) \
	do { \
		if ((mask) == PTX_ALL_LANES) { \
			PTX_EACH_LANE(__VA_ARGS__); \
		} else { \
			for (uint32_t left_ = (mask); left_; \
			     left_ &= left_ - 1) { \
				unsigned int i = \
					(unsigned int)__builtin_ctz(left_); \
				__VA_ARGS__ \
			} \
		} \
	} while (0)

/* A function that has a version for wide vectors, too: the loader takes the one
 * that the processor can do. It does so before some sanitizers are ready.
 * Products and sums are not fused in either, so both have the same results, but
 * for what a NaN carries. */
#if defined(__x86_64__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PTX_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define PTX_WIDE
#endif

#ifdef __clang__
#define PTX_IVDEP
#else
#define PTX_IVDEP _Pragma("GCC ivdep")
#endif

/* The bits of masks: a vector can look at these, but not always shift by
 * different amounts. */
extern const uint32_t ptx_lane_bits[PTX_LANES];

/* A mask of flags, each 0 or 1: the product moves those of 8 bytes to the top
 * one. */
static inline uint32_t ptx_mask_of(const uint8_t *flags)
{
	uint32_t made = 0;

	for (unsigned int i = 0; i < PTX_LANES; i += 8) {
		uint64_t eight;

		memcpy(&eight, flags + i, sizeof(eight));
		made |= (uint32_t)(eight * 0x0102040810204080 >> 56) << i;
	}
	return made;
}

/* Ends the run with an error. */
void ptx_run_fail(struct ptx_warp *warp, const struct ptx_op *op,
		  unsigned int lane, enum ptx_result result, const char *format,
		  ...) __attribute__((format(printf, 5, 6)));

#endif
