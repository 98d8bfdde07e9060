/* A set of nodes, each in it once, in the order of their coming. */
#ifndef SIM_NODES_H
#define SIM_NODES_H

#include <stdbool.h>
#include <stddef.h>

struct node;

struct nodes {
	struct node **at;
	unsigned count, room;
};

/* False when memory is short. */
bool nodes_add(struct nodes *nodes, struct node *node);
bool nodes_merge(struct nodes *nodes, const struct nodes *other);
bool nodes_have(const struct nodes *nodes, const struct node *node);
void nodes_remove(struct nodes *nodes, const struct node *node);
void nodes_clear(struct nodes *nodes);

#endif
