/* A garbage threshold: a pool that has reserved more than it says gives back
 * regions that have been free for long, before it takes another one. */
#ifndef MNM_GARBAGE_H
#define MNM_GARBAGE_H

struct pool;

/* In percent of the pools' limit, or else of the hard limit, or else of the
 * device's memory; 0 means that there is none. */
void garbage_threshold_set(unsigned int percent);

/* Gives back what is past the threshold, as far as it is old. Called where the
 * pool is about to take memory from the driver, with no lock held. */
void garbage_collect(struct pool *pool);

#endif
