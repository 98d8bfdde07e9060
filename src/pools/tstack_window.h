/* Parts of the arena that go to others while the rest of it stays: the cheapest
 * contiguous window of whole pages in which no block is. */
#ifndef MNM_TSTACK_WINDOW_H
#define MNM_TSTACK_WINDOW_H

#include "tstack.h"

/* Takes a window of at least so many bytes out of the arena, if few of the
 * planned bytes lose their place by that. What is planned there is the base
 * pool's from then on, until the arena ends. Returns false if there is none, or
 * if the arena is in a region that goes back whole. */
bool tstack_window_take(struct tstack_pool *self, size_t bytes,
			struct mnm_place *place);

/* Whether a slot has lost its place. */
bool tstack_window_has(const struct tstack_pool *self,
		       const struct replay_slot *slot);

/* The arena has ended. */
void tstack_window_end(struct tstack_pool *self);

#endif
