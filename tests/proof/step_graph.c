/* Graphs that are built node by node. */
#include <cuda.h>

#include "model.h"
#include "run.h"
#include "step.h"

/* Bits of step->choice: the nodes, which follow one another. */
enum { FILL = 1, COPY = 2, KERNEL = 4, CHOICES = 8 };

enum { BYTES = PART_WORDS * sizeof(uint32_t) };

/* Returns a live slot that a graph's node may use, whatever becomes of the slot
 * later; in a context or, with NONE, in any. */
static int slot_of_graph(struct program *program, int context)
{
	int count = program->slot_count, first;

	if (!count)
		return NONE;
	first = (int)random_below(&program->random, (unsigned)count);
	for (int i = 0; i < count; i++) {
		int at = (first + i) % count;
		const struct slot_model *slot = &program->slots[at];

		if (slot->object.live && !slot->pinned && !slot->checked &&
		    (context == NONE || slot->context == context))
			return at;
	}
	return NONE;
}

static unsigned part_draw(struct program *program, int slot)
{
	return random_below(&program->random,
			    part_count(program->slots[slot].size));
}

static void node_draw(struct program *program, struct step *step, int slot)
{
	object_use(&program->slots[slot].object, step);
	context_use(program, step, program->slots[slot].context);
	program->graphs[step->graph].slots[slot] = true;
}

/* A node's work belongs to the context that the node names. That need be
 * neither the current one nor the memory's. */
bool draw_graph_new(struct program *program, struct step *step)
{
	int context = context_pick(program), slot, source;
	struct graph_model *graph = &program->graphs[program->graph_count];

	step->choice = 1 + random_below(&program->random, CHOICES - 1);
	slot = slot_of_graph(program, step->choice & KERNEL ? context : NONE);
	source = slot_of_graph(program, NONE);
	if (program->tame || program->graph_count == GRAPHS_MAX ||
	    slot == NONE || source == slot)
		return false;
	step->context = context;
	step->other = random_one_in(&program->random, 4) ? context_pick(program)
							 : context;
	step->graph = program->graph_count++;
	*graph = (struct graph_model){.state = CAPTURED,
				      .thread = step->thread,
				      .stream = NONE,
				      .context = context};
	/* NOLINTNEXTLINE(*-core.*): context_pick never says NONE */
	graph->contexts = 1u << context | 1u << step->other;
	object_make(&graph->object, step);
	context_use(program, step, context);
	context_use(program, step, step->other);
	step->slot = slot;
	step->part = part_draw(program, slot);
	node_draw(program, step, slot);
	step->source = source;
	step->source_part = part_draw(program, source);
	node_draw(program, step, source);
	step->value = (unsigned)random_next(&program->random);
	return true;
}

/* The nodes added so far; the next one depends on `last`. */
struct chain {
	CUgraph graph;
	CUgraphNode last;
	size_t count; /* 0 or 1 */
};

static void add_fill(const struct step *step, struct chain *chain,
		     CUdeviceptr to)
{
	const CUDA_MEMSET_NODE_PARAMS params = {.dst = to,
						.value = step->value,
						.elementSize = 4,
						.width = PART_WORDS,
						.height = 1};
	CUgraphNode before = chain->last;

	if (OK(step, cuGraphAddMemsetNode, &chain->last, chain->graph, &before,
	       chain->count, &params, run.contexts[step->other]))
		chain->count = 1;
}

static void add_copy(const struct step *step, struct chain *chain,
		     CUdeviceptr to, CUdeviceptr from)
{
	const CUDA_MEMCPY3D params = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
				      .srcDevice = from,
				      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				      .dstDevice = to,
				      .WidthInBytes = BYTES,
				      .Height = 1,
				      .Depth = 1};
	CUgraphNode before = chain->last;

	if (OK(step, cuGraphAddMemcpyNode, &chain->last, chain->graph, &before,
	       chain->count, &params, run.contexts[step->other]))
		chain->count = 1;
}

static void add_kernel(const struct step *step, struct chain *chain,
		       CUdeviceptr to)
{
	uint32_t count = PART_WORDS, value = step->value;
	void *args[] = {&to, &count, &value};
	const CUDA_KERNEL_NODE_PARAMS params = {
		.func = run.touch[step->context],
		.gridDimX = 1,
		.gridDimY = 1,
		.gridDimZ = 1,
		.blockDimX = PART_WORDS,
		.blockDimY = 1,
		.blockDimZ = 1,
		.kernelParams = args};
	CUgraphNode before = chain->last;

	if (OK(step, cuGraphAddKernelNode_v2, &chain->last, chain->graph,
	       &before, chain->count, &params))
		chain->count = 1;
}

void run_graph_new(const struct step *step)
{
	struct chain chain = {0};
	CUdeviceptr to, from;

	if (!run_part(step->slot, step->part, &to) ||
	    !run_part(step->source, step->source_part, &from) ||
	    !run_enter(step, step->context) ||
	    !OK(step, cuGraphCreate, &chain.graph, 0))
		return;
	if (step->choice & FILL)
		add_fill(step, &chain, to);
	if (step->choice & COPY)
		add_copy(step, &chain, to, from);
	if (step->choice & KERNEL)
		add_kernel(step, &chain, to);
	run.graphs[step->graph] = chain.graph;
}
