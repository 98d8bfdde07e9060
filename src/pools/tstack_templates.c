#include "tstack_templates.h"

enum {
	APART_MOST = 6,        /* log2 of the most periods between two plans */
	FORESEEN_PERCENT = 98, /* of an iteration: no further plan is needed */
	PERCENT = 100,
};

static const double plan_seconds = 1.0;

void tstack_template_look(struct tstack_pool *self)
{
	const struct template *current = self->templates.current;
	struct replay *replay = current ? current->replay : NULL;

	if (self->replay == replay)
		return;
	course_recall(&self->course);
	self->replay = self->course.replay = replay;
	self->begins[0] = self->begins[1] = 0;
	if (replay)
		replay_past(replay, &self->arena);
	self->least = current ? current->least : 0;
	self->calm = current ? current->calm : 0;
	self->lap = (struct tstack_lap){.blocked = self->figures.blocked};
}

uint32_t tstack_ask(struct tstack_pool *self, const struct mnm_request *request)
{
	uint32_t slot = templates_ask(
		&self->templates, history_token(request->span, request->stream),
		request->span);

	tstack_template_look(self);
	return slot;
}

/* Where plans had to make room for each other before, further ones are made
 * more and more seldom. */
static void job_delay(struct tstack_pool *self, const struct period *period)
{
	unsigned int ousted = self->templates.ousted;

	if (ousted > APART_MOST)
		ousted = APART_MOST;
	if (ousted)
		self->apart = finder_history(self->finder)->count +
			      (period->length << ousted);
}

void tstack_job_make(struct tstack_pool *self, const struct period *period)
{
	const struct history *history = finder_history(self->finder);
	struct plan_job *job;

	if (self->job || history->count < self->apart)
		return;
	job = plan_job_new(history, period, plan_seconds);
	if (!job || templates_know(&self->templates, &job->cycle) ||
	    (self->vain < TSTACK_VAIN &&
	     templates_foresee(&self->templates, &job->cycle))) {
		plan_job_close(job);
		return;
	}
	self->job = job;
	self->job_given = false;
	job_delay(self, period);
	if (self->state == TSTACK_LEARNS)
		self->state = TSTACK_PLANS;
}

/* An iteration begins with the request of that serial. If no template foresaw
 * the one before, and it has come before, it gets one. What repeats without a
 * break the finder finds by itself. */
void tstack_iteration_end(struct tstack_pool *self, uint64_t serial)
{
	const struct history *history = finder_history(self->finder);
	struct templates *templates = &self->templates;
	bool foreseen = templates->begun_asked &&
			templates->begun_foreseen * PERCENT >=
				templates->begun_asked * FORESEEN_PERCENT;
	struct period period;
	bool next;

	templates->begun_asked = templates->begun_foreseen = 0;
	if (!segments_end(&self->segments, history, serial, &period, &next) ||
	    foreseen || (next && !templates->current))
		return;
	period.number = finder_number(self->finder);
	history_keep(history, period.first, period.length);
	tstack_job_make(self, &period);
}

void tstack_template_served(struct tstack_pool *self,
			    const struct mnm_request *request)
{
	struct templates *templates = &self->templates;
	uint64_t began = templates_served(
		templates, history_token(request->span, request->stream),
		request->span);

	if (began && self->finder)
		tstack_iteration_end(self, finder_history(self->finder)->count -
						   began);
}

void tstack_job_refine(struct tstack_pool *self, const struct period *period)
{
	self->job = plan_job_new(finder_history(self->finder), period,
				 plan_seconds);
	self->job_given = false;
}

void tstack_template_mark(struct tstack_pool *self)
{
	templates_mark(&self->templates);
	if (self->finder)
		tstack_iteration_end(self, finder_history(self->finder)->count);
}

bool tstack_template_add(struct tstack_pool *self, struct plan_job *job)
{
	bool ends = self->region && job->peak > self->bytes;

	/* The arena is for all templates. */
	if (ends && !tstack_arena_end(self))
		return false;
	templates_add(&self->templates, job);
	tstack_template_look(self);
	self->wanted = 0;
	if (!self->region) {
		self->state = TSTACK_WAITS;
		self->patience = 0;
	}
	return true;
}
