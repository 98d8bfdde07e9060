/* What serves a device: a pool, and what its regions are made of, the backing.
 * A choice is a number. That of a pool with its own backing is the index of the
 * pool's row (pool_list.h). */
#ifndef MNM_POOL_CHOICE_H
#define MNM_POOL_CHOICE_H

#include <stddef.h>

#include <mnm/place.h>

enum { BACKING_COUNT = MNM_BACKING_HOST + 1 };

/* How each is spelled. */
extern const char *const backing_words[BACKING_COUNT];

/* Reads NAME or NAME@BACKING. Returns the choice, or -1 if there is none: then
 * *bad says what is wrong. */
int pool_choice_find(const char *text, const char **bad);

/* The choice as pool_choice_find reads it: NAME if the backing is the pool's
 * own. With its NUL it has at most so many bytes. */
enum { POOL_CHOICE_SIZE = 80 };
const char *pool_choice_name(int choice);

/* The index of its pool in pool_rows. */
int pool_choice_row(int choice);

enum mnm_backing pool_choice_backing(int choice);

/* What serves pinned memory where the choice is for that as well: a pool that
 * has regions has them there of pinned memory. */
int pool_choice_pinned(int choice);

struct pool_row;

/* One of the backings that a pool may have, its own first; NULL after the last
 * one. */
const char *pool_backing(const struct pool_row *row, int index);

#endif
