/* The caches and the course of a plan (pools/course.h): who holds it, and whose
 * threads may free along it, see tcache_steps.c.
 *
 * The index is shown in `planned` and not in `table`, so that fast.h finds no
 * block and goes on to tcache_steps.c without an atomic step. */
#include "tcaches.h"
#include "order/fence.h"

/* Where what is idle is limited, or a free may have to wait, each free has to
 * be looked at by the slow path, or as many bytes as there is room for. */
static int64_t course_room(const struct tcache *cache)
{
	size_t room = fence_room(cache->device);

	if (tcache_source->idle_most(cache->device) != SIZE_MAX)
		return 0;
	return room < INT64_MAX / 2 ? (int64_t)room : INT64_MAX / 2;
}

void tcache_course_show(struct tcache *cache)
{
	struct course *course = cache->closed ? NULL : cache->course;

	atomic_store(&cache->planned,
		     course ? atomic_load(&block_table) : &block_table_none);
	atomic_store(&cache->steps,
		     course && course->holder == cache ? course : NULL);
}

void tcache_course_fit(struct tcache *cache)
{
	if (cache->course)
		atomic_store(&cache->planned_room, course_room(cache));
}

void tcache_course_join(struct tcache *cache, struct course *course)
{
	if (!cache)
		return;
	cache->planned_freed = 0;
	if (cache->course == course &&
	    (cache->closed || cache->planned == block_table) &&
	    cache->planned_room == course_room(cache))
		return;
	tcaches_lock();
	cache->course = course;
	tcache_course_fit(cache);
	tcache_course_show(cache);
	tcaches_unlock();
}

void tcache_course_hold(struct tcache *cache, struct course *course)
{
	tcache_course_join(cache, course);
	tcaches_lock();
	course->holder = cache;
	tcache_course_show(cache);
	tcaches_unlock();
}

void tcache_course_leave(struct tcache *cache)
{
	if (cache->course && cache->course->holder == cache)
		cache->course->holder = NULL;
	cache->course = NULL;
}

void tcaches_course_recall(struct course *course)
{
	struct tcache *cache = course->holder;

	if (cache == tcache_current)
		return; /* its thread is here, and not on the fast path */
	tcaches_lock();
	tcache_close(cache, CLOSED_OTHER);
	tcaches_wait();
	course->holder = NULL;
	tcache_open(cache, CLOSED_OTHER);
	tcaches_unlock();
}

void tcaches_course_close(struct course *course)
{
	bool any = false;

	tcaches_lock();
	for (struct tcache *at = caches; at; at = at->next)
		if (at->course == course) {
			tcache_close(at, CLOSED_OTHER);
			any = true;
		}
	if (any)
		tcaches_wait();
	for (struct tcache *at = caches; any && at; at = at->next)
		if (at->course == course) {
			tcache_course_leave(at);
			tcache_open(at, CLOSED_OTHER);
		}
	tcaches_unlock();
}
