/* Blocks, one after the other or in turns. */
#include "crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCKS_MOST = 1024,   /* that a thread runs in turns */
	WARP_TURN = 200000,   /* operations, before another warp has its turn */
	BLOCK_TURN = 1000000, /* the same for a block */
	LINE = 64,            /* bytes */
};

static void block_turn(struct ptx_block *block)
{
	static const struct ptx_op nowhere;
	struct ptx_run *run = block->run;
	uint64_t done = 0;

	block->waits = false;
	while (block->live && done < BLOCK_TURN && !block->waits &&
	       !run->result && ptx_crew_wants(run->crew, block)) {
		unsigned int ran = 0;
		bool busy = false;

		for (unsigned int w = 0; w < run->warps && !run->result; w++) {
			unsigned int did =
				ptx_warp_run(&block->warps[w], WARP_TURN);

			busy |= did >= WARP_TURN;
			ran += did;
		}
		block->waits &= !busy;
		if (!ran)
			ptx_run_fail(&block->warps[0], &nowhere, 0,
				     PTX_DEADLOCK,
				     "all threads that are left wait");
		done += ran;
		run->steps += ran;
		ptx_crew_look(run);
	}
	if (run->result)
		ptx_crew_fail(run, block);
	block->turn++;
	if (!ptx_crew_wants(run->crew, block))
		block->live = 0;
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
	block->number = number;
	block->turn = 1;
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

/* Gives a block its turn. If it ends in it, others begin in its place, until
 * one does not. */
static void place_turn(struct ptx_block *block)
{
	uint64_t number;

	do {
		if (!block->live) {
			if (!ptx_crew_take(block->run->crew, &number))
				return;
			block_begin(block, number);
		}
		block_turn(block);
	} while (!block->live);
}

/* One block after the other; but one that takes long may wait for others, and
 * runs in turns with the next ones. */
static unsigned int turns_run(struct ptx_run *run, struct ptx_block *blocks)
{
	const struct ptx_crew *crew = run->crew;
	unsigned int made = 0, live = 0;

	do {
		/* If none has come to its end, twice as many run in turns. */
		unsigned int more = live < made ? 0 : made ? made : 1;

		for (; more && made < BLOCKS_MOST &&
		       made - live < ptx_crew_left(crew);
		     more--)
			if (!block_make(run, &blocks[made++])) {
				run->result = PTX_NO_MEMORY;
				return made;
			}
		live = 0;
		for (unsigned int i = 0; i < made; i++) {
			place_turn(&blocks[i]);
			live += blocks[i].live != 0;
		}
	} while (live || ptx_crew_left(crew));
	return made;
}

void ptx_blocks_run(struct ptx_run *run)
{
	struct ptx_block *blocks = calloc(BLOCKS_MOST, sizeof(*blocks));
	unsigned int made = 0;

	if (blocks)
		made = turns_run(run, blocks);
	else
		run->result = PTX_NO_MEMORY;
	/* A thread without a block of its own is not missed. */
	if (run->result && (made > 1 || !run->helps))
		ptx_crew_fail(run, NULL);
	for (unsigned int i = 0; i < made; i++)
		block_free(&blocks[i]);
	free(blocks);
}
