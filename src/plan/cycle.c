#include "plan/cycle.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE_MOST = 1 << 17 };

uint64_t cycle_key(const uint32_t *tokens)
{
	uint64_t key = 0;

	for (int i = 0; i < CYCLE_KEY; i++) {
		key = (key ^ tokens[i]) * UINT64_C(0x9e3779b97f4a7c15);
		key ^= key >> 29;
	}
	return key;
}

static bool is_kept(const struct history *history, uint64_t serial)
{
	return *history_notes(history, serial) & HISTORY_KEPT;
}

/* The life of a buffer that is planned, or 0. */
static uint64_t life_of(const struct history *history,
			const struct period *period, uint64_t serial)
{
	uint64_t life = period_life(history, period, serial);

	return life > CYCLE_LAPS * period->length ? 0 : life;
}

/* Counts requests, buffers and laps. */
static void cycle_measure(struct cycle *cycle, const struct history *history,
			  const struct period *period)
{
	uint64_t longest = 0;

	for (uint64_t i = 0; i < period->length; i++) {
		uint64_t serial = period->first + i;
		uint64_t life = life_of(history, period, serial);
		uint64_t size = history_size(history, serial);

		cycle->bytes += size;
		cycle->count += is_kept(history, serial);
		if (!is_kept(history, serial) || !life || !size) {
			cycle->left_out += size;
			continue;
		}
		cycle->per_lap++;
		if (life > longest)
			longest = life;
	}
	cycle->laps = longest ? (uint32_t)((longest + period->length - 1) /
					   period->length)
			      : 1;
}

/* Fills in the first lap, and copies it for the others. */
static void cycle_fill(struct cycle *cycle, const struct history *history,
		       const struct period *period, struct plan_buffer *buffers)
{
	size_t count = 0, buffer = 0;

	for (uint64_t i = 0; i < period->length; i++) {
		uint64_t serial = period->first + i;
		uint64_t life = life_of(history, period, serial);
		uint64_t size = history_size(history, serial);
		struct cycle_request *request = &cycle->requests[count];

		if (!is_kept(history, serial))
			continue;
		count++;
		request->token = history_token_at(history, serial);
		request->at = (uint32_t)i;
		request->size = size;
		request->level = history_level(history, serial);
		request->place = CYCLE_NONE;
		if (!life || !size)
			continue;
		request->place = (uint32_t)buffer;
		buffers[buffer++] = (struct plan_buffer){
			.lower = i, .upper = i + life, .size = size};
	}
	for (; buffer < cycle->per_lap * cycle->laps; buffer++) {
		buffers[buffer] = buffers[buffer - cycle->per_lap];
		buffers[buffer].lower += period->length;
		buffers[buffer].upper += period->length;
	}
}

/* How many bytes live at each time, and which of them cross the cut. */
static bool cycle_levels(struct cycle *cycle, uint64_t *crossing)
{
	uint64_t length = cycle->length, level = 0;
	uint64_t *change = calloc(length, sizeof(*change));

	if (!change)
		return false;
	*crossing = 0;
	for (size_t i = 0; i < cycle->per_lap; i++) {
		const struct plan_buffer *buffer = &cycle->problem.buffers[i];

		level += buffer->upper / length * buffer->size;
		*crossing += (buffer->upper - 1) / length * buffer->size;
		change[buffer->lower] += buffer->size;
		change[buffer->upper % length] -= buffer->size;
	}
	for (uint64_t at = 0; at < length; at++) {
		level += change[at];
		if (level > cycle->peak)
			cycle->peak = level;
	}
	free(change);
	return true;
}

/* Without memory it is as if they were forgotten. */
static void before_copy(struct cycle *cycle, const struct history *history)
{
	uint64_t count = cycle->first + cycle->length;

	if (history->first || count > BEFORE_MOST)
		return;
	cycle->before = malloc(count * sizeof(*cycle->before));
	if (!cycle->before)
		return;
	cycle->before_count = count;
	for (uint64_t i = 0; i < count; i++)
		cycle->before[i] = (struct cycle_before){
			.size = history_size(history, i),
			.token = history_token_at(history, i),
			.life = history_life(history, i),
		};
}

static uint64_t cycle_first_key(const struct cycle *cycle)
{
	uint32_t tokens[CYCLE_KEY];

	if (!cycle->count)
		return 0;
	for (size_t i = 0; i < CYCLE_KEY; i++)
		tokens[i] = cycle->requests[i % cycle->count].token;
	return cycle_key(tokens);
}

bool cycle_make(struct cycle *cycle, const struct history *history,
		const struct period *period)
{
	struct plan_buffer *buffers = NULL;
	uint64_t level, crossing;

	memset(cycle, 0, sizeof(*cycle));
	if (!period->length || period->length >= CYCLE_NONE ||
	    period->first < history->first ||
	    period->first + period->length > history->count)
		return false;
	cycle->length = period->length;
	cycle_measure(cycle, history, period);
	cycle->requests = calloc(cycle->count + 1, sizeof(*cycle->requests));
	buffers = calloc(cycle->per_lap * cycle->laps + 1, sizeof(*buffers));
	cycle->problem.buffers = buffers;
	if (!cycle->requests || !buffers)
		goto out_release;
	cycle->problem.count = cycle->per_lap * cycle->laps;
	cycle->problem.period = cycle->laps * cycle->length;
	cycle_fill(cycle, history, period, buffers);
	if (!cycle_levels(cycle, &crossing))
		goto out_release;
	cycle->key = cycle_first_key(cycle);
	cycle->first = period->first;
	before_copy(cycle, history);
	/* When the first of its kind began, what crosses the cut was not there
	 * yet. */
	level = period->first + period->length == history->count
			? history->live
			: history_level(history,
					period->first + period->length);
	cycle->persistent = level > crossing ? level - crossing : 0;
	return true;
out_release:
	cycle_release(cycle);
	return false;
}

void cycle_release(struct cycle *cycle)
{
	free((void *)cycle->problem.buffers);
	free(cycle->requests);
	free(cycle->before);
	memset(cycle, 0, sizeof(*cycle));
}
