/* Conditions of graphs. Nothing on the device sets one, so its value is the
 * default that a launch gives it, or 0. */
#ifndef SIM_CONDITION_H
#define SIM_CONDITION_H

struct graph;

/* Frees the conditions of a graph that is closed. */
void conditions_close(struct graph *graph);

#endif
