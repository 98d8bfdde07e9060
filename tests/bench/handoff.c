/* One thread allocates, another frees: blocks go through a ring. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fail.h"
#include "work.h"

enum { RING = 256, BLOCKS = 4096, SIZES = 4, STEP = 65536, SPINS = 1000 };

/* Each side has a cache line of its own. */
struct ring {
	_Alignas(64) atomic_ulong written; /* blocks so far, by one side */
	_Alignas(64) atomic_ulong read;    /* by the other side */
	_Alignas(64) void *blocks[RING];
};

/* Waits until *count is past `before`. If both sides share a core, the other
 * one has to run meanwhile. */
static unsigned long await(atomic_ulong *count, unsigned long before)
{
	unsigned long now;
	unsigned int spins = 0;

	while ((now = atomic_load_explicit(count, memory_order_acquire)) <=
	       before)
		if (++spins % SPINS == 0)
			sched_yield();
	return now;
}

static void allocate(const struct worker *worker)
{
	const struct contender *who = worker->crew->who;
	struct ring *ring = worker->crew->ring;
	unsigned long at = ring->written;

	for (size_t i = 0; i < worker->timed.count; i++, at++) {
		void *block = who->alloc(worker->timed.ops[i].size);

		if (!block)
			fail(who->version, "out of memory");
		if (at >= RING)
			await(&ring->read, at - RING);
		ring->blocks[at % RING] = block;
		atomic_store_explicit(&ring->written, at + 1,
				      memory_order_release);
	}
}

static void release(const struct worker *worker)
{
	const struct contender *who = worker->crew->who;
	struct ring *ring = worker->crew->ring;
	unsigned long at = ring->read;

	for (size_t i = 0; i < worker->timed.count; i++, at++) {
		await(&ring->written, at);
		who->free(ring->blocks[at % RING], worker->timed.ops[i].size);
		atomic_store_explicit(&ring->read, at + 1,
				      memory_order_release);
	}
}

static void handoff_play(struct worker *worker)
{
	if (worker->index)
		release(worker);
	else
		allocate(worker);
}

void handoff_build(struct crew *crew, const char *argument)
{
	static struct ring ring;

	if (argument)
		fail("handoff", "takes no argument");
	crew->count = 2;
	crew->width = 1;
	crew->play = handoff_play;
	crew->ring = &ring;
	for (size_t i = 0; i < BLOCKS; i++) {
		size_t size = (i % SIZES + 1) * STEP;

		script_alloc(&crew->workers[0].timed, 0, size);
		script_free(&crew->workers[1].timed, 0, size);
	}
}
