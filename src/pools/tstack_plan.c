/* How tstack_pool comes to a plan, and when it gives one up. */
#include <stdlib.h>

#include "tstack.h"
#include "tstack_templates.h"

enum {
	REQUESTS = 1 << 18,    /* that are remembered */
	LEARN_FIRST = 1 << 15, /* so many without a period, and it rests; twice
				* as many after each rest, as that is twice as
				* long */
	LEARN_MOST = 1 << 17, /* at most, and where marks say that there is one:
			       * twice the longest, and some before its first
			       * mark */
	PRIME = 64,           /* requests by which a place is found */
	REST_LEAST = 1 << 17, /* requests that it rests for at first */
	REFINE_LEAST = 2,     /* laps with lives amiss, and it plans anew */
	VAIN_MOST = 10,       /* log2 of the most laps between two tries */
};

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

/* The plan from a file counts as any other from now on. */
static void loaded_end(struct tstack_pool *self)
{
	self->loaded = false;
	beginning_release(&self->beginning);
	self->asked.known = false;
}

/* No plan is in force any more. */
static void templates_end(struct tstack_pool *self)
{
	templates_close(&self->templates);
	tstack_template_look(self);
	loaded_end(self);
	self->wanted = 0;
}

void tstack_end(struct tstack_pool *self)
{
	job_drop(self);
	finder_end(self);
	templates_end(self);
}

const unsigned char *tstack_pool_file(const struct mnm_pool *pool, size_t *size)
{
	const struct tstack_pool *self = (const struct tstack_pool *)pool;
	const struct template *largest = templates_largest(&self->templates);

	*size = largest ? largest->file_size : 0;
	return largest ? largest->file : NULL;
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
	self->since = self->known = self->apart = 0;
	self->segments = (struct segments){0};
	self->templates.ousted = 0;
	self->refine = REFINE_LEAST;
	self->dear = 0;
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

/* The last requests say where in the plan the program is. */
static void replay_prime(struct tstack_pool *self)
{
	const struct history *history;
	uint64_t serial;

	if (!self->finder)
		return;
	history = finder_history(self->finder);
	serial = history->count - history->first > PRIME
			 ? history->count - PRIME
			 : history->first;
	for (; serial < history->count; serial++) {
		replay_ask(self->replay, history_token_at(history, serial),
			   history_size(history, serial));
		replay_served(self->replay, false);
	}
}

/* A new plan is in force, beside those that are kept. */
void tstack_pool_planned(struct mnm_pool *pool, struct plan_job *job)
{
	struct tstack_pool *self = tstack_of(pool);
	bool begins = self->asked.known && job->loads, loads = job->loads;
	const struct template *largest;

	tstack_catch_up(self);
	self->job = NULL;
	if (!job->replay || !tstack_template_add(self, job)) {
		if (self->state == TSTACK_PLANS)
			self->state = TSTACK_LEARNS;
		plan_job_close(job);
		return;
	}
	loaded_end(self);
	self->asked.known = begins;
	largest = templates_largest(&self->templates);
	self->figures.peak = largest->peak;
	self->figures.bound = largest->bound;
	self->figures.period = job->cycle.length;
	self->figures.plan_us = (uint64_t)(job->took * 1e6);
	self->figures.plans += !loads;
	self->figures.loads += loads;
	if (loads)
		tstack_loaded(self, job);
	plan_job_close(job);
	if (!loads)
		replay_prime(self);
}

/* The finder has found a period, or a better one. */
static void period_look(struct tstack_pool *self)
{
	const struct period *period = finder_period(self->finder);

	if (period->number == self->known || self->job)
		return;
	self->known = period->number;
	/* It is what the plan was made of, or a part of that. */
	if (self->loaded && replay_next(self->replay) != REPLAY_NONE)
		return;
	if (self->vain >= TSTACK_VAIN || !templates_suffice(&self->templates))
		tstack_job_make(self, period);
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

void tstack_leave(struct tstack_pool *self)
{
	templates_end(self);
	self->since = 0;
	self->state = self->job ? TSTACK_PLANS : TSTACK_LEARNS;
	if (self->finder)
		finder_relearn(self->finder);
	else if (!tstack_learn(self))
		tstack_rest(self);
}

/* How many requests without a period are worth to be learnt from. */
static uint64_t learn_length(const struct tstack_pool *self)
{
	uint64_t rest = REST_LEAST, length = LEARN_FIRST;

	if (self->told)
		return LEARN_MOST;
	for (; rest < self->rest && length < LEARN_MOST; rest *= 2)
		length *= 2;
	return length;
}

bool tstack_served(struct tstack_pool *self, const struct mnm_request *request,
		   const struct mnm_place *place, enum tstack_how how)
{
	self->needed = 0;
	arena_pass(&self->arena);
	if (self->replay && how == TSTACK_PLACED && !self->templates.found &&
	    replay_came(self->replay) != REPLAY_NONE) {
		replay_served(self->replay, true);
		if (self->kept < self->beginning.kept_count)
			tstack_load_step(self, request);
		return true;
	}
	if (self->finder)
		serial_note(self, request, place);
	if (how == TSTACK_KEPT)
		self->figures.asked_bytes += self->region ? request->span : 0;
	else if (self->replay)
		tstack_lap_step(self, request, how == TSTACK_PLACED);
	else if (self->finder && !self->job &&
		 ++self->since >= learn_length(self))
		tstack_rest(self);
	if (self->asked.known || self->kept < self->beginning.kept_count)
		tstack_load_step(self, request);
	return false;
}

void tstack_freed(struct tstack_pool *self, uint64_t addr)
{
	const uint64_t *serial = address_map_find(&self->serials, addr);

	if (!serial)
		return;
	tstack_catch_up(self); /* its life counts in requests */
	serial = address_map_find(&self->serials, addr);
	if (!serial)
		return;
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

	self->told = true;
	tstack_catch_up(self);
	if (self->finder)
		finder_mark(self->finder);
	tstack_template_mark(self);
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
	figures.templates = templates_count(&self->templates);
	figures.arena_bytes = self->bytes;
	arena_live(&self->arena, &figures.arena_live);
	return figures;
}
