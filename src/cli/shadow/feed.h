/* What a program does, handed on to the players. */
#ifndef MNM_SHADOW_FEED_H
#define MNM_SHADOW_FEED_H

#include "shadows.h"

/* Hands on what is new, as far as each player has room by now: one that is slow
 * keeps the others waiting, but not whoever calls. Sets *more if there is more
 * at once. Returns false without memory, or if the recording can't be followed
 * any further, after a line. */
bool news_feed(struct shadows *shadows, bool *more);

/* Whether a player has yet to play what was read, or there is more to read. */
bool news_wait(const struct shadows *shadows);

/* How far a player is behind the program: steps that are known, and seconds. */
uint64_t shadow_behind_steps(const struct shadows *shadows,
			     const struct shadow *shadow);
double shadow_behind_seconds(const struct shadows *shadows,
			     const struct shadow *shadow);

/* It is given no more steps. */
void shadow_stop(struct shadow *shadow);

#endif
