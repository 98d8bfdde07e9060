/* How tstack_pool comes to a plan, and when it gives one up. */
#include <stdlib.h>

#include "tstack.h"

enum {
	REQUESTS = 1 << 18,   /* that are remembered */
	LEARN_MOST = 1 << 15, /* so many without a period, and it rests */
	REST_LEAST = 1 << 17, /* requests that it rests for at first */
	POOR_MOST = 8,        /* laps with too little placed, and it leaves */
	POOR_PERCENT = 90,    /* of the bytes of a lap: less is too little */
	VAIN_MOST = 10,       /* log2 of the most laps between two tries */
	PERCENT = 100,
};

static const double plan_seconds = 1.0;
static const struct mnm_size_classes no_classes; /* each request is seen */

static void job_drop(struct tstack_pool *self)
{
	if (self->job && self->job_given)
		self->job->dropped = true;
	else
		plan_job_close(self->job);
	self->job = NULL;
}

static void finder_end(struct tstack_pool *self)
{
	finder_close(self->finder);
	self->finder = NULL;
	address_map_close(&self->serials);
}

/* Nobody holds the course. */
static void replay_end(struct tstack_pool *self)
{
	course_recall(&self->course);
	replay_close(self->replay);
	self->replay = self->course.replay = NULL;
}

void tstack_end(struct tstack_pool *self)
{
	job_drop(self);
	finder_end(self);
	replay_end(self);
	self->wanted = 0;
}

void tstack_rest(struct tstack_pool *self)
{
	tstack_end(self);
	self->state = TSTACK_RESTS;
	self->pool.classes = self->base->classes;
	self->wake = self->seen + REST_LEAST;
	if (self->rest > REST_LEAST)
		self->wake = self->seen + self->rest;
	self->rest = 2 * (self->wake - self->seen);
}

bool tstack_learn(struct tstack_pool *self)
{
	tstack_end(self);
	self->finder = finder_open(REQUESTS);
	if (!self->finder)
		return false;
	self->state = TSTACK_LEARNS;
	self->pool.classes = no_classes;
	self->since = self->known = 0;
	return true;
}

void tstack_yield(struct tstack_pool *self)
{
	self->wanted = 0;
	self->growing = false;
	self->state = TSTACK_WAITS;
	self->patience = (uint64_t)1 << self->vain;
	self->vain += self->vain < VAIN_MOST;
}

/* A new plan is in force. The arena of the one before ends. */
void tstack_pool_planned(struct mnm_pool *pool, struct plan_job *job)
{
	struct tstack_pool *self = tstack_of(pool);

	tstack_catch_up(self);
	self->job = NULL;
	if (!job->replay || (self->region && !tstack_arena_end(self))) {
		if (self->state == TSTACK_PLANS)
			self->state = TSTACK_LEARNS;
		plan_job_close(job);
		return;
	}
	replay_end(self);
	self->replay = self->course.replay = job->replay;
	self->followed = job->number;
	self->least = job->least;
	job->replay = NULL;
	self->state = TSTACK_WAITS;
	self->patience = 0;
	self->wanted = 0;
	self->figures.peak = job->peak;
	self->figures.bound = job->bound;
	self->figures.period = job->cycle.length;
	self->figures.plan_us = (uint64_t)(job->took * 1e6);
	self->figures.plans++;
	plan_job_close(job);
}

/* The finder has found a period, or a better one. */
static void period_look(struct tstack_pool *self)
{
	const struct period *period = finder_period(self->finder);

	if (period->number == self->known || self->job)
		return;
	self->known = period->number;
	self->job = plan_job_new(finder_history(self->finder), period,
				 plan_seconds);
	self->job_given = false;
	if (self->job && self->state == TSTACK_LEARNS)
		self->state = TSTACK_PLANS;
}

static void serial_note(struct tstack_pool *self,
			const struct mnm_request *request,
			const struct mnm_place *place)
{
	uint64_t serial;

	if (!address_map_prepare(&self->serials, self->serials.count + 1)) {
		finder_end(self);
		return;
	}
	serial = finder_alloc(self->finder,
			      history_token(request->span, request->stream),
			      request->span);
	address_map_set(&self->serials, place->addr, serial);
	period_look(self);
}

/* The plan is followed no more; another one may be found. */
static void plan_leave(struct tstack_pool *self)
{
	replay_end(self);
	self->wanted = 0;
	self->since = 0;
	self->state = self->job ? TSTACK_PLANS : TSTACK_LEARNS;
	if (self->finder)
		finder_relearn(self->finder);
	else if (!tstack_learn(self))
		tstack_rest(self);
}

/* A lap has ended, or should have. */
static void lap_end(struct tstack_pool *self)
{
	const struct tstack_lap lap = self->lap;

	self->lap = (struct tstack_lap){0};
	self->poor = lap.placed * PERCENT < lap.asked * POOR_PERCENT
			     ? self->poor + 1
			     : 0;
	if (self->poor >= POOR_MOST && tstack_arena_end(self))
		plan_leave(self);
}

/* So many requests were served, and asked for so many bytes. */
static void lap_count(struct tstack_pool *self, uint64_t requests,
		      uint64_t bytes, bool placed, bool turns)
{
	self->lap.asked += bytes;
	self->lap.placed += placed ? bytes : 0;
	self->lap.requests += requests;
	self->figures.asked_bytes += bytes;
	self->figures.placed_bytes += placed ? bytes : 0;
	if (turns || self->lap.requests > 2 * replay_lap(self->replay))
		lap_end(self);
}

/* Whether a run has the request before the one at which least is live. */
static bool run_turns(const struct tstack_pool *self,
		      const struct replay_run *run)
{
	uint64_t lap = replay_lap(self->replay);
	uint64_t until = (self->least + 2 * lap - 1 - run->first % lap) % lap;

	return until < run->count;
}

/* What the finder is told of a run: it came as foretold. What an inexact period
 * leaves out did not come. */
static void run_tell(struct tstack_pool *self, const struct replay_run *run)
{
	uint64_t slots = replay_count(self->replay), slot = run->first;
	uint64_t left = run->count, part, first, now;

	for (; self->finder && left; left -= part) {
		first = replay_slot_at(self->replay, (uint32_t)slot)->request;
		for (part = 0; part < left; part++) {
			now = replay_slot_at(self->replay, (uint32_t)slot)
				      ->request;
			if (now != (first + part) % self->figures.period)
				break;
			slot = slot + 1 == slots ? 0 : slot + 1;
		}
		finder_skip(self->finder, first, part);
	}
}

void tstack_catch_up(struct tstack_pool *self)
{
	struct replay_run run;

	course_recall(&self->course);
	if (!self->replay)
		return;
	run = replay_run(self->replay);
	if (!run.count)
		return;
	self->figures.steps += run.steps;
	run_tell(self, &run);
	lap_count(self, run.count, run.bytes, true, run_turns(self, &run));
}

/* Whether the plan is that of the finder's period. */
static bool is_foretold(const struct tstack_pool *self)
{
	return !self->finder ||
	       finder_period(self->finder)->number == self->followed;
}

/* A finder that has another period has to see each request. Nobody else holds
 * the course. */
static void course_turn(struct tstack_pool *self)
{
	self->course.replay = is_foretold(self) ? self->replay : NULL;
}

/* A plan is made use of once an iteration begins, when least is live. Returns
 * whether the request came in its turn: it is accounted for later. */
static bool lap_go(struct tstack_pool *self, size_t bytes, bool placed)
{
	uint32_t next, lap = (uint32_t)replay_lap(self->replay);
	bool turns;

	if (replay_served(self->replay, placed && is_foretold(self)))
		return true;
	next = replay_next(self->replay);
	self->figures.deviations +=
		self->region && replay_missed(self->replay) > 0;
	turns = next != REPLAY_NONE && next % lap == self->least;
	if (self->region)
		lap_count(self, 1, bytes, placed, turns);
	else if (turns && self->patience)
		self->patience--;
	else if (turns)
		self->wanted = self->figures.peak;
	return false;
}

bool tstack_served(struct tstack_pool *self, const struct mnm_request *request,
		   const struct mnm_place *place, bool placed)
{
	bool in_turn = self->replay && lap_go(self, request->span, placed);

	if (!in_turn && self->finder)
		serial_note(self, request, place);
	if (!self->replay && self->finder && ++self->since == LEARN_MOST &&
	    !self->job)
		tstack_rest(self);
	course_turn(self);
	return in_turn;
}

void tstack_freed(struct tstack_pool *self, uint64_t addr)
{
	uint64_t *serial = address_map_find(&self->serials, addr);

	if (!serial)
		return;
	tstack_catch_up(self); /* its life counts in requests */
	finder_free(self->finder, *serial);
	address_map_remove(&self->serials, addr);
}

struct plan_job *tstack_pool_job(struct mnm_pool *pool)
{
	struct tstack_pool *self = tstack_of(pool);

	if (!self->job || self->job_given)
		return NULL;
	self->job_given = true;
	return self->job;
}

void tstack_pool_mark(struct mnm_pool *pool)
{
	struct tstack_pool *self = tstack_of(pool);

	tstack_catch_up(self);
	if (self->finder)
		finder_mark(self->finder);
	course_turn(self);
}

bool tstack_pool_rests(const struct mnm_pool *pool)
{
	return ((const struct tstack_pool *)pool)->state == TSTACK_RESTS;
}

bool tstack_pool_tick(struct mnm_pool *pool, uint64_t requests)
{
	struct tstack_pool *self = tstack_of(pool);

	self->seen = requests;
	return self->state == TSTACK_RESTS && requests >= self->wake &&
	       tstack_learn(self);
}

struct tstack_figures tstack_pool_figures(struct mnm_pool *pool)
{
	struct tstack_pool *self = tstack_of(pool);
	struct tstack_figures figures;

	tstack_catch_up(self);
	figures = self->figures;
	figures.state = self->state;
	figures.arena_bytes = self->bytes;
	arena_live(&self->arena, &figures.arena_live);
	return figures;
}
