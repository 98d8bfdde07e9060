/* Graphs that belong to a node of another: a child, copied or moved, and the
 * bodies of a condition. What is captured into one is the other's, and it goes
 * without a call when that is destroyed. */
#ifndef MNM_GRAPH_OWNER_H
#define MNM_GRAPH_OWNER_H

#include <stdbool.h>

struct owned;

/* The graph is of that node of owner's; NULL: of one that is not known, so that
 * what it holds is held for good. */
void graph_owned(const void *graph, const void *owner, const void *node);

/* As that, unless its owner is known. */
void graph_met(const void *graph, const void *node);

/* Whose end is the graph's as well: itself, if it belongs to none. */
const void *graph_root(const void *graph);

/* A graph that is nobody's is at that address now. */
void graph_is_new(const void *graph);

/* A node is about to be destroyed, and all that belong to it; and how that
 * went. */
struct owned *graph_node_end_begin(const void *node);
void graph_node_end_finish(struct owned *list, bool failed);

/* The graph is about to go, and with it all that belong to it. */
void graph_owner_ended(const void *graph);

#endif
