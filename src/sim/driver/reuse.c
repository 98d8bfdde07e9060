#include "reuse.h"

#include "block.h"
#include "stream.h"
#include "world.h"

void freed_note(struct freed *freed, struct stream *stream)
{
	fence_clear(&freed->fence);
	freed->stream = stream;
	freed->lane = stream->lane;
	freed->position = stream->submitted;
	freed->end = stream->end;
	/* If memory is short, less order is known than there is. */
	fence_add(&freed->fence, stream, stream->submitted);
}

bool freed_is_known(const struct freed *freed)
{
	return !freed || past_has(&world.known, freed->lane, freed->position);
}

bool freed_is_done(const struct freed *freed)
{
	return !freed || freed->stream->completed >= freed->position;
}

/* Whether the stream's next operation will come behind the free. */
static bool is_ordered(const struct freed *freed, struct asker *asker)
{
	uint64_t time = 0;

	if (!asker->ready)
		stream_before(asker->stream, &asker->before, &time);
	asker->ready = true;
	return past_has(&asker->before.past, freed->lane, freed->position);
}

enum reuse reuse_rank(const struct block *block, const int *policies,
		      struct asker *asker)
{
	const struct freed *freed = block->freed;

	if (freed_is_known(freed) || freed->lane == asker->stream->lane)
		return REUSE_OWN;
	if (policies[FOLLOW_EVENTS] && is_ordered(freed, asker))
		return REUSE_ORDERED;
	if (policies[OPPORTUNISTIC] && freed_is_done(freed))
		return REUSE_BY_LUCK;
	return policies[INTERNAL] ? REUSE_WAITING : REUSE_NEVER;
}

bool reuse_order(struct stream *stream, const struct block *block,
		 enum reuse how)
{
	const struct freed *freed = block->freed;

	if (how == REUSE_BY_LUCK)
		return past_join(&stream->waits.past, &freed->fence.past);
	if (how == REUSE_ORDERED)
		return stream_mark(stream);
	if (how != REUSE_WAITING)
		return true;
	if (stream->end < freed->end)
		stream->end = freed->end;
	return fence_merge(&stream->waits, &freed->fence);
}
