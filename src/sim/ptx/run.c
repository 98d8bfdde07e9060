/* A launch. */
#include "crew.h"

#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DYNAMIC_MOST = 1 << 20,
	STACK = 1024, /* bytes, of a thread */
	STACK_MOST = 512 << 10,
	STACK_ALIGN = 16,
	/* Parameters lie in memory here, and mostly in registers of a GPU. So
	 * that calls go about as deep, a stack is larger by this. */
	STACK_TIMES = 4,
};

void ptx_run_fail(struct ptx_warp *warp, const struct ptx_op *op,
		  unsigned int lane, enum ptx_result result, const char *format,
		  ...)
{
	struct ptx_run *run = warp->run;
	const unsigned int *block = run->launch->block;
	unsigned int thread = warp->index * PTX_LANES + lane;
	va_list args;
	int length;

	if (run->result)
		return;
	run->result = result;
	run->error.line = op->line;
	va_start(args, format);
	length = vsnprintf(run->error.text, sizeof(run->error.text), format,
			   args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(run->error.text))
		return;
	snprintf(run->error.text + length,
		 sizeof(run->error.text) - (size_t)length,
		 " (block %u,%u,%u thread %u,%u,%u)", warp->block->id[0],
		 warp->block->id[1], warp->block->id[2], thread % block[0],
		 thread / block[0] % block[1], thread / block[0] / block[1]);
}

static bool shape_ok(const struct ptx_run *run)
{
	const struct ptx_launch *launch = run->launch;
	uint64_t threads = 1, blocks = 1;

	for (int i = 0; i < 3; i++) {
		if (!launch->grid[i] || !launch->block[i] ||
		    launch->block[i] > 1024)
			return false;
		threads *= launch->block[i];
		if (__builtin_mul_overflow(blocks, launch->grid[i], &blocks))
			return false;
	}
	return threads <= 1024 && launch->shared_bytes < DYNAMIC_MOST;
}

/* A copy of the parameters, in the order of the kernel. */
static bool params_copy(struct ptx_run *run)
{
	const struct ptx_kernel *kernel = run->program->kernel;

	run->params = calloc(1, kernel->param_bytes + 1);
	if (!run->params)
		return false;
	for (size_t i = 0; i < kernel->param_count; i++)
		memcpy(run->params + kernel->params[i].offset,
		       run->launch->args[i], kernel->params[i].size);
	return true;
}

/* Asks for each variable once. */
static enum ptx_result variables_find(struct ptx_run *run)
{
	const struct ptx_program *program = run->program;
	const struct ptx_host *host = run->host;

	run->variables =
		calloc(program->constant_count + 1, sizeof(*run->variables));
	if (!run->variables)
		return PTX_NO_MEMORY;
	for (uint32_t i = 0; i < program->constant_count; i++) {
		const struct ptx_constant *at = &program->constants[i];
		void *place = NULL;

		if (at->kind != PTX_CONSTANT_VARIABLE)
			continue;
		if (host->variable)
			place = host->variable(host->user, at->variable);
		if (!place) {
			snprintf(run->error.text, sizeof(run->error.text),
				 "there is no variable '%.80s'",
				 at->variable->name);
			return PTX_NO_VARIABLE;
		}
		run->variables[i] = (struct ptx_range){
			.begin = (uintptr_t)place,
			.end = (uintptr_t)place + at->variable->size,
			.write = !at->variable->constant,
		};
	}
	run->variable_count = program->constant_count;
	return PTX_OK;
}

static enum ptx_result launch_run(struct ptx_run *run, struct ptx_error *error)
{
	fenv_t before;

	run->result = params_copy(run) ? variables_find(run) : PTX_NO_MEMORY;
	*error = run->error;
	if (!run->result) {
		/* Whatever the program's thread has set is not the kernel's. */
		fegetenv(&before);
		fesetenv(FE_DFL_ENV);
		run->result = ptx_crew_run(run, error);
		fesetenv(&before);
	}
	free(run->params);
	free(run->variables);
	return run->result;
}

static size_t stack_size(const struct ptx_launch *launch)
{
	size_t size = launch->stack_bytes ? launch->stack_bytes : STACK;

	size = STACK_TIMES * (size < STACK_MOST ? size : STACK_MOST);
	return (size + STACK_ALIGN - 1) & ~(size_t)(STACK_ALIGN - 1);
}

/* What is the system's lies behind the rest. */
static size_t shared_size(const struct ptx_program *program,
			  const struct ptx_launch *launch)
{
	size_t size = program->dynamic + launch->shared_bytes;

	return program->reserves
		       ? ((size + 15) & ~(size_t)15) + PTX_RESERVED_SMEM
		       : size;
}

enum ptx_result ptx_run(const struct ptx_program *program,
			const struct ptx_launch *launch,
			const struct ptx_host *host, struct ptx_error *error)
{
	struct ptx_error unused;
	struct ptx_crew crew;
	struct ptx_run run = {
		.crew = &crew,
		.program = program,
		.launch = launch,
		.host = host,
		.threads =
			launch->block[0] * launch->block[1] * launch->block[2],
		.shared_bytes = shared_size(program, launch),
		.grid_barrier = {sizeof(run.grid_barrier)},
	};
	enum ptx_result result;

	error = error ? error : &unused;
	*error = (struct ptx_error){0};
	run.warps = (run.threads + PTX_LANES - 1) / PTX_LANES;
	run.thread_bytes = program->thread_bytes;
	if (program->recursive)
		run.thread_bytes += stack_size(launch);
	if (!shape_ok(&run)) {
		snprintf(error->text, sizeof(error->text),
			 "a launch of this shape is not possible");
		return PTX_BAD_LAUNCH;
	}
	result = launch_run(&run, error);
	if (result == PTX_NO_MEMORY)
		snprintf(error->text, sizeof(error->text), "out of memory");
	return result;
}
