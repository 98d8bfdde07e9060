#include "repetition.h"

#include <string.h>

#include "plan/period.h"

void repetition_open(struct repetition *repetition)
{
	*repetition = (struct repetition){
		.finder = finder_open(REPETITION_REMEMBERS),
	};
}

static void learning_end(struct repetition *repetition)
{
	if (repetition->finder)
		finder_close(repetition->finder);
	repetition->finder = NULL;
	address_map_close(&repetition->serials);
}

void repetition_close(struct repetition *repetition)
{
	learning_end(repetition);
}

static uint32_t token_of(const struct mnm_record_event *event)
{
	return history_token(event->size, event->stream);
}

/* Keeps how the last period begins. */
static void period_keep(struct repetition *repetition)
{
	const struct period *period = finder_period(repetition->finder);
	const struct history *history = finder_history(repetition->finder);

	if (period->number == repetition->known)
		return;
	repetition->known = period->number;
	if (period->length < REPETITION_LEAST || period->first < history->first)
		return;
	repetition->length = period->length;
	repetition->exact = period->exact;
	repetition->begin_count = period->length < REPETITION_BEGIN
					  ? (unsigned int)period->length
					  : REPETITION_BEGIN;
	for (unsigned int i = 0; i < repetition->begin_count; i++)
		repetition->begin[i] =
			history_token_at(history, period->first + i);
}

void repetition_learn(struct repetition *repetition,
		      const struct live_block *block, bool comes)
{
	const struct mnm_record_event *event = &block->event;
	struct address_map *serials = &repetition->serials;
	const uint64_t *serial;

	if (!repetition->finder)
		return;
	if (!comes) {
		serial = address_map_find(serials, event->address);
		if (serial)
			finder_free(repetition->finder, *serial);
		address_map_remove(serials, event->address);
	} else if (address_map_prepare(serials, serials->count + 1)) {
		address_map_set(serials, event->address,
				finder_alloc(repetition->finder,
					     token_of(event), event->size));
		period_keep(repetition);
	} else {
		learning_end(repetition);
	}
}

/* Whether the requests that came last are those with which one begins. */
static bool is_begin(const struct repetition *repetition)
{
	unsigned int count = repetition->begin_count;

	return count &&
	       !memcmp(repetition->last + REPETITION_BEGIN - count,
		       repetition->begin, count * sizeof(*repetition->begin));
}

bool repetition_begins(struct repetition *repetition,
		       const struct mnm_record_event *event)
{
	uint64_t least = repetition->exact ? repetition->length
					   : repetition->length / 4 * 3;
	uint32_t *last = repetition->last;

	memmove(last, last + 1, (REPETITION_BEGIN - 1) * sizeof(*last));
	last[REPETITION_BEGIN - 1] = token_of(event);
	repetition->since++;
	if (!is_begin(repetition) ||
	    (repetition->begun && repetition->since < least))
		return false;
	repetition->begun = true;
	repetition->since = 0;
	return true;
}
