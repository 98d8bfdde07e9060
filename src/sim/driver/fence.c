#include "fence.h"

#include <stdlib.h>

#include "op.h"
#include "stream.h"
#include "world.h"

static bool point_done(const struct point *point)
{
	return point->stream->completed >= point->position;
}

static bool point_add(struct fence *fence, struct stream *stream,
		      uint64_t position)
{
	struct point point = {stream, position};

	if (point_done(&point))
		return true;
	for (unsigned i = 0; i < fence->count; i++) {
		struct point *have = &fence->points[i];

		if (have->stream == stream) {
			if (have->position < position)
				have->position = position;
			return true;
		}
	}
	if (fence->count == fence->room) {
		unsigned room = fence->room ? 2 * fence->room : 4;
		struct point *points =
			realloc(fence->points, room * sizeof(*points));

		if (!points)
			return false;
		fence->points = points;
		fence->room = room;
	}
	fence->points[fence->count++] = point;
	return true;
}

bool fence_add(struct fence *fence, struct stream *stream, uint64_t position)
{
	bool ok = point_add(fence, stream, position);

	if (!world.tracking)
		return ok;
	/* Only the last operation's past is kept, not that of an
	 * older point. */
	if (position < stream->submitted)
		return past_reach(&fence->past, stream->lane, position) && ok;
	return past_join(&fence->past, &stream->past) && ok;
}

bool fence_merge(struct fence *fence, const struct fence *other)
{
	bool ok = past_join(&fence->past, &other->past);

	for (unsigned i = 0; i < other->count; i++)
		ok &= point_add(fence, other->points[i].stream,
				other->points[i].position);
	return ok;
}

bool fence_has(const struct fence *fence, const struct stream *stream,
	       uint64_t position)
{
	for (unsigned i = 0; i < fence->count; i++)
		if (fence->points[i].stream == stream)
			return fence->points[i].position >= position;
	return false;
}

bool fence_done(struct fence *fence)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < fence->count; i++)
		if (!point_done(&fence->points[i]))
			fence->points[kept++] = fence->points[i];
	fence->count = kept;
	return !kept;
}

bool fence_asked(struct fence *fence)
{
	return fence_done(fence) && past_join(&world.known, &fence->past);
}

/* A thread that has to wait for work runs what is ready of it. That saves two
 * switches of threads, which are most of what a short operation costs. */
static bool fence_help(const struct fence *fence)
{
	for (unsigned i = 0; i < fence->count; i++)
		if (op_help(fence->points[i].stream))
			return true;
	return false;
}

void fence_pass(struct fence *fence)
{
	while (!fence_done(fence)) {
		if (world.seed.on ? seed_help(fence) : fence_help(fence))
			continue;
		world.waiting++;
		if (world.seed.on && world.holding)
			op_look_again(&world.done);
		else
			pthread_cond_wait(&world.done, &world.lock);
		world.waiting--;
	}
}

void fence_wait(struct fence *fence)
{
	fence_pass(fence);
	/* If memory is short, the checker just knows less than it could. */
	past_join(&world.known, &fence->past);
}

void fence_clear(struct fence *fence)
{
	free(fence->points);
	past_clear(&fence->past);
	*fence = (struct fence){0};
}
