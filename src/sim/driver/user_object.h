/* Objects of the program that graphs keep: counted references, and a function
 * that ends the object with the last of them. All calls need the lock. */
#ifndef SIM_USER_OBJECT_H
#define SIM_USER_OBJECT_H

#include <stdbool.h>

struct graph;
struct stream;
struct user_object;

/* What a graph has of one object. */
struct user_share {
	struct user_share *next;
	struct user_object *object;
	unsigned count;
};

/* Gives a copy of a graph a reference to each object of the graph. Returns
 * false when memory is short. */
bool user_objects_copy(const struct graph *from, struct graph *to);
/* Takes back what a graph has. */
void user_objects_close(struct graph *graph);
/* Keeps the objects of a graph, and of graphs in it, until what is in the
 * stream is over. Returns false when memory is short. */
bool user_objects_hold(const struct graph *graph, struct stream *stream);

#endif
