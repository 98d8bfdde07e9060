/* Pools whose answers are checked: those of others. A checked pool stands in
 * front of one and has the same table. It knows what that one holds, so that an
 * answer which is wrong is noticed before anybody acts on it. The pool is
 * switched off then, for good and on all devices: it is asked nothing any more,
 * and its checked pool hands out no memory, and gives back what it held. */
#ifndef MNM_CHECKED_H
#define MNM_CHECKED_H

#include <stdbool.h>
#include <stddef.h>

#include <mnm/pool.h>

#define FAULT_SIZE 160 /* bytes of a line that says what was wrong */

/* The table of the checked pool in front of a pool, whose own table is right.
 * It is made once and stays. NULL without memory. */
const struct mnm_pool_ops *checked_ops(const struct mnm_pool_ops *ops);

/* The pool that a checked pool stands in front of, which has been told what mnm
 * has changed in its record; NULL if that one is switched off. Any other pool
 * is returned as it is. */
struct mnm_pool *checked_inner(struct mnm_pool *pool);

/* Sees to it that a call of a pool which takes no end is left, see call.h. To
 * be called before there is a checked pool. */
void pool_calls_watch(void);

/* Whether that is the table of a checked pool which is switched off. */
bool checked_is_off(const struct mnm_pool_ops *ops);

/* If that is the table of a checked pool: its pool's code may end, so it is
 * switched off without a word. */
void checked_end(const struct mnm_pool_ops *ops);

#endif
