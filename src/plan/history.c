#include "plan/history.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_REQUESTS = 64 };

static const uint64_t MOST_REQUESTS = UINT64_C(1) << 30;

bool history_open(struct history *history, uint64_t requests)
{
	uint64_t room = LEAST_REQUESTS;

	memset(history, 0, sizeof(*history));
	if (requests > MOST_REQUESTS)
		return false;
	while (room < requests)
		room *= 2;
	history->mask = room - 1;
	/* The kernel gives pages of large arrays when they are first written.
	 */
	history->tokens = calloc(room, sizeof(*history->tokens));
	history->lives = calloc(room, sizeof(*history->lives));
	history->totals = calloc(room, sizeof(*history->totals));
	history->levels = calloc(room, sizeof(*history->levels));
	history->notes = calloc(room, sizeof(*history->notes));
	if (history->tokens && history->lives && history->totals &&
	    history->levels && history->notes)
		return true;
	history_close(history);
	return false;
}

void history_close(struct history *history)
{
	free(history->tokens);
	free(history->lives);
	free(history->totals);
	free(history->levels);
	free(history->notes);
	memset(history, 0, sizeof(*history));
}

void history_restart(struct history *history)
{
	history->first = history->count;
	history->live = 0;
}

static uint64_t history_add(struct history *history, uint32_t token,
			    uint64_t size, uint64_t level)
{
	uint64_t serial = history->count++;
	size_t place = (size_t)(serial & history->mask);

	history->tokens[place] = token;
	history->lives[place] = 0;
	history->totals[place] = history->total;
	history->levels[place] = level;
	history->notes[place] = 0;
	history->total += size;
	if (history->count - history->first > history->mask + 1)
		history->first = history->count - history->mask - 1;
	return serial;
}

uint64_t history_alloc(struct history *history, uint32_t token, uint64_t size)
{
	uint64_t serial = history_add(history, token, size, history->live);

	history->live += size;
	return serial;
}

void history_free(struct history *history, uint64_t serial)
{
	uint64_t life = history->count - serial;
	uint32_t *known;

	if (serial < history->first || serial >= history->count)
		return;
	known = &history->lives[serial & history->mask];
	if (*known)
		return;
	*known = life < UINT32_MAX ? (uint32_t)life : UINT32_MAX;
	history->live -= history_size(history, serial);
	history->freed++;
}

void history_correct(struct history *history, uint64_t serial, uint32_t life)
{
	if (serial >= history->first && serial < history->count)
		history->lives[serial & history->mask] = life;
}

uint64_t history_foretold(struct history *history, uint32_t token,
			  uint64_t size, uint32_t life, uint64_t level)
{
	uint64_t serial = history_add(history, token, size, level);

	history->lives[serial & history->mask] = life;
	*history_notes(history, serial) = HISTORY_KEPT;
	return serial;
}

void history_live_on(struct history *history, uint64_t serial)
{
	uint32_t *life = &history->lives[serial & history->mask];

	if (serial < history->first || serial >= history->count)
		return;
	*life = 0;
	history->live += history_size(history, serial);
}

void history_keep(const struct history *history, uint64_t first,
		  uint64_t length)
{
	for (uint64_t at = first; at < first + length; at++)
		*history_notes(history, at) |= HISTORY_KEPT;
}

uint64_t history_match_back(const struct history *history, uint64_t end,
			    uint64_t lag, uint64_t limit)
{
	uint64_t most = end - history->first;
	uint64_t equal = 0;

	most = most > lag ? most - lag : 0;
	if (most > limit)
		most = limit;
	while (equal < most &&
	       history_token_at(history, end - 1 - equal) ==
		       history_token_at(history, end - 1 - equal - lag))
		equal++;
	return equal;
}

uint64_t history_differs(const struct history *history, uint64_t begin,
			 uint64_t end, uint64_t lag)
{
	while (begin < end && history_token_at(history, begin) ==
				      history_token_at(history, begin - lag))
		begin++;
	return begin;
}
