/* A set of nodes, in the order in which they were added; a removal
 * changes it. */
#ifndef SIM_NODES_H
#define SIM_NODES_H

#include <stdbool.h>
#include <stddef.h>

struct node;

struct nodes {
	struct node **at;
	unsigned count, room;
};

/* Both return false when memory is short. */
bool nodes_add(struct nodes *nodes, struct node *node);
bool nodes_merge(struct nodes *nodes, const struct nodes *other);
bool nodes_have(const struct nodes *nodes, const struct node *node);
void nodes_remove(struct nodes *nodes, const struct node *node);
void nodes_clear(struct nodes *nodes);

#endif
