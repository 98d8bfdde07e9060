#include "stacks.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"
#include "unwind.h"

enum { PLACES = 2 * STACKS_MOST };

/* Until options are read: the first request may be a large one. */
#define NOT_KNOWN UINT64_MAX
static _Atomic uint64_t every = NOT_KNOWN;

/* Numbers of stacks by a hash of theirs, from the next place that is free. */
static _Atomic uint32_t places[PLACES];
/* Where a stack is among the words: how many addresses it has, and these. */
static uint32_t starts[STACKS_MOST + 1];
static uint64_t words[STACKS_WORDS];
static _Atomic uint32_t last;
static _Atomic size_t used;

/* Bytes until the next request that has its stack; EARLY: the last one has it,
 * and the rest was not known. */
#define EARLY INT64_MIN
static __thread int64_t left;

void record_stacks_set(uint64_t bytes)
{
	if (bytes)
		unwind_guard_fork();
	atomic_store(&every, bytes);
}

size_t record_stack_at(uint32_t number, const uint64_t **frames)
{
	const uint64_t *at = &words[starts[number]];

	*frames = at + 1;
	return *at;
}

void record_stack_write(uint32_t number, char text[STACK_TEXT_SIZE])
{
	const uint64_t *frames;
	size_t count = record_stack_at(number, &frames), used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, STACK_TEXT_SIZE - used,
					 i ? " %" PRIx64 : "%" PRIx64,
					 frames[i]);
}

static size_t hash_of(const uint64_t *frames, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ frames[i] ^ hash >> 29) *
		       UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(hash ^ hash >> 32);
}

/* Returns 0 if there are too many. What another thread has kept at the same
 * time stays unused. */
static uint32_t stack_add(const uint64_t *frames, size_t count)
{
	size_t at = atomic_fetch_add(&used, count + 1);
	uint32_t number;

	if (at > STACKS_WORDS - count - 1)
		return 0;
	number = atomic_fetch_add(&last, 1) + 1;
	if (number > STACKS_MOST)
		return 0;
	words[at] = count;
	memcpy(&words[at + 1], frames, count * sizeof(*frames));
	starts[number] = (uint32_t)at;
	return number;
}

static bool is_of(uint32_t number, const uint64_t *frames, size_t count)
{
	const uint64_t *there;

	return record_stack_at(number, &there) == count &&
	       !memcmp(there, frames, count * sizeof(*frames));
}

uint32_t record_stack_keep(const uint64_t *frames, size_t count)
{
	uint32_t own = 0;

	for (size_t at = hash_of(frames, count);; at++) {
		_Atomic uint32_t *place = &places[at % PLACES];
		uint32_t there =
			atomic_load_explicit(place, memory_order_acquire);

		if (!there && !own && !(own = stack_add(frames, count)))
			return 0;
		if (!there &&
		    atomic_compare_exchange_strong(place, &there, own))
			return own;
		if (is_of(there, frames, count))
			return there;
	}
}

/* Options have no such size. */
#define UNTOLD (UINT64_MAX - 1)

static int64_t next_after(uint64_t bytes)
{
	if (bytes == UNTOLD)
		return EARLY;
	return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

static uint64_t bytes_between(void)
{
	uint64_t bytes = atomic_load_explicit(&every, memory_order_relaxed);
	uint64_t found;
	const char *value;

	if (bytes != NOT_KNOWN)
		return bytes;
	value = secure_getenv("MNM_RECORD_STACKS");
	found = value && *value && strcmp(value, "0") != 0 ? UNTOLD : 0;
	/* Once: in a process that is not served nobody reads the options. */
	return atomic_compare_exchange_strong(&every, &bytes, found) ? found
								     : bytes;
}

uint64_t record_site_of(uint64_t site, uint64_t size)
{
	uint64_t frames[STACK_DEPTH], bytes = bytes_between();
	uint32_t number = 0;
	size_t count;

	if (!bytes || (bytes == UNTOLD && left == EARLY))
		return site;
	if (left == EARLY)
		left = next_after(bytes);
	left -= size < INT64_MAX ? (int64_t)size : INT64_MAX;
	if (left > 0)
		return site;
	left = next_after(bytes);
	count = unwind(site, frames, STACK_DEPTH);
	if (count)
		number = record_stack_keep(frames, count);
	return number ? SITE_STACKED | number : site;
}
