#include "seed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "op.h"
#include "stream.h"
#include "world.h"

enum {
	LAZY,   /* nothing runs unless somebody waits for it */
	EAGER,  /* everything runs that can */
	MIXED,  /* a few operations run now and then */
	FAVOUR, /* only one stream runs */
	STARVE, /* all streams but one run */
};

enum { PHASE_LONGEST_BITS = 6, EAGER_MOST = 64 };

/* Wrong reuse shows when old work is late, so LAZY counts double. */
static const unsigned moods[] = {LAZY, LAZY, EAGER, MIXED, FAVOUR, STARVE};

CUresult seed_open(void)
{
	const char *text = getenv("MNM_SIM_SEED");
	struct seed *seed = &world.seed;
	char *end;

	if (!text || !*text)
		return CUDA_SUCCESS;
	errno = 0;
	seed->value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno) {
		fprintf(stderr,
			"mnm-sim: MNM_SIM_SEED: \"%s\" is not 0 to %" PRIu64
			"\n",
			text, UINT64_MAX);
		return CUDA_ERROR_NO_DEVICE;
	}
	seed->on = true;
	seed->state = seed->value;
	return CUDA_SUCCESS;
}

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014; its constants are part of its definition. */
static uint64_t draw(uint64_t below)
{
	uint64_t z = world.seed.state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) % below;
}

static bool is_any(const struct stream *stream)
{
	(void)stream;
	return true;
}

static bool is_ready(const struct stream *stream)
{
	return op_ready(stream);
}

static bool is_ready_now(const struct stream *stream)
{
	const struct seed *seed = &world.seed;

	if (seed->mood == FAVOUR && stream != seed->chosen)
		return false;
	if (seed->mood == STARVE && stream == seed->chosen)
		return false;
	return op_ready(stream);
}

typedef bool stream_test(const struct stream *stream);

/* The k-th stream that fits replaces the picked one with a chance of 1 in k. So
 * all of them have the same chance, however many there are. */
static struct stream *pick_in(struct context *ctx, stream_test *fits,
			      struct stream *picked, unsigned *seen)
{
	for (struct stream *s = ctx->streams; s; s = s->next)
		if (fits(s) && !draw(++*seen))
			picked = s;
	return picked;
}

static struct stream *pick(stream_test *fits)
{
	struct stream *picked = NULL;
	unsigned seen = 0;

	for (int i = 0; i < world.device_count; i++) {
		struct device *dev = &world.devices[i];

		picked = pick_in(&dev->primary, fits, picked, &seen);
		for (struct context *c = dev->contexts; c; c = c->next)
			picked = pick_in(c, fits, picked, &seen);
	}
	return picked;
}

static void phase_begin(void)
{
	struct seed *seed = &world.seed;

	seed->mood = moods[draw(sizeof(moods) / sizeof(*moods))];
	seed->left = 1U << draw(PHASE_LONGEST_BITS + 1);
	seed->chosen = pick(is_any);
}

/* How many operations a call runs at most. */
static unsigned phase_runs(void)
{
	switch (world.seed.mood) {
	case LAZY:
		return 0;
	case EAGER:
		return EAGER_MOST;
	default:
		return draw(2) ? 1 + draw(4) : 0;
	}
}

void seed_step(void)
{
	struct stream *stream;

	if (!world.seed.left)
		phase_begin();
	world.seed.left--;
	for (unsigned runs = phase_runs(); runs; runs--) {
		stream = pick(is_ready_now);
		if (!stream)
			return;
		op_run_first(stream);
	}
}

/* A ready stream whose next operation must run before the fence is
 * complete, or NULL. Heads of queues cannot wait for each other in a
 * circle, so this ends. */
static struct stream *needed(const struct fence *fence)
{
	unsigned first = fence->count ? draw(fence->count) : 0;
	struct stream *found = NULL;

	for (unsigned i = 0; i < fence->count && !found; i++) {
		const struct point *point =
			&fence->points[(first + i) % fence->count];
		struct stream *stream = point->stream;

		if (stream->completed >= point->position || stream->running)
			continue;
		found = op_ready(stream) ? stream
					 : needed(&stream->first->before);
	}
	return found;
}

/* About every other pick is a stream that is needed, so the wait ends even if
 * other threads queue work all the time. */
bool seed_help(const struct fence *fence)
{
	struct stream *stream = NULL;

	if (world.seed.mood != LAZY && draw(2))
		stream = pick(draw(4) ? is_ready_now : is_ready);
	if (!stream)
		stream = needed(fence);
	if (!stream && world.holding)
		stream = pick(is_ready); /* it may write what is waited for */
	if (!stream)
		return false;
	op_run_first(stream);
	return true;
}
