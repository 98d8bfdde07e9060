/* Works whose blocks are of streams. */
#include "allocator.h"
#include "fail.h"
#include "work.h"

enum { STEP = 65536, SIZES = 4, LIVE = 16, COUNT_MAX = 100000 };

static void op_play(const struct op *op, void **blocks,
		    const struct contender *who)
{
	if (op->kind == OP_FREE) {
		who->free_in(blocks[op->slot], op->size, op->first, op->second);
	} else if (op->kind == OP_ORDER) {
		who->order(op->first, op->second);
	} else {
		blocks[op->slot] = who->alloc_in(op->size, op->first);
		if (!blocks[op->slot])
			fail(who->version, "out of memory");
	}
}

void streams_play(struct worker *worker)
{
	const struct contender *who = worker->crew->who;
	const struct script *script = &worker->timed;

	if (!who->stream)
		fail(who->version, "follows no streams");
	for (size_t i = 0; i < script->count; i++)
		op_play(&script->ops[i], worker->blocks, who);
}

static size_t stream_size(size_t i)
{
	return (i % SIZES + 1) * STEP;
}

/* A few blocks are live at a time, and each is freed in its own stream. */
static void turn_fill(struct script *script, size_t count, unsigned int stream)
{
	for (size_t i = 0; i < count; i++) {
		if (i >= LIVE)
			script_free_in(script, i % LIVE, stream_size(i - LIVE),
				       stream, stream);
		script_alloc_in(script, i % LIVE, stream_size(i), stream);
	}
	for (size_t i = count < LIVE ? 0 : count - LIVE; i < count; i++)
		script_free_in(script, i % LIVE, stream_size(i), stream,
			       stream);
}

/* An iteration: so many pairs in one stream, and behind them as many in the
 * other, which the next iteration comes behind. */
void turns_build(struct crew *crew, const char *argument)
{
	size_t count = number_read("turns", argument, COUNT_MAX);
	struct script *script = &crew->workers[0].timed;

	crew_alone(crew);
	crew->play = streams_play;
	for (unsigned int stream = 0; stream < BENCH_STREAMS; stream++) {
		turn_fill(script, count, stream);
		script_order(script, stream, !stream);
	}
}

/* An iteration: stream 0 gets blocks, which stream 1 is the last to use. One
 * event puts it behind stream 0, and one puts the next iteration behind it. */
void cross_build(struct crew *crew, const char *argument)
{
	size_t count = number_read("cross", argument, COUNT_MAX);
	struct script *script = &crew->workers[0].timed;

	crew_alone(crew);
	crew->play = streams_play;
	for (size_t i = 0; i < count; i++)
		script_alloc_in(script, i, stream_size(i), 0);
	script_order(script, 0, 1);
	for (size_t i = 0; i < count; i++)
		script_free_in(script, i, stream_size(i), 0, 1);
	script_order(script, 1, 0);
}
