/* Blocks, and all of a launch. */
#include "run.h"

#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCKS_MOST = 1024,   /* that run in turns */
	WARP_TURN = 200000,   /* operations, before another warp has its turn */
	BLOCK_TURN = 1000000, /* the same for a block */
	TICK = 1 << 20,       /* operations of warps between calls of tick() */
	LINE = 64,            /* bytes */
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
	run->error->line = op->line;
	va_start(args, format);
	length = vsnprintf(run->error->text, sizeof(run->error->text), format,
			   args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(run->error->text))
		return;
	snprintf(run->error->text + length,
		 sizeof(run->error->text) - (size_t)length,
		 " (block %u,%u,%u thread %u,%u,%u)", warp->block->id[0],
		 warp->block->id[1], warp->block->id[2], thread % block[0],
		 thread / block[0] % block[1], thread / block[0] / block[1]);
}

static void result_set(struct ptx_warp *warp, const struct ptx_op *op,
		       unsigned int lane, const struct ptx_barrier *barrier)
{
	uint32_t *d = ptx_slot(warp, op->d);
	bool is = op->mode == PTX_BARRIER_AND ? barrier->set >= barrier->arrived
					      : barrier->set != 0;

	if (op->mode == PTX_BARRIER_POPC)
		d[lane] = barrier->set;
	else
		*d = (*d & ~(UINT32_C(1) << lane)) | (uint32_t)is << lane;
}

/* A number of threads is one of whole warps: those that a warp lacks, or that
 * have ended, come with the others. */
static bool has_all(const struct ptx_block *block,
		    const struct ptx_barrier *barrier)
{
	unsigned int arrived = barrier->arrived;

	if (!barrier->expected)
		return arrived >= block->live;
	for (uint32_t left = barrier->warps; left; left &= left - 1) {
		unsigned int w = (unsigned int)__builtin_ctz(left);

		arrived += PTX_LANES - (unsigned int)__builtin_popcount(
					       block->warps[w].live);
	}
	return arrived >= barrier->expected;
}

void ptx_barrier_check(struct ptx_block *block, unsigned int number)
{
	struct ptx_barrier *barrier = &block->barriers[number];

	if (!barrier->arrived || !has_all(block, barrier))
		return;
	for (unsigned int w = 0; w < block->run->warps; w++) {
		struct ptx_warp *warp = &block->warps[w];
		uint32_t there = warp->waiting[number];

		for (uint32_t left = there & warp->answered; left;
		     left &= left - 1) {
			unsigned int i = (unsigned int)__builtin_ctz(left);

			result_set(warp, warp->answers[i], i, barrier);
		}
		warp->blocked &= ~there;
		warp->answered &= ~there;
		warp->waiting[number] = 0;
	}
	*barrier = (struct ptx_barrier){0};
}

/* Returns false if the block has ended, or the run has. */
static bool block_run(struct ptx_block *block)
{
	struct ptx_run *run = block->run;
	uint64_t done = 0;

	while (block->live && done < BLOCK_TURN && !run->result) {
		unsigned int ran = 0;

		for (unsigned int w = 0; w < run->warps && !run->result; w++)
			ran += ptx_warp_run(&block->warps[w], WARP_TURN);
		if (!ran && !run->result) {
			static const struct ptx_op nowhere;

			ptx_run_fail(&block->warps[0], &nowhere, 0,
				     PTX_DEADLOCK,
				     "all threads that are left wait");
		}
		done += ran;
		run->steps += ran;
		if (run->steps >= run->next_tick) {
			run->next_tick = run->steps + TICK;
			if (run->host->tick &&
			    !run->host->tick(run->host->user, run->steps) &&
			    !run->result) {
				run->result = PTX_STOPPED;
				snprintf(run->error->text,
					 sizeof(run->error->text), "stopped");
			}
		}
	}
	return block->live && !run->result;
}

static bool block_make(struct ptx_run *run, struct ptx_block *block)
{
	const struct ptx_program *program = run->program;
	size_t frame = program->frame_bytes;
	size_t local = (size_t)PTX_LANES * run->thread_bytes;
	size_t shared = (run->shared_bytes + LINE - 1) & ~(size_t)(LINE - 1);
	size_t warp_bytes = frame + ((local + LINE - 1) & ~(size_t)(LINE - 1));

	*block = (struct ptx_block){.run = run};
	block->warps = calloc(run->warps, sizeof(*block->warps));
	block->memory = calloc(1, run->warps * warp_bytes + shared + 2 * LINE);
	if (program->recursive)
		block->stacks = calloc((size_t)run->warps * PTX_LANES,
				       sizeof(*block->stacks));
	if (!block->warps || !block->memory ||
	    (program->recursive && !block->stacks))
		return false;
	block->shared = block->memory + LINE - (uintptr_t)block->memory % LINE;
	for (unsigned int w = 0; w < run->warps; w++) {
		struct ptx_warp *warp = &block->warps[w];

		warp->run = run;
		warp->block = block;
		warp->index = w;
		warp->frame = block->shared + shared + w * warp_bytes;
		warp->local = warp->frame + frame;
		if (block->stacks)
			warp->stacks = block->stacks + (size_t)w * PTX_LANES;
		ptx_frame_fill(warp);
	}
	return true;
}

static void block_begin(struct ptx_block *block, uint64_t number)
{
	struct ptx_run *run = block->run;
	const unsigned int *grid = run->launch->grid;

	block->id[0] = (unsigned int)(number % grid[0]);
	block->id[1] = (unsigned int)(number / grid[0] % grid[1]);
	block->id[2] = (unsigned int)(number / grid[0] / grid[1]);
	block->live = run->threads;
	memset(block->barriers, 0, sizeof(block->barriers));
	for (unsigned int w = 0; w < run->warps; w++) {
		struct ptx_warp *warp = &block->warps[w];
		unsigned int lanes = run->threads - w * PTX_LANES;

		warp->live = lanes >= PTX_LANES ? PTX_ALL_LANES
						: (UINT32_C(1) << lanes) - 1;
		warp->syncing = warp->blocked = warp->answered = 0;
		warp->resting = 0;
		memset(warp->waiting, 0, sizeof(warp->waiting));
		memset(warp->pc, 0, sizeof(warp->pc));
		ptx_frame_begin(warp);
	}
}

static void block_free(struct ptx_block *block)
{
	for (size_t i = 0; block->stacks && i < block->run->warps * PTX_LANES;
	     i++)
		free(block->stacks[i].kept);
	free(block->stacks);
	free(block->warps);
	free(block->memory);
}

/* One block after the other; but one that takes long may wait for others, and
 * runs in turns with the next ones. */
static void blocks_run(struct ptx_run *run, struct ptx_block *blocks)
{
	const unsigned int *grid = run->launch->grid;
	uint64_t count = (uint64_t)grid[0] * grid[1] * grid[2], next = 0;
	unsigned int made = 0, live = 0;

	while ((next < count || live) && !run->result) {
		/* If none has come to its end, twice as many run in turns. */
		unsigned int more = live < made ? 0 : made ? made : 1;

		for (;
		     more && made < BLOCKS_MOST && next + (made - live) < count;
		     more--) {
			if (!block_make(run, &blocks[made++]))
				run->result = PTX_NO_MEMORY;
			if (run->result)
				break;
		}
		live = 0;
		for (unsigned int i = 0; i < made && !run->result; i++) {
			do {
				if (!blocks[i].live && next < count)
					block_begin(&blocks[i], next++);
			} while (blocks[i].live && !block_run(&blocks[i]) &&
				 !run->result);
			live += blocks[i].live != 0;
		}
	}
	for (unsigned int i = 0; i < made; i++)
		block_free(&blocks[i]);
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
			snprintf(run->error->text, sizeof(run->error->text),
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

static void launch_run(struct ptx_run *run)
{
	struct ptx_block *blocks = calloc(BLOCKS_MOST, sizeof(*blocks));
	fenv_t before;

	if (blocks && params_copy(run))
		run->result = variables_find(run);
	else
		run->result = PTX_NO_MEMORY;
	/* Whatever the program's thread has set is not the kernel's. */
	fegetenv(&before);
	fesetenv(FE_DFL_ENV);
	if (!run->result)
		blocks_run(run, blocks);
	fesetenv(&before);
	free(blocks);
	free(run->params);
	free(run->variables);
}

static size_t stack_size(const struct ptx_launch *launch)
{
	size_t size = launch->stack_bytes ? launch->stack_bytes : STACK;

	size = STACK_TIMES * (size < STACK_MOST ? size : STACK_MOST);
	return (size + STACK_ALIGN - 1) & ~(size_t)(STACK_ALIGN - 1);
}

enum ptx_result ptx_run(const struct ptx_program *program,
			const struct ptx_launch *launch,
			const struct ptx_host *host, struct ptx_error *error)
{
	struct ptx_error unused;
	struct ptx_run run = {
		.program = program,
		.launch = launch,
		.host = host,
		.error = error ? error : &unused,
		.threads =
			launch->block[0] * launch->block[1] * launch->block[2],
		.shared_bytes = launch->shared_bytes + program->dynamic,
		.grid_barrier = {sizeof(run.grid_barrier)},
	};

	*run.error = (struct ptx_error){0};
	run.warps = (run.threads + PTX_LANES - 1) / PTX_LANES;
	run.thread_bytes = program->thread_bytes;
	if (program->recursive)
		run.thread_bytes += stack_size(launch);
	if (!shape_ok(&run)) {
		snprintf(run.error->text, sizeof(run.error->text),
			 "a launch of this shape is not possible");
		return PTX_BAD_LAUNCH;
	}
	launch_run(&run);
	if (run.result == PTX_NO_MEMORY)
		snprintf(run.error->text, sizeof(run.error->text),
			 "out of memory");
	return run.result;
}
