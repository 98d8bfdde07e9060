/* What was asked for and freed, in order: the last requests of a program, each
 * by a serial number. The memory is bounded and taken at once; where more
 * requests come than fit, the oldest are forgotten one by one.
 *
 * Time is counted in requests. A buffer that is freed after request 7 and
 * before request 8 has ended when request 8 is served, so the two may share an
 * address. Frees need no times of their own: how many bytes live at one time
 * grows with requests only. */
#ifndef MNM_PLAN_HISTORY_H
#define MNM_PLAN_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is noted about a request by those who read the history. */
enum history_note {
	HISTORY_COVERED = 1, /* it came as the period foretold it */
	HISTORY_KEPT = 2,    /* it belongs to the period, and is no deviation */
};

struct history {
	uint64_t first; /* the oldest serial that is known */
	uint64_t count; /* the serial of the next request */
	uint64_t live;  /* bytes that live, of the requests that are known */
	uint64_t total; /* bytes that were asked for since it was opened */
	uint64_t freed; /* how many buffers were freed since then */
	uint64_t mask;  /* of a serial, for its place in the arrays */
	uint32_t *tokens;
	uint32_t *lives;  /* requests until it was freed; 0: it lives */
	uint64_t *totals; /* bytes that were asked for before it */
	uint64_t *levels; /* bytes that lived before it, of those that came */
	uint8_t *notes;   /* of enum history_note */
};

/* Remembers at least `requests` requests, a power of two of them, at 25 bytes
 * each; the host's memory is used as they come. Returns false if there is
 * none. */
bool history_open(struct history *history, uint64_t requests);
void history_close(struct history *history);

/* Forgets all requests, but not how many there were. */
void history_restart(struct history *history);

/* Notes a request. The token is the same for those that a buffer of one could
 * serve as well as one of another: see history_token. */
uint64_t history_alloc(struct history *history, uint32_t token, uint64_t size);

/* Notes that a buffer was freed. Of a serial that is not known any more, or was
 * freed before, it takes no notice. */
void history_free(struct history *history, uint64_t serial);

/* Corrects how long a buffer lived that has been freed. Of a serial that is not
 * known any more it takes no notice. */
void history_correct(struct history *history, uint64_t serial, uint32_t life);

/* Notes a request that came as a plan foretold it, whose buffer lives for so
 * many requests; 0: for long. `level` bytes lived before it when the plan was
 * made. It belongs to a period. No free of it comes. It counts neither as freed
 * nor among what lives. */
uint64_t history_foretold(struct history *history, uint32_t token,
			  uint64_t size, uint32_t life, uint64_t level);

/* Notes that such a buffer lives, whatever was foretold: its free comes. Of a
 * serial that is not known any more it takes no notice. */
void history_live_on(struct history *history, uint64_t serial);

/* Notes that these requests, which are known, belong to a period. */
void history_keep(const struct history *history, uint64_t first,
		  uint64_t length);

/* How many requests before `end` are equal to those `lag` earlier, counted
 * back from the last, and not beyond `limit`. */
uint64_t history_match_back(const struct history *history, uint64_t end,
			    uint64_t lag, uint64_t limit);

/* The first of the requests from `begin` on that differs from the one `lag`
 * earlier, or `end`. */
uint64_t history_differs(const struct history *history, uint64_t begin,
			 uint64_t end, uint64_t lag);

/* Mixes the size, as the pool rounds it, and the stream. */
static inline uint32_t history_token(uint64_t size, uint64_t stream)
{
	uint64_t mix = (size ^ stream * UINT64_C(0x9e3779b97f4a7c15)) *
		       UINT64_C(0xd6e8feb86659fd93);

	mix ^= mix >> 32;
	mix *= UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(mix >> 32);
}

/* These are for serials that are known. */
static inline uint32_t history_token_at(const struct history *history,
					uint64_t serial)
{
	return history->tokens[serial & history->mask];
}

static inline uint32_t history_life(const struct history *history,
				    uint64_t serial)
{
	return history->lives[serial & history->mask];
}

static inline uint64_t history_level(const struct history *history,
				     uint64_t serial)
{
	return history->levels[serial & history->mask];
}

static inline uint8_t *history_notes(const struct history *history,
				     uint64_t serial)
{
	return &history->notes[serial & history->mask];
}

/* The bytes of the requests in [begin, end). */
static inline uint64_t history_bytes(const struct history *history,
				     uint64_t begin, uint64_t end)
{
	uint64_t before = end == history->count
				  ? history->total
				  : history->totals[end & history->mask];

	return before - history->totals[begin & history->mask];
}

static inline uint64_t history_size(const struct history *history,
				    uint64_t serial)
{
	return history_bytes(history, serial, serial + 1);
}

#endif
