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
	const struct beginning *begin = &self->beginning;
	const struct beginning_kept *next;

	if (self->asked.known || self->kept >= begin->kept_count)
		return false;
	next = &begin->kept[self->kept];
	return next->request == self->asked.requests &&
	       next->size == request->span;
}

void tstack_loaded(struct tstack_pool *self, struct plan_job *job)
{
	self->loaded = true;
	self->unseen = 0;
	self->beginning = job->beginning;
	self->kept = 0;
	job->beginning = (struct beginning){0};
}

/* Whether the program is there now. It is not if it has asked for anything
 * else, or for more: then the plan waits for an iteration to begin. */
static bool is_begun(const struct beginning *begin,
		     const struct beginning *asked)
{
	return begin->known && asked->requests == begin->requests &&
	       asked->sum == begin->sum;
}

void tstack_load_step(struct tstack_pool *self,
		      const struct mnm_request *request)
{
	struct beginning *begin = &self->beginning, *asked = &self->asked;

	if (!asked->known) {
		self->kept +=
			begin->kept[self->kept].request <= asked->requests;
		asked->requests++;
		return;
	}
	asked->requests++;
	asked->sum = beginning_add(
		asked->sum, history_token(request->span, request->stream));
	if (!self->loaded ||
	    (begin->known && asked->requests < begin->requests))
		return;
	asked->known = false;
	if (!is_begun(begin, asked)) {
		beginning_release(begin);
		return;
	}
	replay_begin(self->replay, begin->slot);
	self->wanted = self->figures.peak;
}
