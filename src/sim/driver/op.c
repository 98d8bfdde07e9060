#include "op.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "access.h"
#include "call.h"
#include "capture.h"
#include "clock.h"
#include "context.h"
#include "queue.h"
#include "stream.h"
#include "thread.h"
#include "world.h"

enum { LOOK_NS = 50000, SECOND_NS = 1000000000 };

struct op *op_new(void (*run)(struct op *op))
{
	struct op *op = calloc(1, sizeof(*op));

	if (op)
		op->run = run;
	return op;
}

void op_drop(struct op *op)
{
	access_end(op);
	if (op->ended)
		op->ended(op);
	fence_clear(&op->before);
	free(op->owned);
	free(op);
}

struct op *op_copy(const struct op *op)
{
	struct op *copy = op_new(op->run);

	if (!copy)
		return NULL;
	*copy = *op;
	copy->next = NULL;
	copy->before = (struct fence){0};
	copy->owned = NULL;
	copy->ended = NULL;
	if (!copy->renew || !copy->renew(copy))
		return copy;
	op_drop(copy);
	return NULL;
}

/* The flag of the context whose functions run one at a time. */
static bool *calling_of(const struct stream *stream)
{
	struct context *ctx = stream->ctx;

	return ctx->green_of ? &ctx->green_of->calling : &ctx->calling;
}

/* Only this function says when a stream's next operation may run. */
bool op_ready(const struct stream *stream)
{
	struct op *op = stream->first;

	return op && !stream->running && fence_done(&op->before) &&
	       !(op->calls && *calling_of(stream)) &&
	       !(op->held && op->held(op));
}

void op_look_again(pthread_cond_t *changed)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_NS;
	if (until.tv_nsec >= SECOND_NS) {
		until.tv_nsec -= SECOND_NS;
		until.tv_sec++;
	}
	pthread_cond_timedwait(changed, &world.lock, &until);
}

static void streams_wake(struct context *ctx)
{
	for (struct stream *s = ctx->streams; s; s = s->next)
		if (s->first && !s->running)
			pthread_cond_signal(&s->work);
}

/* Ends the stream's first operation, and wakes those that may wait for it:
 * hosts, and streams of any context. */
static void op_complete(struct op *op, struct stream *stream)
{
	stream->first = op->next;
	if (!stream->first)
		stream->last = &stream->first;
	stream->completed++;
	stream->ctx->dev->pending--;
	if (op->held)
		world.holding--;
	world_calm();
	if (world.waiting)
		pthread_cond_broadcast(&world.done);
	for (int i = 0; i < world.device_count; i++) {
		struct device *dev = &world.devices[i];

		if (!dev->pending)
			continue;
		streams_wake(&dev->primary);
		for (struct context *c = dev->contexts; c; c = c->next)
			streams_wake(c);
	}
	op_drop(op);
	if (!stream->first && !stream->magic)
		stream_retire(stream);
}

void op_run_first(struct stream *stream)
{
	struct op *op = stream->first;
	bool was_worker = self.worker;
	bool runs;

	if (world.seed.on)
		call_log_run(stream->id, stream->completed + 1);
	runs = access_start(op);
	stream->running = true;
	if (op->calls)
		*calling_of(stream) = true;
	self.worker = true; /* what runs must not call in */
	pthread_mutex_unlock(&world.lock);
	if (runs)
		op->run(op);
	pthread_mutex_lock(&world.lock);
	self.worker = was_worker;
	if (op->calls)
		*calling_of(stream) = false;
	stream->running = false;
	op_complete(op, stream);
}

bool op_help(struct stream *stream)
{
	if (!op_ready(stream) || stream->first->on_worker)
		return false;
	op_run_first(stream);
	return true;
}

static void *worker(void *arg)
{
	struct stream *stream = arg;

	pthread_mutex_lock(&world.lock);
	for (;;) {
		if (op_ready(stream))
			op_run_first(stream);
		else if (stream->first && stream->first->held)
			op_look_again(&stream->work);
		else
			pthread_cond_wait(&stream->work, &world.lock);
	}
	return NULL;
}

/* Signals are the program's business, so a worker blocks all of them. */
static CUresult worker_start(struct stream *stream)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (stream->has_worker || world.seed.on)
		return CUDA_SUCCESS;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attr, worker, stream);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->has_worker = true;
	return CUDA_SUCCESS;
}

/* Adds an operation that is about to be queued to the stream's past. Returns
 * false when memory is short. */
static bool past_submit(struct op *op, struct stream *stream)
{
	struct past *past = &op->before.past;

	if (!world.tracking)
		return true;
	if (!past_reach(past, stream->lane, stream->submitted + 1) ||
	    !past_join(&stream->past, past))
		return false;
	return !world.checking || access_submit(op, stream);
}

CUresult op_submit(struct op *op, struct stream *stream, uint64_t ns)
{
	struct device *dev = stream->ctx->dev;
	uint64_t start = self.now;
	CUresult res = stream->capture ? CUDA_SUCCESS : queue_wait(stream);

	if (res) {
		op_drop(op);
		return res;
	}
	if (stream->capture)
		return capture_take(op, stream, ns);
	if (!stream_before(stream, &op->before, &start) ||
	    worker_start(stream) || !past_submit(op, stream)) {
		op_drop(op);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	stream->end = start + ns;
	if (stream->end > dev->end)
		dev->end = stream->end;
	stream->gate_number = stream->ctx->gate_number;
	fence_clear(&stream->waits);
	op->stream = stream;
	*stream->last = op;
	stream->last = &op->next;
	stream->submitted++;
	dev->pending++;
	if (op->held)
		world.holding++;
	world_busy();
	pthread_cond_signal(&stream->work);
	return CUDA_SUCCESS;
}
