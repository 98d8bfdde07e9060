/* A training trace as a script. Slots of the trace are reused, as a program's
 * variables are, so the table of blocks stays small. */
#include <stdlib.h>

#include "trace/trace_file.h"
#include "allocator.h"
#include "fail.h"
#include "work.h"

struct replay {
	struct script *script;
	const struct trace_file *trace;
	/* By the id of a block: its slot, its size, and its stream. */
	size_t *slot, *size;
	uint8_t *stream;
	size_t *idle, idle_count; /* slots that are free */
	bool streams;             /* whether the trace's streams count */
};

static void replay_alloc(struct replay *replay, const struct trace_event *event)
{
	size_t slot = replay->idle_count ? replay->idle[--replay->idle_count]
					 : replay->script->slots;
	unsigned int stream = replay->streams ? event->stream : 0;

	replay->slot[event->id] = slot;
	replay->size[event->id] = event->bytes;
	replay->stream[event->id] = (uint8_t)stream;
	script_alloc_in(replay->script, slot, event->bytes, stream);
	if (stream) /* it is filled there, and used in stream 0 */
		script_order(replay->script, stream, 0);
}

static void replay_free(struct replay *replay, uint64_t id)
{
	replay->idle[replay->idle_count++] = replay->slot[id];
	script_free_in(replay->script, replay->slot[id], replay->size[id],
		       replay->stream[id], 0);
}

/* A stream that fills ahead does not get further than an iteration. */
static void replay_mark(struct replay *replay, int before, int now)
{
	if (replay->streams && now != before)
		for (unsigned int i = 1; i < replay->trace->streams; i++)
			script_order(replay->script, 0, i);
}

static void replay_events(struct replay *replay)
{
	const struct trace_file *trace = replay->trace;
	int iteration = -1;

	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_event *event = &trace->events[i];

		if (event->kind == TRACE_MALLOC) {
			replay_alloc(replay, event);
		} else if (event->kind == TRACE_FREE) {
			replay_free(replay, event->id);
		} else {
			replay_mark(replay, iteration, event->iteration);
			iteration = event->iteration;
		}
	}
}

static void replay_fill(struct script *script, const struct trace_file *trace,
			bool streams)
{
	size_t count = trace->last_id + 1;
	struct replay replay = {
		.script = script,
		.trace = trace,
		.slot = calloc(count, sizeof(*replay.slot)),
		.size = calloc(count, sizeof(*replay.size)),
		.stream = calloc(count, sizeof(*replay.stream)),
		.idle = calloc(count, sizeof(*replay.idle)),
		.streams = streams,
	};

	if (!replay.slot || !replay.size || !replay.stream || !replay.idle)
		fail("replay", "no memory on the host");
	replay_events(&replay);
	free(replay.slot);
	free(replay.size);
	free(replay.stream);
	free(replay.idle);
}

static void trace_build(struct crew *crew, const char *path, bool streams)
{
	struct trace_file trace;

	crew_alone(crew);
	if (!path)
		fail("replay", "needs a trace");
	if (trace_open(&trace, path))
		exit(1); /* trace_open has said why */
	if (streams && trace.streams > BENCH_STREAMS)
		fail(path, "has more than two streams");
	replay_fill(&crew->workers[0].timed, &trace, streams);
	trace_close(&trace);
}

void replay_build(struct crew *crew, const char *argument)
{
	trace_build(crew, argument, false);
}

void streams_build(struct crew *crew, const char *argument)
{
	trace_build(crew, argument, true);
	crew->play = streams_play;
}
