/* How tstack_pool begins with the plan of a file. */
#include "tstack.h"

static bool loads;

void tstack_pool_loads_set(bool set)
{
	loads = set;
}

void tstack_load(struct tstack_pool *self)
{
	if (!loads)
		return;
	self->job = plan_job_load();
	self->job_given = false;
	self->asked = (struct beginning){.known = self->job};
}

bool tstack_keeps(const struct tstack_pool *self,
		  const struct mnm_request *request)
{
	const struct beginning_kept *next = &self->beginning.kept[self->kept];

	return !self->asked.known && next->request == self->asked.requests &&
	       next->size == request->span;
}

/* The plan begins here, unless the program has asked for anything else than
 * when the plan was made. Then it waits for an iteration to begin. */
static void plan_begin(struct tstack_pool *self, uint64_t sum)
{
	self->asked.known = false;
	if (sum != self->beginning.sum) {
		beginning_release(&self->beginning);
		return;
	}
	replay_begin(self->replay, self->beginning.slot);
	self->wanted = templates_peak(&self->templates);
}

/* One of the requests that came while the plan was read. */
static void request_catch_up(struct tstack_pool *self,
			     const struct history *history, uint64_t serial)
{
	const struct beginning *begin = &self->beginning;
	uint64_t size = history_size(history, serial);

	if (self->kept < begin->kept_count &&
	    begin->kept[self->kept].request == serial) {
		self->kept++;
		return;
	}
	replay_ask(self->replay, history_token_at(history, serial), size);
	replay_served(self->replay, false);
}

/* The program has come to its first iteration, or further, while the plan was
 * read. */
static void plan_catch_up(struct tstack_pool *self)
{
	const struct beginning *begin = &self->beginning;
	const struct history *history =
		self->finder ? finder_history(self->finder) : NULL;
	uint64_t sum = 0;

	if (!history || history->first ||
	    history->count != self->asked.requests ||
	    history->count - begin->requests > replay_count(self->replay)) {
		self->asked.known = false;
		beginning_release(&self->beginning);
		return;
	}
	for (uint64_t i = 0; i < begin->requests; i++)
		sum = beginning_add(sum, history_token_at(history, i));
	plan_begin(self, sum);
	for (uint64_t i = begin->requests; self->wanted && i < history->count;
	     i++)
		request_catch_up(self, history, i);
}

void tstack_loaded(struct tstack_pool *self, struct plan_job *job)
{
	self->loaded = true;
	self->unseen = self->idle = 0;
	self->loaded_laps = 0;
	self->beginning = job->beginning;
	self->kept = 0;
	job->beginning = (struct beginning){0};
	if (!self->beginning.known)
		self->asked.known = false;
	else if (self->asked.requests >= self->beginning.requests)
		plan_catch_up(self);
}

void tstack_load_step(struct tstack_pool *self,
		      const struct mnm_request *request)
{
	const struct beginning *begin = &self->beginning;
	struct beginning *asked = &self->asked;

	if (!asked->known) {
		self->kept +=
			begin->kept[self->kept].request <= asked->requests;
		asked->requests++;
		return;
	}
	asked->requests++;
	asked->sum = beginning_add(
		asked->sum, history_token(request->span, request->stream));
	if (self->loaded && asked->requests == begin->requests)
		plan_begin(self, asked->sum);
}
