/* A program of laps asks for the same in each lap: a body of some requests,
 * each of which is used and lives for a while. From some lap on it deviates now
 * and then. In some programs each seventh lap has another body, and in some
 * each lap has one of three, which may be told by marks. */
#include "laps.h"

#include "draw.h"
#include "kind.h"
#include "model.h"
#include "step.h"

enum {
	LAP_LEAST = 4, /* requests */
	LAP_MOST = 44,
	REQUESTS_LEAST = 60, /* after those that a plan may be made of */
	REQUESTS_MORE = 200,
	REQUESTS_LED = 300,
	STEPS_LEFT = 160, /* for the end */
	BODIES = 3,
	OTHER_EVERY = 7,   /* laps */
	PERIOD_LEAST = 32, /* requests; shorter laps are taken several times */
	PERIODS_CALM = 3,  /* so many come before the first deviation */
	LAPS_MOST = 400,   /* laps in which no request may be legal */
	SIZE_LEAST = 512,  /* bytes */
	SIZE_MOST = 8 << 20,
	MULTIPLES = 3, /* of a program's sizes */
	LED_NOT = 25,  /* one request in so many */
};

struct request {
	int thread, other; /* the second one frees it */
	int home;
	size_t size; /* bytes */
	bool ordered, async, touched;
	unsigned life; /* requests */
};

struct body {
	struct request requests[LAP_MOST];
	unsigned count;
};

struct held {
	int slot; /* NONE: none */
	int thread;
	bool async;
	unsigned due; /* the number of a request, which comes after its free */
};

struct laps {
	struct program *program;
	struct body bodies[BODIES];
	struct held held[SLOTS_LIVE];
	unsigned count, most; /* requests */
	unsigned calm;        /* so many come before the first deviation */
	unsigned deviates;    /* one request in so many; 0: none */
	unsigned between;     /* one other step in so many requests; 0: none */
	bool early;           /* also before the first deviation */
	bool strict;          /* requests come in one order */
	bool two;             /* each seventh lap has the other body */
	bool mixed;           /* each lap has any body */
	bool told;            /* marks say where laps begin */
	int home;             /* NONE: each request has a stream of its own */
	bool led; /* one thread makes nearly all requests, in no stream's order:
		   * it takes what is planned without a lock */
	bool partly; /* some of them are in the order of a stream all the same
		      */
};

static unsigned below(struct laps *laps, unsigned count)
{
	return random_below(&laps->program->random, count);
}

static bool one_in(struct laps *laps, unsigned count)
{
	return count && random_one_in(&laps->program->random, count);
}

static int thread_draw(struct laps *laps)
{
	return (int)below(laps, (unsigned)laps->program->thread_count);
}

/* A stream of a context that lives. Most are of the one that lives to the
 * end. */
static int home_draw(struct laps *laps, int thread)
{
	const struct step step = {.thread = thread};
	struct program *program = laps->program;
	int context = one_in(laps, 8) && !laps->led
			      ? context_pick(program)
			      : program->devices[0].keeper;

	if (laps->led && laps->home != NONE &&
	    stream_usable(program, &step, laps->home))
		return laps->home;
	return stream_pick_free(program, &step, context);
}

static size_t size_draw(struct laps *laps)
{
	size_t size = laps->program->sizes[below(laps, 3)] *
		      (1 + below(laps, MULTIPLES));

	return size < SIZE_MOST ? size : SIZE_MOST;
}

static struct request request_draw(struct laps *laps, unsigned count)
{
	struct request request = {.thread = thread_draw(laps),
				  .other = thread_draw(laps),
				  .size = size_draw(laps),
				  .ordered = one_in(laps, 4),
				  .async = one_in(laps, 4),
				  .touched = !one_in(laps, 3)};
	if (laps->led) {
		request.thread = one_in(laps, LED_NOT) ? request.thread : 0;
		request.other = one_in(laps, 2) ? request.other : 0;
		request.ordered = laps->partly && one_in(laps, 6);
	}
	/* Few live at a time. Some outlive their lap. */
	unsigned most = one_in(laps, 6) ? count + count / 2 : SLOTS_LIVE / 2;

	request.life = below(laps, most);
	request.home = home_draw(laps, request.thread);
	return request;
}

static void body_draw(struct laps *laps, struct body *body)
{
	body->count = LAP_LEAST + below(laps, LAP_MOST - LAP_LEAST + 1);
	for (unsigned i = 0; i < body->count; i++)
		body->requests[i] = request_draw(laps, body->count);
}

static bool free_add(struct laps *laps, const struct held *held)
{
	const struct step_row *row =
		step_row_find(held->async ? "free_async" : "free");
	struct step *step = step_next(laps->program, row, held->thread);

	if (!step ||
	    !(held->async ? draw_free_async_of(laps->program, step, held->slot)
			  : draw_free_of(laps->program, step, held->slot)))
		return false;
	step_keep(laps->program, step);
	return true;
}

/* Whether it is not held any more. */
static bool held_ends(struct laps *laps, const struct held *held)
{
	struct held by_other = *held;

	if (!laps->program->slots[held->slot].object.live ||
	    free_add(laps, held))
		return true;
	by_other.async = false;
	by_other.thread = thread_draw(laps);
	return free_add(laps, &by_other);
}

/* Frees what is due. What can't be freed now is freed later. */
static void frees_add(struct laps *laps)
{
	for (unsigned i = 0; i < SLOTS_LIVE; i++) {
		struct held *held = &laps->held[i];

		if (held->slot != NONE && held->due <= laps->count &&
		    held_ends(laps, held))
			held->slot = NONE;
	}
}

static void hold(struct laps *laps, const struct request *request, int slot)
{
	unsigned i = 0;

	while (i < SLOTS_LIVE - 1 && laps->held[i].slot != NONE)
		i++;
	laps->held[i] = (struct held){.slot = slot,
				      .thread = request->other,
				      .async = request->async,
				      .due = laps->count + request->life};
}

static void touch_add(struct laps *laps, int thread, int slot)
{
	struct step *step =
		step_next(laps->program, step_row_find("touch"), thread);

	if (step && draw_touch_of(laps->program, step, slot))
		step_keep(laps->program, step);
}

/* If the request's stream is not there any more, it has another one from now
 * on. */
static bool home_find(struct laps *laps, struct request *request)
{
	const struct step step = {.thread = request->thread};

	if (request->home == NONE ||
	    !stream_usable(laps->program, &step, request->home))
		request->home = home_draw(laps, request->thread);
	return request->home != NONE;
}

static void request_add(struct laps *laps, struct request *request)
{
	struct program *program = laps->program;
	struct step *step;
	int slot;

	if (!home_find(laps, request))
		return;
	step = step_next(program, step_row_find("alloc"), request->thread);
	if (!step || !draw_alloc_of(program, step, request->size, request->home,
				    request->ordered))
		return;
	if (laps->strict)
		object_change(&program->turn, step);
	step_keep(program, step);
	slot = step->slot;
	laps->count++;
	hold(laps, request, slot);
	if (request->touched)
		touch_add(laps, request->thread, slot);
	frees_add(laps);
}

/* During most captures no thread asks for memory, so each is a short one. */
static void others_add(struct laps *laps)
{
	struct program *program = laps->program;

	for (int t = 0; t < program->thread_count; t++)
		if (program->threads[t].capture != NONE && one_in(laps, 3))
			step_add(program, step_row_find("capture_end"), t);
	if ((laps->early || laps->count >= laps->calm) &&
	    one_in(laps, laps->between))
		step_add(program, kind_row_draw(program), thread_draw(laps));
}

enum deviation { INSERTED, INSERTED_EQUAL, LEFT_OUT, SWAPPED, LATE, SMALLER };

static void deviation_add(struct laps *laps, struct body *body, unsigned at)
{
	struct request other = body->requests[at];

	switch ((enum deviation)below(laps, SMALLER + 1)) {
	case INSERTED:
		other = request_draw(laps, body->count);
		request_add(laps, &other);
		break;
	case INSERTED_EQUAL:
		other.life = 1 + below(laps, 2 * body->count);
		request_add(laps, &other);
		break;
	case LEFT_OUT:
		return;
	case SWAPPED:
		if (at + 1 == body->count)
			break;
		body->requests[at] = body->requests[at + 1];
		body->requests[at + 1] = other;
		break;
	case LATE:
		other.life += 1 + below(laps, 3 * body->count);
		request_add(laps, &other);
		return;
	case SMALLER:
		/* The parts of a slot do not overlap. */
		if (other.size >= 4 * SIZE_LEAST)
			other.size -= other.size / 4;
		request_add(laps, &other);
		return;
	}
	request_add(laps, &body->requests[at]);
}

static bool is_over(const struct laps *laps)
{
	const struct program *program = laps->program;

	return laps->count >= laps->most || program->slot_count == SLOTS_MAX ||
	       program->step_count >= STEPS_MAX - STEPS_LEFT;
}

static void lap_add(struct laps *laps, struct body *body)
{
	struct body now;

	for (unsigned i = 0; i < body->count; i++)
		home_find(laps, &body->requests[i]);
	now = *body; /* two that change places do so in this lap only */
	for (unsigned i = 0; i < now.count && !is_over(laps); i++) {
		if (laps->count >= laps->calm && one_in(laps, laps->deviates))
			deviation_add(laps, &now, i);
		else
			request_add(laps, &now.requests[i]);
		others_add(laps);
	}
}

/* The first lap is unlike the others, as that of most programs is. */
static void first_lap_add(struct laps *laps)
{
	struct body *body = &laps->bodies[0];

	for (unsigned i = 0; i < body->count; i++) {
		struct request other = request_draw(laps, body->count);

		if (one_in(laps, 4))
			request_add(laps, &other);
		request_add(laps, &body->requests[i]);
	}
}

/* How many requests come before the first deviation, so that most programs have
 * a plan by then. */
static unsigned calm_of(const struct laps *laps)
{
	unsigned lap = laps->bodies[0].count;
	unsigned period = (PERIOD_LEAST + lap - 1) / lap * lap;

	return laps->count + PERIODS_CALM * period;
}

static void laps_open(struct laps *laps)
{
	static const unsigned deviates[] = {0, 30, 30, 8};
	static const unsigned between[] = {0, 0, 60, 20, 6};

	for (unsigned i = 0; i < SLOTS_LIVE; i++)
		laps->held[i].slot = NONE;
	laps->deviates = deviates[below(laps, 4)];
	laps->between = between[below(laps, 5)];
	laps->early = one_in(laps, 4);
	laps->strict = !one_in(laps, 5);
	laps->two = one_in(laps, 5);
	laps->mixed = one_in(laps, 3);
	laps->told = laps->mixed && one_in(laps, 2);
	laps->led = one_in(laps, 2);
	laps->partly = one_in(laps, 3);
	laps->home = NONE;
	if (!one_in(laps, 3))
		laps->home = home_draw(laps, 0);
	laps->calm = laps->most = STEPS_MAX;
	for (int i = 0; i < BODIES; i++)
		body_draw(laps, &laps->bodies[i]);
}

static void mark_add(struct laps *laps)
{
	struct step *step = step_next(laps->program, step_row_find("mark"),
				      thread_draw(laps));

	if (!step || !draw_mark(laps->program, step))
		return;
	if (laps->strict)
		object_change(&laps->program->turn, step);
	step_keep(laps->program, step);
}

/* The body of a lap. Without marks the first one has a plan before others
 * come. */
static unsigned body_of(struct laps *laps, unsigned lap)
{
	bool calm = laps->count < laps->calm;

	if (laps->mixed && (laps->told || !calm))
		return below(laps, BODIES);
	return laps->two && !calm && lap % OTHER_EVERY == 0;
}

void laps_draw(struct program *program)
{
	struct laps laps = {.program = program};

	laps_open(&laps);
	first_lap_add(&laps);
	laps.calm = calm_of(&laps);
	laps.most = laps.calm + REQUESTS_LEAST + below(&laps, REQUESTS_MORE);
	if (laps.led)
		laps.most += below(&laps, REQUESTS_LED);
	for (unsigned lap = 1; !is_over(&laps) && lap < LAPS_MOST; lap++) {
		if (laps.told)
			mark_add(&laps);
		lap_add(&laps, &laps.bodies[body_of(&laps, lap)]);
	}
}
