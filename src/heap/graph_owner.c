#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include <uthash.h>

#include "graph_owner.h"
#include "deferred_free.h"

struct owned {
	const void *graph; /* the key */
	const void *owner;
	const void *node;   /* that it belongs to, in the owner */
	struct owned *next; /* in the list of graphs that are about to end */
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct owned *table; /* under lock */
static atomic_uint count;

/* Stands for an owner that is not known. It never ends. */
static const char unknown;

/* Under lock. */
static struct owned *graph_owner_find(const void *graph)
{
	struct owned *owned;

	HASH_FIND_PTR(table, &graph, owned);
	return owned;
}

/* Under lock. */
static void graph_owner_forget(struct owned *owned)
{
	HASH_DEL(table, owned);
	free(owned);
	count--;
}

/* Under lock. Without memory the graph counts as one without an owner, whose
 * end nobody reports. */
static void graph_owner_enter(struct owned *owned)
{
	HASH_ADD_PTR(table, graph, owned);
	if (owned->hh.tbl)
		count++;
	else
		free(owned);
}

void graph_owned(const void *graph, const void *owner, const void *node)
{
	struct owned *owned = calloc(1, sizeof(*owned)), *former;

	pthread_mutex_lock(&lock);
	former = graph_owner_find(
		graph); /* its end, with its node, went unseen */
	if (former)
		graph_owner_forget(former);
	if (owned) {
		owned->graph = graph;
		owned->owner = owner ? owner : &unknown;
		owned->node = node;
		graph_owner_enter(owned);
	}
	pthread_mutex_unlock(&lock);
	/* It may hold what was captured into it before it had an owner. */
	graph_attached(graph, graph_root(graph));
	graph_ended(graph);
}

void graph_met(const void *graph, const void *node)
{
	bool known;

	pthread_mutex_lock(&lock);
	known = graph_owner_find(graph);
	pthread_mutex_unlock(&lock);
	if (!known)
		graph_owned(graph, NULL, node);
}

const void *graph_root(const void *graph)
{
	const struct owned *owned;
	unsigned int left;

	if (!count)
		return graph;
	pthread_mutex_lock(&lock);
	/* If the ends of nodes went unseen and handles came again, two graphs
	 * may seem to own each other. */
	for (left = HASH_COUNT(table);
	     left && (owned = graph_owner_find(graph)); left--)
		graph = owned->owner;
	if (graph_owner_find(graph))
		graph = &unknown;
	pthread_mutex_unlock(&lock);
	return graph;
}

void graph_is_new(const void *graph)
{
	struct owned *former;

	if (!count)
		return;
	pthread_mutex_lock(&lock);
	former = graph_owner_find(graph);
	if (former)
		graph_owner_forget(former);
	pthread_mutex_unlock(&lock);
}

/* Under lock. Moves the graphs of an owner, or those of a node if owner is
 * NULL, from the table to the list, and the graphs that belong to these: as
 * deep as graphs are nested. */
static void take_all_of(const void *owner, const void *node,
			struct owned **list)
{
	struct owned *owned, *next;

	HASH_ITER (hh, table, owned, next) {
		if (owner ? owned->owner != owner : owned->node != node)
			continue;
		HASH_DEL(table, owned);
		count--;
		owned->next = *list;
		*list = owned;
		take_all_of(owned->graph, NULL, list);
		next = table; /* the next one may have been moved, too */
	}
}

struct owned *graph_node_end_begin(const void *node)
{
	struct owned *list = NULL;

	if (!count || !node)
		return NULL;
	pthread_mutex_lock(&lock);
	take_all_of(NULL, node, &list);
	pthread_mutex_unlock(&lock);
	return list;
}

void graph_node_end_finish(struct owned *list, bool failed)
{
	struct owned *owned;

	if (!list)
		return;
	pthread_mutex_lock(&lock);
	while ((owned = list)) {
		list = owned->next;
		if (failed)
			graph_owner_enter(owned);
		else
			free(owned);
	}
	pthread_mutex_unlock(&lock);
}

void graph_owner_ended(const void *graph)
{
	struct owned *list = NULL;

	if (!count)
		return;
	pthread_mutex_lock(&lock);
	/* CUDA refuses to destroy a graph that belongs to a node. */
	if (!graph_owner_find(graph))
		take_all_of(graph, NULL, &list);
	pthread_mutex_unlock(&lock);
	graph_node_end_finish(list, false);
}
