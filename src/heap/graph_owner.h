/* Graphs that belong to a node of another graph, their owner: a child graph,
 * copied or moved, and the bodies of a conditional node. What is captured into
 * such a graph belongs to its owner. It ends without a call of its own when the
 * owner is destroyed. */
#ifndef MNM_GRAPH_OWNER_H
#define MNM_GRAPH_OWNER_H

#include <stdbool.h>

struct owned;

/* The graph belongs to this node of its owner. NULL: the owner is not known, so
 * what the graph holds is held for good. */
void graph_owned(const void *graph, const void *owner, const void *node);

/* The graph belongs to this node. Unless its owner is known, does what
 * graph_owned does without an owner. */
void graph_met(const void *graph, const void *node);

/* The graph whose end is also the end of this one: its outermost owner, or the
 * graph itself if it has none. If an owner is not known, a handle that never
 * ends. */
const void *graph_root(const void *graph);

/* A new graph, which has no owner, is at this address now. */
void graph_is_new(const void *graph);

/* A node is about to be destroyed, and with it all graphs that belong to it;
 * then, how that went. The list is what the first has returned. */
struct owned *graph_node_end_begin(const void *node);
void graph_node_end_finish(struct owned *list, bool failed);

/* The graph is about to be destroyed, and with it all graphs that belong to its
 * nodes. */
void graph_owner_ended(const void *graph);

#endif
