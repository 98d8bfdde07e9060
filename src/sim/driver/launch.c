#include "launch.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "code.h"
#include "code_run.h"
#include "context.h"
#include "module.h"
#include "occupancy.h"
#include "op.h"
#include "stream.h"
#include "touch.h"
#include "world.h"

enum { ARG_ALIGN = 16 };

static void launch_run(struct op *op)
{
	if (op->launch.code)
		code_run(op);
	else
		op->launch.kernel->run(&op->launch.shape, op->launch.args);
}

/* Where a launch has its arguments: an address for each, or one buffer. */
struct args {
	void **params;
	const char *buffer; /* NULL if there is none */
	size_t size;        /* of the buffer */
};

/* Reads the form of a launch with `extra`. */
static CUresult args_read(void **params, void **extra, struct args *args)
{
	*args = (struct args){.params = params};
	if (!extra || *extra == CU_LAUNCH_PARAM_END)
		return CUDA_SUCCESS;
	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			args->buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
			args->size = *(const size_t *)extra[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	return params || !args->buffer ? CUDA_ERROR_INVALID_VALUE
				       : CUDA_SUCCESS;
}

size_t launch_arg_place(const struct sim_kernel *kernel,
			const struct code *code, size_t index)
{
	size_t place = 0;

	if (code)
		return code->places[index];
	for (size_t i = 0; i <= index; i++) {
		size_t size = kernel->arg_sizes[i];
		size_t align = size & -size;

		if (align > sizeof(void *))
			align = sizeof(void *);
		if (align)
			place = (place + align - 1) & ~(align - 1);
		if (i < index)
			place += size;
	}
	return place;
}

/* The i-th argument, or NULL if it is not there. */
static const void *arg_at(const struct launch *launch, const struct args *args,
			  size_t i)
{
	const struct sim_kernel *kernel = launch->kernel;
	size_t place;

	if (!args->buffer)
		return args->params[i];
	place = launch_arg_place(kernel, launch->code, i);
	return place + kernel->arg_sizes[i] <= args->size ? args->buffer + place
							  : NULL;
}

/* The caller's arguments may change as soon as the launch returns. */
static CUresult args_copy(struct op *op, const struct args *args)
{
	const struct sim_kernel *kernel = op->launch.kernel;
	const struct code *code = op->launch.code;
	size_t head = kernel->arg_count * sizeof(void *);
	size_t bytes = ARG_ALIGN;
	char *at;

	head += code ? bound_size(code) : 0;
	bytes += head;

	if (kernel->arg_count && !args->params && !args->buffer)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < kernel->arg_count; i++) {
		if (!arg_at(&op->launch, args, i))
			return CUDA_ERROR_INVALID_VALUE;
		bytes += (kernel->arg_sizes[i] + ARG_ALIGN - 1) &
			 ~(size_t)(ARG_ALIGN - 1);
	}
	op->owned = malloc(bytes);
	if (!op->owned)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->launch.args = op->owned;
	at = (char *)op->owned + head;
	at += -(uintptr_t)at & (ARG_ALIGN - 1);
	for (size_t i = 0; i < kernel->arg_count; i++) {
		memcpy(at, arg_at(&op->launch, args, i), kernel->arg_sizes[i]);
		op->launch.args[i] = at;
		at += (kernel->arg_sizes[i] + ARG_ALIGN - 1) &
		      ~(size_t)(ARG_ALIGN - 1);
	}
	return CUDA_SUCCESS;
}

CUresult launch_shape_check(const struct sim_launch *shape,
			    const struct function *function, uint64_t *threads)
{
	uint64_t blocks = 1, in_block = 1;
	size_t shared = function_shared(function);
	unsigned most = code_threads(function->code);

	if (!most)
		most = THREADS_MOST;
	for (int i = 0; i < 3; i++) {
		blocks *= shape->grid[i];
		in_block *= shape->block[i];
	}
	if (!blocks || !in_block || in_block > most || shape->grid[1] > 65535 ||
	    shape->grid[2] > 65535 || shape->grid[0] > 2147483647 ||
	    shape->block[0] > THREADS_MOST || shape->block[1] > THREADS_MOST ||
	    shape->block[2] > 64 ||
	    shape->shared_bytes + code_shared(function->code) > shared)
		return CUDA_ERROR_INVALID_VALUE;
	*threads = blocks * in_block;
	return CUDA_SUCCESS;
}

/* Where the block of an operation's own memory has what its code found. */
static struct bound *bound_of(const struct op *op)
{
	return (struct bound *)(void *)(op->launch.args +
					op->launch.kernel->arg_count);
}

/* Its code may have been unloaded since. */
static void launch_end(struct op *op)
{
	code_leave(op->launch.code);
}

static CUresult launch_renew(struct op *op)
{
	const struct args args = {.params = op->launch.args};
	const struct bound *bound = op->launch.bound;
	CUresult res;

	code_keep(op->launch.code);
	op->ended = launch_end;
	res = args_copy(op, &args);
	if (res || !op->launch.code)
		return res;
	op->launch.bound = bound_of(op);
	memcpy(op->launch.bound, bound, bound_size(op->launch.code));
	return CUDA_SUCCESS;
}

CUresult launch_op(const struct function *function, struct context *ctx,
		   const struct sim_launch *shape, void **params, void **extra,
		   struct op **out, uint64_t *ns)
{
	uint64_t threads;
	struct args args;
	struct op *op;
	CUresult res = launch_shape_check(shape, function, &threads);

	if (!res)
		res = args_read(params, extra, &args);
	if (res)
		return res;
	op = op_new(launch_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->type = CU_GRAPH_NODE_TYPE_KERNEL;
	op->renew = launch_renew;
	op->touch = touch_launch;
	op->launch.kernel = function->kernel;
	op->launch.function = function;
	op->launch.code = function->code;
	code_keep(function->code);
	op->ended = launch_end;
	op->launch.shape = *shape;
	res = args_copy(op, &args);
	if (!res && function->code) {
		op->launch.bound = bound_of(op);
		res = bound_fill(function->code, function->module, ctx, shape,
				 op->launch.args, op->launch.bound);
	}
	if (res) {
		op_drop(op);
		return res;
	}
	*ns = world.profile.kernel_ns +
	      threads * world.profile.kernel_ps_per_thread / 1000;
	if (op->launch.kernel->lasts)
		*ns += op->launch.kernel->lasts(shape, op->launch.args);
	*out = op;
	return CUDA_SUCCESS;
}

/* A module's function runs in the module's context. */
static CUresult place_check(const struct function *function,
			    const struct stream *stream)
{
	const struct context *ctx = function->module->ctx;
	const struct context *in = stream->ctx;

	return ctx && ctx != in && ctx != in->green_of
		       ? CUDA_ERROR_INVALID_HANDLE
		       : CUDA_SUCCESS;
}

CUresult launch(CUfunction handle, const struct sim_launch *shape,
		CUstream where, void **params, void **extra)
{
	struct function *function;
	struct stream *stream;
	struct context *ctx;
	struct op *op;
	uint64_t ns;
	CUresult res = context_current(&ctx);

	if (!res)
		res = function_find(handle, &function);
	if (!res)
		res = stream_use(where, &stream);
	if (!res)
		res = place_check(function, stream);
	if (!res)
		res = launch_op(function, stream->ctx, shape, params, extra,
				&op, &ns);
	if (res)
		return res;
	res = stream_use(where, &stream); /* the lock may have been dropped */
	if (res) {
		op_drop(op);
		return res;
	}
	clock_spend(world.profile.submit_ns);
	stream->ctx->dev->launches++;
	return op_submit(op, stream, ns);
}
