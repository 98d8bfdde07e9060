/* The plans of a program that alternates between a few shapes: a template for
 * each, of which one is followed at a time. A shape is known again at an
 * iteration's begin by its first requests, and in the midst of one by the last
 * few. What is not used for long makes room for others.
 *
 * All templates share one arena. Whoever changes from one to another begins it
 * anew (replay_begin), so that none of its slots passes for one that was placed
 * in its turn: blocks of the other templates may have had its bytes since
 * (replay_past). */
#ifndef MNM_TEMPLATES_H
#define MNM_TEMPLATES_H

#include "cycle.h"
#include "job.h"
#include "replay.h"

enum { TEMPLATES_MOST = 8 };

struct template
{
	uint32_t id;     /* from 1 on; none is given twice. 0: no template */
	uint64_t number; /* of its period; 0: it is from a file */
	uint64_t length; /* of its iteration, in requests */
	bool exact;      /* as its period is */
	bool whole;      /* all requests of that belong to it */
	struct replay *replay;
	unsigned char *file; /* the plan as a file, or NULL */
	size_t file_size;
	uint32_t least; /* the slot of a lap at which least is live */
	uint64_t calm;  /* hardly more bytes are live then */
	/* The slot of a lap with which its iterations begin, a guess at first;
	 * and how often more that was found right than wrong, up to a few. */
	uint32_t entry;
	unsigned int sure;
	uint64_t peak;     /* bytes of its plan */
	uint64_t bound;    /* no plan has less */
	uint64_t print;    /* see templates_know */
	uint64_t used;     /* when it was followed last */
	unsigned int poor; /* laps in a row of which too little was placed */
};

struct templates {
	struct template all[TEMPLATES_MOST];
	struct template *current; /* or NULL */
	uint64_t clock;
	uint32_t ids;
	unsigned int ousted; /* so many made room for others, or were poor */
	/* Tokens of the last requests that were served, a ring; and how many
	 * there were, since the last iteration began and in all. */
	uint32_t recent[CYCLE_KEY];
	uint64_t since, served;
	uint64_t found; /* as `since`, by the request that was asked for last */
	uint32_t left;  /* the slot behind the last one that was foreseen */
	bool told;      /* marks say where iterations begin */
	/* Bytes since then that were asked for, and of these foreseen. */
	uint64_t begun_asked, begun_foreseen;
	/* Bytes that were asked for lately, and of these bytes that some
	 * template foresaw. */
	uint64_t asked, foreseen, window;
};

void templates_close(struct templates *templates);
size_t templates_count(const struct templates *templates);

/* The one with the largest peak, or NULL; and that peak, which an arena for all
 * of them has to have. */
const struct template *templates_largest(const struct templates *templates);
uint64_t templates_peak(const struct templates *templates);

/* Takes the replay of a job that has one, in place of the template of the same
 * period if there is one. The new template is the current one.
 * If there are too many, the one goes that was not used for longest. */
void templates_add(struct templates *templates, struct plan_job *job);

/* The template of that id, or NULL. */
const struct template *templates_find(const struct templates *templates,
				      uint32_t id);

/* The arena is about to end; see replay_leave. */
void templates_leave(struct templates *templates);

/* Drops the current template. Another one is current then, if there is one. */
void templates_drop(struct templates *templates);

/* A number that tells cycles apart, wherever they begin: see templates_know. */
uint64_t templates_print(const struct cycle *cycle);

/* Whether there is a template of the same requests, wherever it begins. */
bool templates_know(const struct templates *templates,
		    const struct cycle *cycle);

/* Whether several templates, one after the other, foresee nearly all requests
 * of a cycle. */
bool templates_foresee(const struct templates *templates,
		       const struct cycle *cycle);

/* Whether several templates foresee nearly all that is asked for, so that no
 * further one is needed, such as one of several shapes in a row. */
bool templates_suffice(const struct templates *templates);

/* As replay_ask of the current template, of which there is one; but if that
 * does not foresee the request, and another does, this is the current one from
 * now on. */
uint32_t templates_ask(struct templates *templates, uint32_t token,
		       uint64_t size);

/* As replay_served of the current template, with the request's token and size.
 * If it turns out that an iteration has begun, without a mark, returns how many
 * of its requests have come; else 0. */
uint64_t templates_served(struct templates *templates, uint32_t token,
			  uint64_t size);

/* The same for a request that came in its turn: that of a slot. Returns whether
 * an iteration begins with it, without a mark. */
bool templates_pass(struct templates *templates, uint32_t slot);

/* Whether iterations begin with that slot of the current template. */
bool templates_begin_at(const struct templates *templates, uint32_t slot);

/* The next request begins an iteration. */
void templates_mark(struct templates *templates);

#endif
