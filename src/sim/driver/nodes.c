#include "nodes.h"

#include <stdlib.h>

bool nodes_have(const struct nodes *nodes, const struct node *node)
{
	for (unsigned i = 0; i < nodes->count; i++)
		if (nodes->at[i] == node)
			return true;
	return false;
}

bool nodes_add(struct nodes *nodes, struct node *node)
{
	if (nodes_have(nodes, node))
		return true;
	if (nodes->count == nodes->room) {
		unsigned room = nodes->room ? 2 * nodes->room : 4;
		struct node **at =
			realloc(nodes->at, room * sizeof(struct node *));

		if (!at)
			return false;
		nodes->at = at;
		nodes->room = room;
	}
	nodes->at[nodes->count++] = node;
	return true;
}

bool nodes_merge(struct nodes *nodes, const struct nodes *other)
{
	bool ok = true;

	for (unsigned i = 0; i < other->count; i++)
		ok &= nodes_add(nodes, other->at[i]);
	return ok;
}

void nodes_remove(struct nodes *nodes, const struct node *node)
{
	for (unsigned i = 0; i < nodes->count; i++)
		if (nodes->at[i] == node)
			nodes->at[i--] = nodes->at[--nodes->count];
}

void nodes_clear(struct nodes *nodes)
{
	free(nodes->at);
	*nodes = (struct nodes){0};
}
