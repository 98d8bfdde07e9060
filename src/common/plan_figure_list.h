/* What `mnm stat` says of a plan that a pool follows, a row each:
 * FIGURE(name, unit, help), the help in at most 41 characters. */
#ifndef MNM_PLAN_FIGURE_LIST_H
#define MNM_PLAN_FIGURE_LIST_H

/* clang-format off */
#define PLAN_FIGURE_LIST \
FIGURE(period, COUNT, "requests of an iteration") \
FIGURE(peak, BYTES, "of the largest plan's addresses") \
FIGURE(bound, BYTES, "no plan has less") \
FIGURE(arena_bytes, BYTES, "taken for the plan, live or idle") \
FIGURE(arena_live, BYTES, "of these, with the program") \
FIGURE(asked_bytes, BYTES, "asked for while a plan was followed") \
FIGURE(placed_bytes, BYTES, "of these, served where it says") \
FIGURE(steps, COUNT, "requests placed without a lock") \
FIGURE(deviations, COUNT, "requests that the plan did not foresee") \
FIGURE(blocked, COUNT, "requests whose place was still in use") \
FIGURE(plans, COUNT, "plans made") \
FIGURE(templates, COUNT, "plans that are kept, for as many shapes") \
FIGURE(loads, COUNT, "plans read from a file") \
FIGURE(plan_us, COUNT, "microseconds that the last one took")
/* clang-format on */

#endif
