/* What operations that have no rows do. Each reads the fields of struct ptx_op
 * that are named here. */
#ifndef SIM_PTX_EXEC_H
#define SIM_PTX_EXEC_H

#include "form.h"

enum { PTX_LESS = 1, PTX_EQUAL = 2, PTX_GREATER = 4, PTX_UNORDERED = 8 };

enum ptx_combine {
	PTX_COMBINE_NONE,
	PTX_COMBINE_AND,
	PTX_COMBINE_OR,
	PTX_COMBINE_XOR,
};

/* d, e = a ? b, combined with c; count: what is accepted; target: how it is
 * combined; type. */
ptx_run_fn ptx_exec_setp;
/* The same with a number for d, of from_type. */
ptx_run_fn ptx_exec_set;
/* The same for numbers of 16 bits: setp of two of them in a register has a
 * predicate for each. */
ptx_run_fn ptx_exec_setp_halves, ptx_exec_set_halves;
/* x and y, combined as enum ptx_combine says. */
uint32_t ptx_combine(uint32_t x, uint32_t y, uint32_t how);
/* d = a is one of the kinds in mode: NaN 1, infinite 2, subnormal 4, normal 8,
 * zero 16 */
ptx_run_fn ptx_exec_testp;

/* d = a, of `bytes` each; 0: predicates. */
ptx_run_fn ptx_exec_mov;
/* d = a + b, of 8 bytes */
ptx_run_fn ptx_exec_sum;
/* d = not a, of predicates */
ptx_run_fn ptx_exec_not;
/* d is made of the elements in list, or a taken apart into them; an element of
 * UINT32_MAX is left out. bytes: of an element */
ptx_run_fn ptx_exec_pack, ptx_exec_unpack;
/* d = the clock; bytes; mode 1: nanoseconds */
ptx_run_fn ptx_exec_clock;
/* d = lanes that are here */
ptx_run_fn ptx_exec_activemask;

/* d of type = a of from_type; bytes: width of register d, count: of a; mode;
 * target: PTX_MODE_... to a whole number + 1, or 0. */
ptx_run_fn ptx_exec_cvt;
/* d = two numbers of 16 bits, of a and b, which are floats. */
ptx_run_fn ptx_exec_cvt_pair;

/* Memory: the address is a + value, or 32 bits of that; window, generic. The
 * list has pairs: the slot of an element, and its width in bytes; type: of an
 * element in memory. */
ptx_run_fn ptx_exec_load, ptx_exec_store;
/* The same of one element of 4 or 8 bytes, which is as wide as its register. */
ptx_run_fn ptx_exec_load_4, ptx_exec_load_8;
/* The kernel's own parameters: at value, the same for all lanes. */
ptx_run_fn ptx_exec_load_param;
/* From [a + value] to [b], `count` bytes, e of which are read */
ptx_run_fn ptx_exec_copy_async;
/* d = old, [a] = old op b (c); mode: enum ptx_atomic; d may be UINT32_MAX */
ptx_run_fn ptx_exec_atomic;
/* d = a + window, or a - window; from generic if mode is 1; bytes */
ptx_run_fn ptx_exec_cvta;
/* d = whether a is in the window */
ptx_run_fn ptx_exec_isspacep;
ptx_run_fn ptx_exec_fence;
/* d of `bytes` has what was at a + value. Lanes that are told the same again
 * and again rest, and so does their block. */
ptx_run_fn ptx_exec_ask;
ptx_run_fn ptx_exec_nothing;

enum ptx_atomic {
	PTX_ATOMIC_ADD,
	PTX_ATOMIC_AND,
	PTX_ATOMIC_OR,
	PTX_ATOMIC_XOR,
	PTX_ATOMIC_MIN,
	PTX_ATOMIC_MAX,
	PTX_ATOMIC_INC,
	PTX_ATOMIC_DEC,
	PTX_ATOMIC_EXCH,
	PTX_ATOMIC_CAS,
};

enum ptx_shuffle {
	PTX_SHUFFLE_UP,
	PTX_SHUFFLE_DOWN,
	PTX_SHUFFLE_BFLY,
	PTX_SHUFFLE_IDX
};

/* d = a of another lane, given by b and c; e: whether there is one; mode */
ptx_run_fn ptx_exec_shuffle;
enum ptx_vote { PTX_VOTE_ALL, PTX_VOTE_ANY, PTX_VOTE_UNI, PTX_VOTE_BALLOT };
/* d = of predicate a; mode */
ptx_run_fn ptx_exec_vote;
/* d = lanes with the same a; mode 1: 0 unless all have; e: whether; bytes */
ptx_run_fn ptx_exec_match;
/* d = all lanes' a; mode: enum ptx_atomic; type */
ptx_run_fn ptx_exec_redux;
/* One lane of those in the mask is chosen: d is its number, e who it is. */
ptx_run_fn ptx_exec_elect;

/* Four channels of texture a: the list has the slots of three coordinates, of
 * the results and of what is below; type, from_type (F32, or of whole numbers);
 * mode: what is below, and dimensions; target: enum ptx_detail_how; count: of
 * slopes; e: the channel of a gather. */
ptx_run_fn ptx_exec_texture;
enum {
	PTX_TEXTURE_COORDINATES = 0,
	PTX_TEXTURE_CHANNELS = 3,
	PTX_TEXTURE_CUBE_LAYER = 7,
	PTX_TEXTURE_LEVEL = 8, /* or slopes: x, y, z, and then the others */
	PTX_TEXTURE_SLOTS = 14,
};
/* Bytes of surface a: the list has the slots of three coordinates, and `count`
 * pairs of slot and width; bytes; mode; target: enum ptx_surface. */
ptx_run_fn ptx_exec_surface_load, ptx_exec_surface_store;
/* d = width, height or depth of a, as target says: 0, 1, 2 */
ptx_run_fn ptx_exec_texture_size;
enum { PTX_TEXTURE_LAYERS = 8, PTX_TEXTURE_CUBE = 16 };
enum ptx_surface { PTX_SURFACE_TRAP, PTX_SURFACE_CLAMP, PTX_SURFACE_ZERO };

/* list is a struct ptx_matrix: d = a * b + c; or d and memory at a + value,
 * where b says how many elements rows are apart. */
ptx_run_fn ptx_exec_matrix_multiply;
ptx_run_fn ptx_exec_matrix_load, ptx_exec_matrix_store;
/* The same for rows whose addresses lanes have: ldmatrix. */
ptx_run_fn ptx_exec_matrix_rows;
/* d = a, of which a tf32 is left */
ptx_run_fn ptx_exec_cvt_tf32;

/* d = of a and b, and c: list is a struct ptx_video. */
ptx_run_fn ptx_exec_video;

/* Of the mbarrier at a + value. d may be UINT32_MAX. */
enum { PTX_MBARRIER_DROP = 1, PTX_MBARRIER_PARITY };
/* b: how many arrivals make a phase */
ptx_run_fn ptx_exec_mbarrier_init;
/* d = the state before b arrivals; mode: DROP */
ptx_run_fn ptx_exec_mbarrier_arrive;
/* d = whether the phase of state b is complete, or of parity b: mode PARITY */
ptx_run_fn ptx_exec_mbarrier_test;
/* d = arrivals that state a waits for */
ptx_run_fn ptx_exec_mbarrier_pending;
/* Lanes rest until others of the warp, and other warps, have had a turn. */
ptx_run_fn ptx_exec_rest;

/* printf: what the parameters at list[0] and list[1] plus e point to */
ptx_run_fn ptx_exec_print;
/* A failed assertion: message, file and line are in the list. */
ptx_run_fn ptx_exec_assert;
/* malloc and free, and cudaGraphSetConditional: likewise, and malloc's result
 * is at list[1]. */
ptx_run_fn ptx_exec_malloc, ptx_exec_free, ptx_exec_condition;
/* Parameter list[which] of what is called so, `bytes` of it. */
uint64_t ptx_outside_param(const struct ptx_warp *warp, const struct ptx_op *op,
			   unsigned int lane, uint32_t which, size_t bytes);
/* Moves `count` bytes in a thread's memory, from value + a to target + b; at
 * calls. */
ptx_run_fn ptx_exec_param_copy;
/* Makes room in a thread's memory for a call of routine `target`. */
ptx_run_fn ptx_exec_frame;

/* The result of the function that slot a says, to value + b: `count` bytes. */
ptx_run_fn ptx_exec_result_copy;

/* In another mode of rounding, flushing and saturation: inner, mode. */
ptx_run_fn ptx_exec_in_mode;

#endif
