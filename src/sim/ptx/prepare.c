/* A kernel is made ready to run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"

static void instruction_encode(struct ptx_encoder *encoder)
{
	if (!ptx_encode_flow(encoder) && !ptx_encode_memory(encoder) &&
	    !ptx_encode_moves(encoder) && !ptx_encode_warp(encoder) &&
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

		encoder->registers[i] = ptx_encode_slot(
			encoder, type == PTX_PRED ? 0 : ptx_type_bytes(type));
	}
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
}

static struct ptx_piece piece_of(const struct ptx_encoder *encoder,
				 const struct ptx_symbol *symbol)
{
	if (!symbol || symbol->space != PTX_IN_PARAM)
		return (struct ptx_piece){0};
	return (struct ptx_piece){
		.place = (uint32_t)(encoder->program->thread_params +
				    encoder->reach.places[symbol->index]),
		.size = (uint32_t)symbol->size,
	};
}

static struct ptx_routine routine_make(struct ptx_encoder *encoder,
				       const struct ptx_function *function)
{
	struct ptx_routine made = {
		.pointed = function->pointed && function->body,
		.address = function->address,
		.back = ptx_encode_slot(encoder, 4),
		.active = ptx_encode_slot(encoder, 0),
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

/* Both are more than a device has. */
enum { THREAD_MOST = 1 << 20, SHARED_MOST = 1 << 20 };

static void program_encode(struct ptx_encoder *encoder)
{
	struct ptx_program *program = encoder->program;
	const struct ptx_reach *reach = &encoder->reach;

	program->shared_bytes = reach->shared_bytes;
	program->dynamic = reach->dynamic;
	program->thread_params = (reach->local_bytes + 15) & ~(size_t)15;
	program->thread_bytes =
		(program->thread_params + reach->param_bytes + 15) &
		~(size_t)15;
	if (program->thread_bytes > THREAD_MOST ||
	    program->dynamic > SHARED_MOST)
		ptx_encode_fail(encoder, "too much local or shared memory");
	encoder->always = ptx_encode_number(encoder, 0, 1);
	encoder->carry = ptx_encode_slot(encoder, 0);
	program->routines = ptx_encode_get(
		encoder, reach->function_count * sizeof(*program->routines));
	program->routine_count = (uint32_t)reach->function_count;
	for (uint32_t i = 0; i < program->routine_count; i++)
		program->routines[i] =
			routine_make(encoder, reach->functions[i]);
	for (uint32_t i = 0; i < program->routine_count; i++) {
		encoder->function = reach->functions[i];
		encoder->routine = i;
		program->routines[i].entry = program->op_count;
		function_encode(encoder);
	}
	program->frame_bytes = (program->frame_bytes + 63) & ~UINT32_C(63);
}

/* Where ptx_encode_fail() comes back to. */
static bool encode_try(struct ptx_encoder *encoder)
{
	/* NOLINTNEXTLINE(cert-err52-cpp): this is C */
	if (setjmp(encoder->failed))
		return false;
	program_encode(encoder);
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
