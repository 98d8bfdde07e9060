/* Conditions of graphs: a value that kernels set, and nodes that run one of
 * their graphs, or none, or one again and again, as the value says. A condition
 * lives as long as a graph, a node or an operation has it. All calls need the
 * lock. */
#ifndef SIM_CONDITION_H
#define SIM_CONDITION_H

#include <stdbool.h>

#include <cuda.h>

struct context;
struct exec;
struct graph;
struct node;
struct op;
struct stream;

struct condition {
	unsigned value;         /* first: the handle is its address */
	struct condition *made; /* the one made before: all stay reachable */
	unsigned first;         /* the value at each launch */
	unsigned users; /* the graph, nodes and operations; 0: it has gone, and
			 * is used again */
	struct condition *next; /* of the graph, or of the spare ones */
	struct context *ctx;
	bool used; /* a node of the program's has it */
};

/* Sets the value of a condition's handle for a kernel. False if there is no
 * such condition. Takes the lock. */
bool condition_set(CUgraphConditionalHandle handle, unsigned value);
/* Gives up the conditions of a graph that is closed. */
void conditions_close(struct graph *graph);
void condition_drop(struct condition *condition);
/* Gives a copy of a node the same condition, and copies of the graphs. Returns
 * false when memory is short. */
bool condition_copy(const struct node *node, struct node *copy);
/* Whether a graph, or one in it, has such nodes. */
bool graph_has_conditions(const struct graph *graph);
/* Whether the graphs of such nodes have only what they may have. */
bool conditions_fit(const struct graph *graph);
/* The operation of such a node, with copies of its graphs, or NULL when memory
 * is short. */
struct op *condition_op(struct node *node);
/* Sets the values of all conditions, as the first operation of a launch, which
 * comes behind the launches before. Does nothing if there are none. */
CUresult conditions_start(const struct exec *exec, struct stream *stream);

#endif
