/* A kernel is made ready to run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "encode.h"

static void instruction_encode(struct ptx_encoder *encoder)
{
	if (!ptx_encode_flow(encoder) && !ptx_encode_memory(encoder) &&
	    !ptx_encode_moves(encoder) && !ptx_encode_warp(encoder) &&
	    !ptx_encode_async(encoder) && !ptx_encode_texture(encoder) &&
	    !ptx_encode_video(encoder) && !ptx_encode_matrix(encoder) &&
	    !ptx_encode_rows(encoder))
		ptx_encode_unsupported(encoder);
}

static void registers_make(struct ptx_encoder *encoder)
{
	const struct ptx_function *function = encoder->function;

	encoder->registers =
		ptx_encode_get(encoder, function->register_count *
						sizeof(*encoder->registers));
	for (size_t i = 0; i < function->register_count; i++) {
		enum ptx_type type = function->registers[i];

		encoder->registers[i] = ptx_encode_kept(
			encoder, type == PTX_PRED ? 0 : ptx_type_bytes(type));
	}
}

/* What has to be kept while a function calls itself. */
static void kept_set(struct ptx_encoder *encoder)
{
	struct ptx_routine *routine =
		&encoder->program->routines[encoder->routine];

	routine->kept = encoder->kept;
	routine->kept_count = encoder->kept_count;
	for (uint32_t i = 0; i < encoder->kept_count; i++)
		routine->kept_bytes +=
			encoder->kept[i].bytes ? encoder->kept[i].bytes : 1;
}

/* The code of a function is in one piece, and ends with a return. */
static void function_encode(struct ptx_encoder *encoder)
{
	const struct ptx_function *function = encoder->function;
	struct ptx_program *program = encoder->program;
	uint32_t *starts;

	if (!function->body)
		return;
	starts = ptx_encode_get(encoder,
				(function->code_count + 1) * sizeof(*starts));
	encoder->kept = NULL;
	encoder->kept_count = encoder->kept_room = 0;
	registers_make(encoder);
	encoder->fixup_count = 0;
	for (size_t i = 0; i < function->code_count; i++) {
		starts[i] = program->op_count;
		encoder->ins = &function->code[i];
		instruction_encode(encoder);
	}
	starts[function->code_count] = program->op_count;
	encoder->ins = NULL;
	ptx_encode_return(encoder);
	for (uint32_t i = 0; i < encoder->fixup_count; i++) {
		const struct ptx_fixup *fixup = &encoder->fixups[i];

		*(fixup->entry ? fixup->entry
			       : &program->ops[fixup->op].target) =
			starts[fixup->at];
	}
	kept_set(encoder);
}

/* A function that is called by its address only may have what is not supported,
 * and so may what such functions call: that shows when it is called. */
static void optional_encode(struct ptx_encoder *encoder)
{
	struct ptx_program *program = encoder->program;
	struct ptx_routine *routine = &program->routines[encoder->routine];
	uint32_t begin = program->op_count;
	jmp_buf failed;
	char *why;

	memcpy(&failed, &encoder->failed, sizeof(failed));
	/* NOLINTNEXTLINE(cert-err52-cpp): this is C */
	if (!setjmp(encoder->failed)) {
		function_encode(encoder);
		memcpy(&encoder->failed, &failed, sizeof(failed));
		return;
	}
	memcpy(&encoder->failed, &failed, sizeof(failed));
	program->op_count = begin;
	encoder->ins = NULL;
	why = ptx_encode_get(encoder, sizeof(encoder->error->text));
	strcpy(why, encoder->error->text);
	routine->refused = why;
}

static struct ptx_piece piece_of(const struct ptx_encoder *encoder,
				 const struct ptx_symbol *symbol)
{
	return symbol && symbol->space == PTX_IN_PARAM
		       ? ptx_encode_piece(encoder, symbol)
		       : (struct ptx_piece){0};
}

static struct ptx_routine routine_make(struct ptx_encoder *encoder,
				       const struct ptx_function *function,
				       bool recursive)
{
	size_t number = ptx_reach_number(&encoder->reach, function);
	uint32_t zero = ptx_encode_number(encoder, 8, 0);
	struct ptx_routine made = {
		.pointed = function->pointed && function->body,
		.recursive = recursive,
		.address = function->address,
		.frame = encoder->reach.frames[number],
		.back = ptx_encode_slot(encoder, 4),
		.active = ptx_encode_slot(encoder, 0),
		.delta = recursive ? ptx_encode_slot(encoder, 8) : zero,
		.next = recursive ? ptx_encode_slot(encoder, 8) : zero,
		.last = recursive ? ptx_encode_slot(encoder, 8) : zero,
	};
	struct ptx_piece *params;

	if (function->entry)
		return made;
	for (const struct ptx_symbol *at = function->params; at; at = at->next)
		made.param_count++;
	params = ptx_encode_get(encoder, made.param_count * sizeof(*params));
	made.params = params;
	for (const struct ptx_symbol *at = function->params; at; at = at->next)
		*params++ = piece_of(encoder, at);
	made.result = piece_of(encoder, function->results);
	return made;
}

static void routines_make(struct ptx_encoder *encoder)
{
	struct ptx_program *program = encoder->program;
	const struct ptx_reach *reach = &encoder->reach;
	bool *recursive = ptx_encode_get(encoder, reach->function_count);

	ptx_reach_recursion(reach, recursive);
	program->routines = ptx_encode_get(
		encoder, reach->function_count * sizeof(*program->routines));
	program->routine_count = (uint32_t)reach->function_count;
	for (uint32_t i = 0; i < program->routine_count; i++) {
		program->routines[i] = routine_make(
			encoder, reach->functions[i], recursive[i]);
		program->recursive |= recursive[i];
	}
}

/* Both are more than a device has. */
enum { THREAD_MOST = 1 << 20, SHARED_MOST = 1 << 20 };

static void program_encode(struct ptx_encoder *encoder)
{
	struct ptx_program *program = encoder->program;
	const struct ptx_reach *reach = &encoder->reach;

	program->shared_bytes = reach->shared_bytes;
	program->dynamic = reach->dynamic;
	program->thread_bytes = (reach->thread_bytes + 15) & ~(size_t)15;
	if (program->thread_bytes > THREAD_MOST ||
	    program->dynamic > SHARED_MOST)
		ptx_encode_fail(encoder, "too much local or shared memory");
	encoder->always = ptx_encode_number(encoder, 0, 1);
	encoder->carry = ptx_encode_slot(encoder, 0);
	routines_make(encoder);
	for (uint32_t i = 0; i < program->routine_count; i++) {
		encoder->function = reach->functions[i];
		encoder->routine = i;
		program->routines[i].entry = program->op_count;
		if (i < reach->direct_count)
			function_encode(encoder);
		else
			optional_encode(encoder);
	}
	program->frame_bytes = (program->frame_bytes + 63) & ~UINT32_C(63);
	program->apart = ptx_blocks_apart(reach);
}

/* Counts the plain operations without a guard that stand together. */
static void straight_find(const struct ptx_encoder *encoder)
{
	const struct ptx_program *program = encoder->program;
	uint32_t straight = 0;

	for (uint32_t i = program->op_count; i > 0; i--) {
		struct ptx_op *op = &program->ops[i - 1];
		bool is = op->step == PTX_STEP_PLAIN &&
			  op->guard == encoder->always && !op->guard_flip;

		straight = is ? straight + 1 : 0;
		op->straight = straight;
	}
}

/* Where ptx_encode_fail() comes back to. */
static bool encode_try(struct ptx_encoder *encoder)
{
	/* NOLINTNEXTLINE(cert-err52-cpp): this is C */
	if (setjmp(encoder->failed))
		return false;
	program_encode(encoder);
	straight_find(encoder);
	*encoder->error = (struct ptx_error){0};
	return true;
}

static const struct ptx_function *function_of(const struct ptx_module *module,
					      const struct ptx_kernel *kernel)
{
	const struct ptx_function *at = module->functions;

	while (&at->kernel != kernel)
		at = at->next;
	return at;
}

struct ptx_program *ptx_prepare(const struct ptx_module *module,
				const struct ptx_kernel *kernel,
				struct ptx_error *error)
{
	struct ptx_program *program = calloc(1, sizeof(*program));
	struct ptx_encoder *encoder = calloc(1, sizeof(*encoder));
	struct ptx_error unused;
	bool ok = false;

	error = error ? error : &unused;
	*error = (struct ptx_error){0, "out of memory"};
	if (program && encoder && ptx_reach_open(&encoder->reach, module)) {
		ptx_reach_walk(&encoder->reach, function_of(module, kernel));
		program->module = module;
		program->kernel = kernel;
		encoder->program = program;
		encoder->error = error;
		ok = encode_try(encoder);
		ptx_reach_close(&encoder->reach);
	}
	free(encoder);
	if (ok)
		return program;
	ptx_program_free(program);
	return NULL;
}

bool ptx_program_takes(const struct ptx_program *program)
{
	return program->takes;
}

void ptx_program_free(struct ptx_program *program)
{
	if (program)
		ptx_arena_free(&program->arena);
	free(program);
}

bool ptx_can_run(const struct ptx_module *module,
		 const struct ptx_kernel *kernel, struct ptx_error *why)
{
	struct ptx_program *program = ptx_prepare(module, kernel, why);

	ptx_program_free(program);
	return program != NULL;
}
