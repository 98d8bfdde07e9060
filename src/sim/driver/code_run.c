#include <cuda.h>

#include "code_run.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "code.h"
#include "code_texture.h"
#include "condition.h"
#include "context.h"
#include "extent.h"
#include "heap.h"
#include "op.h"
#include "standin.h"
#include "threads.h"
#include "variable.h"
#include "world.h"

static size_t variable_count(const struct code *code)
{
	return code->ptx ? ptx_variable_count(code->ptx) : 0;
}

size_t bound_size(const struct code *code)
{
	return sizeof(struct bound) +
	       (code->use_count + variable_count(code)) * sizeof(struct span);
}

static CUresult variables_bind(const struct code *code, struct module *module,
			       struct context *ctx, struct span *spans)
{
	for (size_t i = 0; i < variable_count(code); i++) {
		const struct ptx_variable *var = ptx_variable_at(code->ptx, i);
		CUresult res;

		spans[i] = (struct span){0};
		if (!var->size)
			continue;
		res = variable_span(module, var->name, ctx, &spans[i]);
		if (res && !(var->external && res == CUDA_ERROR_NOT_FOUND))
			return res;
	}
	return CUDA_SUCCESS;
}

static size_t variable_index(const struct code *code,
			     const struct ptx_variable *variable)
{
	size_t i = 0;

	while (i < variable_count(code) &&
	       ptx_variable_at(code->ptx, i) != variable)
		i++;
	return i;
}

CUresult bound_fill(const struct code *code, struct module *module,
		    struct context *ctx, const struct sim_launch *shape,
		    void **args, struct bound *bound)
{
	struct span *variables = bound->spans + code->use_count;
	CUresult res = variables_bind(code, module, ctx, variables);

	bound->stack = ctx->limits[CU_LIMIT_STACK_SIZE];
	bound->heap = NULL;
	if (!res && code->program && ptx_program_takes(code->program))
		res = heap_open(ctx, &bound->heap);
	for (size_t i = 0; i < code->use_count && !res; i++) {
		const struct ptx_use *use = &code->uses[i];
		struct span *span = &bound->spans[i];

		if (use->variable) {
			*span = variables[variable_index(code, use->variable)];
			continue;
		}
		memcpy(&span->addr, (char *)args[use->param] + use->offset,
		       sizeof(span->addr));
		span->size = 0;
		if (!code->program && use->flags)
			*span = standin_span(span->addr);
	}
	if (!code->program)
		bound->scalars = standin_scalars(code, shape, args);
	return res;
}

static bool range(void *user, uint64_t addr, bool write, uint64_t *begin,
		  uint64_t *end)
{
	struct extent extent = {0};
	bool found = extent_now(addr, &extent);

	(void)user;
	*begin = extent.begin;
	*end = extent.end;
	return found && (extent.writable || !write);
}

/* A launch that is interpreted, for each of its threads. */
struct running {
	const struct op *op;
	struct shown shown;
};

static void *variable(void *user, const struct ptx_variable *wanted)
{
	const struct op *op = ((struct running *)user)->op;
	const struct code *code = op->launch.code;
	const struct span *span = op->launch.bound->spans + code->use_count +
				  variable_index(code, wanted);

	/* What another module or the program has may be smaller. */
	return span->size >= wanted->size ? (void *)span->addr : NULL;
}

static bool texture(void *user, uint64_t object, const struct ptx_spot *spot,
		    double values[4])
{
	return shown_fetch(&((struct running *)user)->shown, object, spot,
			   values);
}

static bool surface(void *user, uint64_t object, const struct ptx_spot *spot,
		    size_t size, bool clamp, void **at)
{
	return shown_place(&((struct running *)user)->shown, object, spot, size,
			   clamp, at);
}

static bool texture_size(void *user, uint64_t object, uint32_t sizes[3])
{
	return shown_size(&((struct running *)user)->shown, object, sizes);
}

static uint64_t take(void *user, uint64_t size)
{
	return heap_take(((struct running *)user)->op->launch.bound->heap,
			 size);
}

static bool give(void *user, uint64_t addr)
{
	return heap_give(((struct running *)user)->op->launch.bound->heap,
			 addr);
}

static bool condition(void *user, uint64_t handle, uint32_t value)
{
	(void)user;
	return condition_set(handle, value);
}

static CUresult result_of(enum ptx_result result)
{
	switch (result) {
	case PTX_OK:
		return CUDA_SUCCESS;
	case PTX_ILLEGAL_ADDRESS:
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	case PTX_STACK_FULL:
		return CUDA_ERROR_HARDWARE_STACK_ERROR;
	case PTX_MISALIGNED:
		return CUDA_ERROR_MISALIGNED_ADDRESS;
	case PTX_ASSERTED:
		return CUDA_ERROR_ASSERT;
	case PTX_DEADLOCK:
		return CUDA_ERROR_LAUNCH_TIMEOUT;
	default:
		return CUDA_ERROR_LAUNCH_FAILED;
	}
}

static CUresult interpret(struct op *op, struct ptx_error *error)
{
	const struct launch *launch = &op->launch;
	const struct sim_launch *shape = &launch->shape;
	struct running running = {.op = op, .shown = {.op = op}};
	const struct ptx_host host = {.user = &running,
				      .user_bytes = sizeof(running),
				      .range = range,
				      .variable = variable,
				      .texture = texture,
				      .surface = surface,
				      .texture_size = texture_size,
				      .take = take,
				      .give = give,
				      .condition = condition};
	const struct ptx_launch run = {
		.grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
		.block = {shape->block[0], shape->block[1], shape->block[2]},
		.shared_bytes = shape->shared_bytes,
		.stack_bytes = launch->bound->stack,
		.threads = threads_most(),
		.args = launch->args};

	return result_of(ptx_run(launch->code->program, &run, &host, error));
}

void code_run(struct op *op)
{
	static atomic_bool failed; /* a lost device runs nothing more */
	const struct code *code = op->launch.code;
	struct ptx_error error = {.text = "its memory has gone"};
	CUresult res;

	if (failed)
		return;
	res = code->program ? interpret(op, &error) : standin_run(op);
	if (!res || atomic_exchange(&failed, true))
		return;
	fprintf(stderr, "mnm-sim: kernel %s ends with error %d: %s",
		code->row.name, res, error.text);
	if (error.line)
		fprintf(stderr, " (line %u of its PTX)", error.line);
	fprintf(stderr, "; the device is lost\n");
	call_lose(res);
}
