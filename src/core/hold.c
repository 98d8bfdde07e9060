#define HASH_NONFATAL_OOM 1
#include <pthread.h>
#include <stdlib.h>

#include <uthash.h>

#include "block.h"
#include "context.h"
#include "hold.h"
#include "pools.h"

struct hold {
	struct hold *next;
	struct block *blocks;
	unsigned int users; /* graphs, and the captures while they are on */
};

/* A graph or an executable that may have a hold's blocks in its nodes. */
struct graph {
	const void *handle; /* the key */
	struct hold *hold;
	UT_hash_handle hh;
};

/* Taken after the lock of captures, before those of contexts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hold *holds;
static struct hold *open; /* of the captures that are on */
static struct graph *graphs;

/* Under lock. Takes a block out of the accounts of what is held. */
static void block_unhold(struct block *block)
{
	struct device *device = block->pool->context->device;

	counter_sub(device, COUNTER_held_blocks, 1);
	counter_sub(device, COUNTER_held_bytes, block->span);
}

/* Under lock. Frees a hold that nobody uses. */
static void hold_close_if_over(struct hold *hold)
{
	struct hold **at = &holds;
	struct block *block;

	if (hold->users)
		return;
	while (*at != hold)
		at = &(*at)->next;
	*at = hold->next;
	while ((block = hold->blocks)) {
		hold->blocks = block->next;
		block_unhold(block);
		pools_take_back(block);
	}
	free(hold);
}

/* Under lock. */
static void hold_leave(struct hold *hold)
{
	hold->users--;
	hold_close_if_over(hold);
}

void hold_open(void)
{
	struct hold *hold = calloc(1, sizeof(*hold));

	if (!hold)
		return;
	hold->users = 1;
	pthread_mutex_lock(&lock);
	hold->next = holds;
	holds = open = hold;
	pthread_mutex_unlock(&lock);
}

/* Under lock. */
static void graph_drop(struct graph *graph)
{
	struct hold *hold = graph->hold;

	HASH_DEL(graphs, graph);
	free(graph);
	hold_leave(hold);
}

/* Under lock. */
static struct graph *graph_find(const void *handle)
{
	struct graph *graph;

	HASH_FIND_PTR(graphs, &handle, graph);
	return graph;
}

/* Under lock. Without memory the hold is used for ever. */
static void graph_add(const void *handle, struct hold *hold)
{
	struct graph *graph = graph_find(handle);

	hold->users++;
	if (graph)
		graph_drop(graph); /* changed, or its end went unseen */
	graph = calloc(1, sizeof(*graph));
	if (!graph)
		return;
	graph->handle = handle;
	graph->hold = hold;
	HASH_ADD_PTR(graphs, handle, graph);
	if (!graph->hh.tbl)
		free(graph);
}

/* Under lock. No block was freed meanwhile: its graphs need no watching. */
static void graphs_forget(struct hold *hold)
{
	struct graph *graph, *next;

	HASH_ITER (hh, graphs, graph, next)
		if (graph->hold == hold)
			graph_drop(graph);
}

void hold_close(void)
{
	struct hold *hold;

	pthread_mutex_lock(&lock);
	hold = open;
	open = NULL;
	if (hold && !hold->blocks)
		graphs_forget(hold);
	if (hold)
		hold_leave(hold);
	pthread_mutex_unlock(&lock);
}

bool hold_keep(struct block *block)
{
	struct device *device = block->pool->context->device;
	bool kept;

	pthread_mutex_lock(&lock);
	kept = open;
	if (kept) {
		block->next = open->blocks;
		open->blocks = block;
		counter_add(device, COUNTER_held_blocks, 1);
		counter_add(device, COUNTER_held_bytes, block->span);
	}
	pthread_mutex_unlock(&lock);
	return kept;
}

void hold_graph(const void *graph)
{
	pthread_mutex_lock(&lock);
	if (open)
		graph_add(graph, open);
	pthread_mutex_unlock(&lock);
}

void graph_made(const void *from, const void *handle)
{
	struct graph *source, *graph;

	pthread_mutex_lock(&lock);
	source = graph_find(from);
	graph = graph_find(handle);
	if (source)
		graph_add(handle, source->hold);
	else if (graph)
		graph_drop(graph);
	pthread_mutex_unlock(&lock);
}

/* One that has nodes of two holds keeps the second for ever. */
void graph_joined(const void *from, const void *handle)
{
	struct graph *source, *graph;

	pthread_mutex_lock(&lock);
	source = graph_find(from);
	graph = graph_find(handle);
	if (source && !graph)
		graph_add(handle, source->hold);
	else if (source && source->hold != graph->hold)
		source->hold->users++;
	pthread_mutex_unlock(&lock);
}

void graph_ended(const void *handle)
{
	struct graph *graph;

	pthread_mutex_lock(&lock);
	graph = graph_find(handle);
	if (graph)
		graph_drop(graph);
	pthread_mutex_unlock(&lock);
}

/* Under lock. Takes the blocks of a device or, without one, of a context. */
static struct block *hold_take(struct hold *hold, const struct device *device,
			       const struct context *context)
{
	struct block **at = &hold->blocks, *block, *taken = NULL;

	while ((block = *at)) {
		if (device ? block->pool->context->device != device
			   : block->pool->context != context) {
			at = &block->next;
			continue;
		}
		*at = block->next;
		block_unhold(block);
		block->next = taken;
		taken = block;
	}
	return taken;
}

void hold_surrender(struct device *device)
{
	struct block *list, *block;

	pthread_mutex_lock(&lock);
	for (struct hold *hold = holds; hold; hold = hold->next) {
		list = hold == open ? NULL : hold_take(hold, device, NULL);
		while ((block = list)) {
			list = block->next;
			pools_send_back(block);
		}
	}
	pthread_mutex_unlock(&lock);
}

void hold_forget(struct context *context)
{
	struct block *list, *block;

	pthread_mutex_lock(&lock);
	for (struct hold *hold = holds; hold; hold = hold->next) {
		list = hold_take(hold, NULL, context);
		while ((block = list)) {
			list = block->next;
			pools_take_back(block);
		}
	}
	pthread_mutex_unlock(&lock);
}
