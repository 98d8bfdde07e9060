/* The way along a plan that needs no lock: while a program does what the plan
 * of tstack_pool says, one thread at a time takes the plan's next place by
 * itself (plan/replay_step.h), and each thread frees what lies there. That
 * thread holds the course. The caches (tcache/tcache_course.c) know who may;
 * the pool, which is called under its context's lock, has them recalled before
 * it looks at what they change. */
#ifndef MNM_COURSE_H
#define MNM_COURSE_H

#include <stddef.h>
#include <stdint.h>

#include "plan/arena.h"
#include "plan/replay.h"

struct course;
struct pool;

/* What a pool needs of the layers above; called under the context's lock. */
struct course_doors {
	/* When this returns, no other thread holds the course. */
	void (*recall)(struct course *course);
	/* The same, and no thread is on the way to free a block, nor will be.
	 */
	void (*close)(struct course *course);
	/* The cell is no more, and a block that lives there goes on as one of
	 * those that no plan has placed. To be called while the doors are
	 * closed. */
	void (*leave)(struct course *course, struct arena_cell *cell);
};

struct course {
	const struct course_doors *doors; /* NULL: nobody may take this way */
	struct pool *pool;                /* whose it is */
	void *holder;                     /* a thread's cache, or NULL */
	const void *asker;                /* the one that asked last */
	unsigned int turns; /* its requests in a row that came in their turn */
	struct replay *replay; /* NULL: no plan is followed */
	struct arena *arena;
	size_t unit; /* spans are what is asked for, rounded up to a multiple of
		      * this power of two; 0: they are not */
};

static inline uint64_t course_now(const struct course *course)
{
	return arena_now(course->arena);
}

static inline void course_recall(struct course *course)
{
	if (course->holder)
		course->doors->recall(course);
}

#endif
