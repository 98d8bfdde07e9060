/* Slots, constants and operands. */
#include "encode.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FRAME_MOST (16u << 20)

void ptx_encode_fail(struct ptx_encoder *encoder, const char *format, ...)
{
	va_list args;

	encoder->error->line = encoder->ins ? encoder->ins->line : 0;
	va_start(args, format);
	vsnprintf(encoder->error->text, sizeof(encoder->error->text), format,
		  args);
	va_end(args);
	longjmp(encoder->failed, 1);
}

void ptx_encode_unsupported(struct ptx_encoder *encoder)
{
	const struct ptx_instruction *ins = encoder->ins;
	char name[100];
	size_t length = 0;

	length += (size_t)snprintf(name, sizeof(name), "%.40s", ins->name);
	for (unsigned int i = 0; i < ins->mod_count && length < 60; i++)
		length += (size_t)snprintf(name + length, sizeof(name) - length,
					   ".%.30s", ins->mods[i]);
	ptx_encode_fail(encoder, "'%s' is not supported", name);
}

void *ptx_encode_get(struct ptx_encoder *encoder, size_t size)
{
	void *found = ptx_arena_get(&encoder->program->arena, size);

	if (!found)
		ptx_encode_fail(encoder, "out of memory");
	return found;
}

uint32_t ptx_encode_slot(struct ptx_encoder *encoder, size_t bytes)
{
	uint32_t *used = &encoder->program->frame_bytes;
	uint32_t size = bytes ? (uint32_t)bytes * PTX_LANES : sizeof(uint32_t);
	uint32_t slot = bytes ? (*used + 63) & ~UINT32_C(63) : *used;

	if (slot > FRAME_MOST)
		ptx_encode_fail(encoder, "too many registers");
	*used = slot + size;
	return slot;
}

/* Makes room for one more in an array of the program. */
static void *grow(struct ptx_encoder *encoder, void *array, uint32_t count,
		  uint32_t *room, size_t size)
{
	void *more;

	if (count < *room)
		return array;
	*room = count ? count * 2 : 16;
	more = ptx_encode_get(encoder, *room * size);
	if (count)
		memcpy(more, array, count * size);
	return more;
}

uint32_t ptx_encode_kept(struct ptx_encoder *encoder, size_t bytes)
{
	struct ptx_routine *routine =
		&encoder->program->routines[encoder->routine];
	uint32_t slot = ptx_encode_slot(encoder, bytes);

	if (!routine->recursive)
		return slot;
	encoder->kept = grow(encoder, encoder->kept, encoder->kept_count,
			     &encoder->kept_room, sizeof(*encoder->kept));
	encoder->kept[encoder->kept_count++] =
		(struct ptx_kept){slot, (uint32_t)bytes};
	return slot;
}

struct ptx_piece ptx_encode_piece(const struct ptx_encoder *encoder,
				  const struct ptx_symbol *symbol)
{
	return (struct ptx_piece){
		.place = (uint32_t)encoder->reach.places[symbol->index],
		.size = (uint32_t)symbol->size,
	};
}

uint32_t ptx_encode_delta(const struct ptx_encoder *encoder)
{
	return encoder->program->routines[encoder->routine].delta;
}

uint32_t ptx_encode_constant(struct ptx_encoder *encoder,
			     struct ptx_constant wanted)
{
	struct ptx_program *program = encoder->program;

	if (wanted.bytes > sizeof(wanted.bits))
		ptx_encode_unsupported(encoder);
	for (uint32_t i = 0; i < program->constant_count; i++) {
		const struct ptx_constant *at = &program->constants[i];

		if (at->kind == wanted.kind && at->bytes == wanted.bytes &&
		    at->bits == wanted.bits && at->variable == wanted.variable)
			return at->slot;
	}
	wanted.slot = ptx_encode_slot(encoder, wanted.bytes);
	program->constants =
		grow(encoder, program->constants, program->constant_count,
		     &encoder->constant_room, sizeof(wanted));
	program->constants[program->constant_count++] = wanted;
	return wanted.slot;
}

uint32_t ptx_encode_number(struct ptx_encoder *encoder, size_t bytes,
			   uint64_t bits)
{
	if (bytes < 8 && bytes)
		bits &= (UINT64_C(1) << 8 * bytes) - 1;
	else if (!bytes)
		bits = bits != 0;
	return ptx_encode_constant(
		encoder,
		(struct ptx_constant){.bytes = (uint8_t)bytes, .bits = bits});
}

static uint32_t special_read(struct ptx_encoder *encoder,
			     const struct ptx_operand *operand, size_t bytes)
{
	/* clang-format off */
	static const struct ptx_word names[] = {
		{"%tid", PTX_SPECIAL_TID}, {"%ntid", PTX_SPECIAL_NTID},
		{"%ctaid", PTX_SPECIAL_CTAID}, {"%nctaid", PTX_SPECIAL_NCTAID},
		{"%laneid", PTX_SPECIAL_LANEID},
		{"%warpid", PTX_SPECIAL_WARPID},
		{"%nwarpid", PTX_SPECIAL_NWARPID},
		{"%gridid", PTX_SPECIAL_ZERO}, {"%smid", PTX_SPECIAL_ZERO},
		{"%nsmid", PTX_SPECIAL_ONE},
		{"%lanemask_eq", PTX_SPECIAL_LANEMASK_EQ},
		{"%lanemask_le", PTX_SPECIAL_LANEMASK_LE},
		{"%lanemask_lt", PTX_SPECIAL_LANEMASK_LT},
		{"%lanemask_ge", PTX_SPECIAL_LANEMASK_GE},
		{"%lanemask_gt", PTX_SPECIAL_LANEMASK_GT},
		{"%dynamic_smem_size", PTX_SPECIAL_DYNAMIC_SMEM},
		{"%total_smem_size", PTX_SPECIAL_TOTAL_SMEM},
		{"%reserved_smem_offset_1", PTX_SPECIAL_RESERVED_SMEM},
		{"%cluster_ctaid", PTX_SPECIAL_ZERO},
		{"%cluster_nctaid", PTX_SPECIAL_ONE},
		{"%cluster_ctarank", PTX_SPECIAL_ZERO},
		{"%cluster_nctarank", PTX_SPECIAL_ONE},
		{"%clusterid", PTX_SPECIAL_CTAID},
		{"%nclusterid", PTX_SPECIAL_NCTAID},
		{NULL, 0},
	};
	/* clang-format on */
	struct ptx_program *program = encoder->program;
	const struct ptx_word *at = names;
	struct ptx_special made = {.part = operand->part};

	if (bytes == 4 && (!strcmp(operand->name, "%envreg1") ||
			   !strcmp(operand->name, "%envreg2")))
		return ptx_encode_constant(
			encoder,
			(struct ptx_constant){
				.kind = PTX_CONSTANT_GRID,
				.bytes = 4,
				.bits = operand->name[7] == '1' ? 32 : 0,
			});
	while (at->name && strcmp(at->name, operand->name))
		at++;
	if (!at->name || bytes != 4)
		ptx_encode_fail(encoder, "'%.40s' is not supported",
				operand->name);
	made.which = (uint8_t)at->value;
	program->reserves |= made.which == PTX_SPECIAL_RESERVED_SMEM;
	for (uint32_t i = 0; i < program->special_count; i++)
		if (program->specials[i].which == made.which &&
		    program->specials[i].part == made.part)
			return program->specials[i].slot;
	made.slot = ptx_encode_slot(encoder, 4);
	program->specials =
		grow(encoder, program->specials, program->special_count,
		     &encoder->special_room, sizeof(made));
	program->specials[program->special_count++] = made;
	return made.slot;
}

/* The address of what is in the function's memory, which may have moved. */
static uint32_t moved_read(struct ptx_encoder *encoder, uint32_t address,
			   size_t bytes)
{
	struct ptx_op *op;
	uint32_t slot;

	if (!encoder->program->routines[encoder->routine].recursive)
		return address;
	if (bytes != 8)
		ptx_encode_unsupported(encoder);
	slot = ptx_encode_slot(encoder, bytes);
	op = ptx_encode_emit(encoder, ptx_exec_sum);
	op->d = slot;
	op->a = address;
	op->b = ptx_encode_delta(encoder);
	return slot;
}

/* The address of a variable or parameter, plus what stands behind it. */
static uint32_t symbol_read(struct ptx_encoder *encoder,
			    const struct ptx_operand *operand, size_t bytes)
{
	const struct ptx_symbol *symbol = operand->symbol;
	struct ptx_constant made = {.bytes = (uint8_t)bytes,
				    .bits = (uint64_t)operand->value};
	size_t place = encoder->reach.places[symbol->index];

	if (bytes != 4 && bytes != 8)
		ptx_encode_unsupported(encoder);
	if (symbol->of_kernel) {
		made.kind = PTX_CONSTANT_PARAM;
		made.bits += symbol->offset;
	} else if (symbol->variable) {
		if (ptx_type_class(symbol->type) == PTX_CLASS_HANDLE)
			ptx_encode_fail(encoder, "textures are not supported");
		made.kind = PTX_CONSTANT_VARIABLE;
		made.variable = symbol->variable;
	} else if (symbol->space == PTX_IN_PARAM) {
		made.bits +=
			place + ((uint64_t)PTX_WINDOW_LOCAL << PTX_WINDOW_BITS);
	} else if (symbol->space == PTX_IN_REGISTER) {
		ptx_encode_fail(encoder, "parameters in registers are not "
					 "supported");
	} else {
		made.bits += place;
	}
	if (symbol->of_kernel ||
	    (symbol->space != PTX_IN_PARAM && symbol->space != PTX_IN_LOCAL))
		return ptx_encode_constant(encoder, made);
	return moved_read(encoder, ptx_encode_constant(encoder, made), bytes);
}

static uint32_t real_read(struct ptx_encoder *encoder,
			  const struct ptx_operand *operand, size_t bytes)
{
	uint64_t bits = (uint64_t)operand->value;
	float single = (float)operand->real;

	if (bytes == 8) {
		memcpy(&bits, &operand->real, sizeof(bits));
	} else if (operand->type != PTX_F32) {
		bits = 0;
		memcpy(&bits, &single, sizeof(single));
	}
	return ptx_encode_number(encoder, bytes, bits);
}

size_t ptx_encode_width(const struct ptx_operand *operand, size_t bytes)
{
	if (operand->kind == PTX_SPECIAL)
		return 4;
	if (operand->kind != PTX_REGISTER)
		return bytes;
	return operand->type == PTX_PRED ? 0 : ptx_type_bytes(operand->type);
}

static uint32_t register_slot(struct ptx_encoder *encoder,
			      const struct ptx_operand *operand, size_t bytes)
{
	if (operand->selected)
		ptx_encode_fail(encoder, "'%.40s.%.20s' is not supported",
				operand->name, operand->selected);
	if (ptx_encode_width(operand, bytes) != bytes || bytes > 8 ||
	    operand->type == PTX_B8)
		ptx_encode_fail(encoder,
				"'%.40s' does not have the size that "
				"'%.20s' needs",
				operand->name, encoder->ins->name);
	return encoder->registers[operand->reg];
}

uint32_t ptx_encode_read(struct ptx_encoder *encoder,
			 const struct ptx_operand *operand, size_t bytes)
{
	uint32_t slot, opposite;
	struct ptx_op *op;

	/* Only a predicate has an opposite. */
	if (operand->negated && (operand->kind != PTX_REGISTER || bytes))
		ptx_encode_unsupported(encoder);
	switch (operand->kind) {
	case PTX_REGISTER:
		slot = register_slot(encoder, operand, bytes);
		if (!operand->negated)
			return slot;
		/* !p is another predicate, made in front. */
		opposite = ptx_encode_slot(encoder, 0);
		op = ptx_encode_emit(encoder, ptx_exec_not);
		op->d = opposite;
		op->a = slot;
		return opposite;
	case PTX_INTEGER:
		return ptx_encode_number(encoder, bytes,
					 (uint64_t)operand->value);
	case PTX_REAL:
		return real_read(encoder, operand, bytes);
	case PTX_SPECIAL:
		return special_read(encoder, operand, bytes);
	case PTX_SYMBOL:
		return symbol_read(encoder, operand, bytes);
	case PTX_FUNCTION:
		return ptx_encode_number(
			encoder, bytes,
			ptx_function_real(operand->function)->address);
	default:
		ptx_encode_unsupported(encoder);
	}
}

uint32_t ptx_encode_write(struct ptx_encoder *encoder,
			  const struct ptx_operand *operand, size_t bytes)
{
	if (operand->kind == PTX_NOTHING)
		return ptx_encode_slot(encoder, bytes);
	if (operand->kind != PTX_REGISTER || operand->negated)
		ptx_encode_unsupported(encoder);
	return register_slot(encoder, operand, bytes);
}

const struct ptx_operand *ptx_encode_operand(struct ptx_encoder *encoder,
					     unsigned int i)
{
	if (i >= encoder->ins->operand_count)
		ptx_encode_fail(encoder, "'%.40s' lacks an operand",
				encoder->ins->name);
	return &encoder->ins->operands[i];
}

enum ptx_type ptx_encode_type(struct ptx_encoder *encoder, unsigned int i)
{
	if (i >= encoder->ins->type_count)
		ptx_encode_unsupported(encoder);
	return encoder->ins->types[i];
}

struct ptx_op *ptx_encode_emit(struct ptx_encoder *encoder, ptx_run_fn *run)
{
	struct ptx_program *program = encoder->program;
	const struct ptx_instruction *ins = encoder->ins;
	struct ptx_op *op;

	program->ops = grow(encoder, program->ops, program->op_count,
			    &encoder->op_room, sizeof(*op));
	op = &program->ops[program->op_count++];
	op->run = run;
	op->guard = encoder->always;
	if (ins) {
		op->line = ins->line;
		if (ins->guarded) {
			op->guard = encoder->registers[ins->guard];
			op->guard_flip = ins->guard_negated ? PTX_ALL_LANES : 0;
		}
	}
	return op;
}

void ptx_encode_fixup(struct ptx_encoder *encoder, struct ptx_op *op,
		      uint32_t *entry, size_t at)
{
	encoder->fixups = grow(encoder, encoder->fixups, encoder->fixup_count,
			       &encoder->fixup_room, sizeof(*encoder->fixups));
	encoder->fixups[encoder->fixup_count++] = (struct ptx_fixup){
		.op = (uint32_t)(op - encoder->program->ops),
		.entry = entry,
		.at = at,
	};
}
