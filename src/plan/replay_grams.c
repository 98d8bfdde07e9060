/* Finds the place in a cycle by the last few requests. */
#include <stdlib.h>

#include "replay_own.h"

struct gram {
	uint64_t hash; /* 0: free */
	uint32_t slot; /* REPLAY_NONE: there are several */
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t gram_of(const struct replay *replay, uint32_t last)
{
	uint64_t hash = 1;
	size_t at = last + replay->lap * GRAM - (GRAM - 1);

	for (int i = 0; i < GRAM; i++, at++)
		hash = mix(hash, replay->slots[at % replay->lap].token);
	return hash ? hash : 1;
}

static bool repeats_after(const struct replay *replay, size_t length)
{
	size_t i = 0;

	while (i < replay->lap - length &&
	       replay->slots[i].token == replay->slots[i + length].token)
		i++;
	return i == replay->lap - length;
}

/* The shortest part of a lap that the lap is made of. A short iteration is
 * taken several times as one lap, and any of them is where the program may
 * be. */
static size_t part_of(const struct replay *replay)
{
	size_t length = 1;

	while (replay->lap % length || !repeats_after(replay, length))
		length++;
	return length;
}

static struct gram *gram_at(const struct replay *replay, uint64_t hash)
{
	size_t i = hash & (replay->grams_room - 1);

	while (replay->grams[i].hash && replay->grams[i].hash != hash)
		i = (i + 1) & (replay->grams_room - 1);
	return &replay->grams[i];
}

bool grams_open(struct replay *replay)
{
	replay->grams_room = 16;
	while (replay->grams_room < 2 * replay->lap)
		replay->grams_room *= 2;
	replay->grams = calloc(replay->grams_room, sizeof(*replay->grams));
	if (!replay->grams)
		return false;
	replay->part = part_of(replay);
	for (uint32_t slot = 0; slot < replay->part; slot++) {
		uint64_t hash = gram_of(replay, slot);
		struct gram *gram = gram_at(replay, hash);

		gram->slot = gram->hash ? REPLAY_NONE : slot;
		gram->hash = hash;
	}
	return true;
}

/* The first slot from the next one on that is the same in its part. */
static uint32_t slot_from(const struct replay *replay, uint32_t slot)
{
	size_t at = slot;

	while (at < replay->then.next)
		at += replay->part;
	return at < replay->count ? (uint32_t)at : slot;
}

uint32_t replay_find(const struct replay *replay,
		     const uint32_t tokens[REPLAY_GRAM])
{
	const struct gram *gram;
	uint64_t hash = 1;

	for (int i = 0; i < GRAM; i++)
		hash = mix(hash, tokens[i]);
	gram = gram_at(replay, hash ? hash : 1);
	return gram->hash ? gram->slot : REPLAY_NONE;
}

uint32_t grams_find(const struct replay *replay)
{
	uint32_t tokens[GRAM], slot;

	if (replay->recent_count < GRAM - 1)
		return REPLAY_NONE;
	for (uint32_t i = 1; i < GRAM; i++)
		tokens[i - 1] = replay->recent[(replay->recent_at + i) % GRAM];
	tokens[GRAM - 1] = replay->token;
	slot = replay_find(replay, tokens);
	return slot == REPLAY_NONE ? slot : slot_from(replay, slot);
}
