/* How a kernel's instructions become operations. */
#ifndef SIM_PTX_ENCODE_H
#define SIM_PTX_ENCODE_H

#include <setjmp.h>

#include "exec.h"

/* A place in the code that is not known yet. */
struct ptx_fixup {
	uint32_t op;     /* whose target it is; or */
	uint32_t *entry; /* what of a table, if that is not NULL */
	size_t at;       /* an instruction of the function */
};

struct ptx_encoder {
	struct ptx_program *program;
	struct ptx_reach reach;
	struct ptx_error *error;
	const struct ptx_function *function;
	const struct ptx_instruction *ins;
	uint32_t *registers;   /* slots, of the function */
	uint32_t routine;      /* which one the function is */
	struct ptx_kept *kept; /* of the function, if it is recursive */
	uint32_t kept_count, kept_room;
	uint32_t always; /* the slot of a predicate that is true */
	uint32_t carry;  /* the slot of the carries */
	uint32_t op_room, constant_room, special_room;
	struct ptx_fixup *fixups;
	uint32_t fixup_count, fixup_room;
	jmp_buf failed;
};

/* Ends the preparation: what is not supported, with the current line. */
_Noreturn void ptx_encode_fail(struct ptx_encoder *encoder, const char *format,
			       ...) __attribute__((format(printf, 2, 3)));
/* The same, with the instruction's name and modifiers. */
_Noreturn void ptx_encode_unsupported(struct ptx_encoder *encoder);

void *ptx_encode_get(struct ptx_encoder *encoder, size_t size);
/* A new slot of this width; 0: of a predicate. */
uint32_t ptx_encode_slot(struct ptx_encoder *encoder, size_t bytes);
/* The same for what has to stay while the function calls itself. */
uint32_t ptx_encode_kept(struct ptx_encoder *encoder, size_t bytes);
/* Where a parameter or variable is in a thread's memory, without the delta of
 * its function. */
struct ptx_piece ptx_encode_piece(const struct ptx_encoder *encoder,
				  const struct ptx_symbol *symbol);
/* The slot of the delta of the function. */
uint32_t ptx_encode_delta(const struct ptx_encoder *encoder);
uint32_t ptx_encode_constant(struct ptx_encoder *encoder,
			     struct ptx_constant wanted);
uint32_t ptx_encode_number(struct ptx_encoder *encoder, size_t bytes,
			   uint64_t bits);

/* The slot of an operand that is read or written, of this width. A wider or a
 * narrower register is an error. */
uint32_t ptx_encode_read(struct ptx_encoder *encoder,
			 const struct ptx_operand *operand, size_t bytes);
uint32_t ptx_encode_write(struct ptx_encoder *encoder,
			  const struct ptx_operand *operand, size_t bytes);
/* The width of a register; or, if it is none, `bytes`. */
size_t ptx_encode_width(const struct ptx_operand *operand, size_t bytes);
/* Operand i of the instruction; fails if there is none. */
const struct ptx_operand *ptx_encode_operand(struct ptx_encoder *encoder,
					     unsigned int i);
/* Type i of the instruction; fails if there is none. */
enum ptx_type ptx_encode_type(struct ptx_encoder *encoder, unsigned int i);

/* The address [a + 4]: only the fields for it are filled. Then these fields of
 * an operation. */
struct ptx_op ptx_encode_address(struct ptx_encoder *encoder,
				 const struct ptx_operand *memory);
void ptx_encode_address_set(struct ptx_op *op, const struct ptx_op *made);

/* Adds an operation with the instruction's guard. */
struct ptx_op *ptx_encode_emit(struct ptx_encoder *encoder, ptx_run_fn *run);
/* The same that jumps to an instruction of the function. */
void ptx_encode_fixup(struct ptx_encoder *encoder, struct ptx_op *op,
		      uint32_t *entry, size_t at);

/* Fails if the instruction has a modifier that is neither a type nor in this
 * list, where names are separated by blanks; one that ends with * stands for
 * all that begin so. */
void ptx_encode_mods(struct ptx_encoder *encoder, const char *list);
/* The first of the names of a table that is a modifier; NULL if there is none.
 * The last row has no name. */
struct ptx_word {
	const char *name;
	unsigned int value;
};

const struct ptx_word *ptx_encode_word(const struct ptx_encoder *encoder,
				       const struct ptx_word *words);
/* The rounding mode, flushing and saturation that the modifiers say. */
unsigned int ptx_encode_mode(const struct ptx_encoder *encoder);

/* Instructions: each returns false if it knows none of this name. */
/* The end of a function. */
void ptx_encode_return(struct ptx_encoder *encoder);
bool ptx_encode_flow(struct ptx_encoder *encoder);
bool ptx_encode_call(struct ptx_encoder *encoder);
bool ptx_encode_memory(struct ptx_encoder *encoder);
bool ptx_encode_async(struct ptx_encoder *encoder);
bool ptx_encode_moves(struct ptx_encoder *encoder);
bool ptx_encode_warp(struct ptx_encoder *encoder);
bool ptx_encode_texture(struct ptx_encoder *encoder);
bool ptx_encode_matrix(struct ptx_encoder *encoder);
bool ptx_encode_video(struct ptx_encoder *encoder);
bool ptx_encode_rows(struct ptx_encoder *encoder);

#endif
