/* Conditions of graphs. Nothing on the device sets one, so a node's value is
 * the default that a launch gives it, or 0. */
#ifndef SIM_CONDITION_H
#define SIM_CONDITION_H

struct graph;

/* Those of a graph that goes. */
void conditions_close(struct graph *graph);

#endif
