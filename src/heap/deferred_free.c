#include <pthread.h>
#include <stdlib.h>

#include <uthash.h>

#include "block/block.h"
#include "context/context.h"
#include "deferred_free.h"
#include "placed.h"
#include "pools.h"
#include "stats/counter.h"

struct hold {
	struct hold *next;
	struct block *blocks;
	unsigned int users; /* memberships, and one while its captures are on */
};

/* A graph or an executable whose nodes may use blocks of holds. */
struct graph {
	const void *handle; /* the key */
	struct membership *memberships;
	UT_hash_handle hh;
};

struct membership {
	struct membership *next;
	struct hold *hold;
};

/* Taken after the lock of captures, before those of contexts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hold *holds;
static struct hold *open; /* the hold of the captures that are on, or NULL */
static struct graph *graphs;

/* Under lock. Takes a block off the counters of held blocks. */
static void block_unhold(struct block *block)
{
	struct device *device = block_pool(block)->heap->device;

	counter_sub(device, COUNTER_held_blocks, 1);
	counter_sub(device, COUNTER_held_bytes, block->span);
}

/* Under lock. Frees the hold if nobody uses it. */
static void deferred_free_close_if_over(struct hold *hold)
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
static void deferred_free_leave(struct hold *hold)
{
	hold->users--;
	deferred_free_close_if_over(hold);
}

void deferred_free_open(void)
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
static struct graph *graph_find(const void *handle)
{
	struct graph *graph;

	HASH_FIND_PTR(graphs, &handle, graph);
	return graph;
}

/* Under lock. NULL without memory. */
static struct graph *graph_find_or_add(const void *handle)
{
	struct graph *graph = graph_find(handle);

	if (graph)
		return graph;
	graph = calloc(1, sizeof(*graph));
	if (!graph)
		return NULL;
	graph->handle = handle;
	HASH_ADD_PTR(graphs, handle, graph);
	if (graph->hh.tbl)
		return graph;
	free(graph);
	return NULL;
}

static bool graph_is_in(const struct graph *graph, const struct hold *hold)
{
	const struct membership *at = graph->memberships;

	while (at && at->hold != hold)
		at = at->next;
	return at;
}

/* Under lock. Without memory the hold is never freed. */
static void graph_attach(const void *handle, struct hold *hold)
{
	struct graph *graph = graph_find_or_add(handle);
	struct membership *membership;

	if (graph && graph_is_in(graph, hold))
		return;
	hold->users++;
	membership = graph ? malloc(sizeof(*membership)) : NULL;
	if (!membership)
		return;
	membership->hold = hold;
	membership->next = graph->memberships;
	graph->memberships = membership;
}

/* Under lock. The graph leaves one hold, or all if hold is NULL. A graph that
 * is in no hold is not watched any more. */
static void graph_leave(struct graph *graph, const struct hold *hold)
{
	struct membership **at = &graph->memberships, *membership;

	while ((membership = *at)) {
		if (hold && membership->hold != hold) {
			at = &membership->next;
			continue;
		}
		*at = membership->next;
		deferred_free_leave(membership->hold);
		free(membership);
	}
	if (graph->memberships)
		return;
	HASH_DEL(graphs, graph);
	free(graph);
}

/* Under lock. The hold has no blocks, so its graphs need no watching. */
static void graphs_forget(const struct hold *hold)
{
	struct graph *graph, *next;

	HASH_ITER (hh, graphs, graph, next)
		graph_leave(graph, hold);
}

void deferred_free_close(void)
{
	struct hold *hold;

	pthread_mutex_lock(&lock);
	hold = open;
	open = NULL;
	if (hold && !hold->blocks)
		graphs_forget(hold);
	if (hold)
		deferred_free_leave(hold);
	pthread_mutex_unlock(&lock);
}

bool deferred_free_keep(struct block *block)
{
	struct device *device = block_pool(block)->heap->device;
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

void deferred_free_graph(const void *graph)
{
	pthread_mutex_lock(&lock);
	if (open)
		graph_attach(graph, open);
	pthread_mutex_unlock(&lock);
}

/* Under lock. */
static void graph_attach_all_of(const void *from, const void *handle)
{
	struct graph *source = graph_find(from);
	struct membership *at = source ? source->memberships : NULL;

	for (; at; at = at->next)
		graph_attach(handle, at->hold);
}

void graph_made(const void *from, const void *handle)
{
	struct graph *former;

	pthread_mutex_lock(&lock);
	former = graph_find(handle); /* changed, or its end went unseen */
	if (former)
		graph_leave(former, NULL);
	graph_attach_all_of(from, handle);
	pthread_mutex_unlock(&lock);
}

void graph_attached(const void *from, const void *handle)
{
	pthread_mutex_lock(&lock);
	graph_attach_all_of(from, handle);
	pthread_mutex_unlock(&lock);
}

void graph_ended(const void *handle)
{
	struct graph *graph;

	pthread_mutex_lock(&lock);
	graph = graph_find(handle);
	if (graph)
		graph_leave(graph, NULL);
	pthread_mutex_unlock(&lock);
}

/* Under lock. Takes the blocks of a device, or those of a context if device is
 * NULL, out of the hold. */
static struct block *deferred_free_take(struct hold *hold,
					const struct device *device,
					const struct context *context)
{
	struct block **at = &hold->blocks, *block, *taken = NULL;

	while ((block = *at)) {
		if (device ? block_pool(block)->heap->device != device
			   : block_pool(block)->heap->context != context) {
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

/* A block that is placed can't go back by itself: its bytes are free, and go
 * back with the memory around them. */
static void block_release(struct block *block)
{
	if (block_is_placed(block))
		pools_take_back(block);
	else
		pools_send_back(block);
}

void deferred_free_release(struct device *device)
{
	struct block *list, *block;

	pthread_mutex_lock(&lock);
	for (struct hold *hold = holds; hold; hold = hold->next) {
		list = deferred_free_take(hold, device, NULL);
		while ((block = list)) {
			list = block->next;
			block_release(block);
		}
	}
	pthread_mutex_unlock(&lock);
}

void deferred_free_forget(struct context *context)
{
	struct block *list, *block;

	pthread_mutex_lock(&lock);
	for (struct hold *hold = holds; hold; hold = hold->next) {
		list = deferred_free_take(hold, NULL, context);
		while ((block = list)) {
			list = block->next;
			pools_take_back(block);
		}
	}
	pthread_mutex_unlock(&lock);
}
