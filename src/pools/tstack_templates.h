/* The templates of tstack_pool (plan/templates.h): which of them is followed,
 * and how further ones come about. */
#ifndef MNM_TSTACK_TEMPLATES_H
#define MNM_TSTACK_TEMPLATES_H

#include "tstack.h"

/* The current template may be another one than before; or there is none. */
void tstack_template_look(struct tstack_pool *self);

/* The slot of the plan that the request is for, or REPLAY_NONE. Another
 * template may be the current one from now on. There is one. */
uint32_t tstack_ask(struct tstack_pool *self,
		    const struct mnm_request *request);

/* A request was served while there is a template. */
void tstack_template_served(struct tstack_pool *self,
			    const struct mnm_request *request);

/* The program says that an iteration begins with the next request. */
void tstack_template_mark(struct tstack_pool *self);

/* An iteration begins with the request of that serial of the finder's. */
void tstack_iteration_end(struct tstack_pool *self, uint64_t serial);

/* The period, of the current template, is to be planned anew. */
void tstack_job_refine(struct tstack_pool *self, const struct period *period);

/* The period is to be planned, if no template foresees it yet. */
void tstack_job_make(struct tstack_pool *self, const struct period *period);

/* Takes the plan of a job, which has one, as a further template. Returns false
 * if there was no memory to let an arena go that is too small. */
bool tstack_template_add(struct tstack_pool *self, struct plan_job *job);

#endif
