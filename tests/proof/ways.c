#include "ways.h"

#include <stdint.h>

enum {
	THREADS = 2,      /* of a race */
	PLACES = 1 << 14, /* that the others may access meanwhile, less one */
	WORD_SHIFT = 3,   /* a place is a word of 8 bytes */
	ACCESS_BITS = 3
};

enum phase { OUT, LEFT, BACK };

/* Of a thread that is left. */
static struct watch {
	enum phase phase;
	uint64_t places[PLACES]; /* 0, or word << ACCESS_BITS | accesses */
	unsigned int count;
	unsigned long same;
} watches[THREADS];

bool ways_watched;

/* The place of a word in the table, or where it would be. */
static uint64_t *place_find(struct watch *watch, uint64_t word)
{
	size_t i = (word * UINT64_C(0x9e3779b97f4a7c15)) >> 50;

	while (watch->places[i] && watch->places[i] >> ACCESS_BITS != word)
		i = (i + 1) % PLACES;
	return &watch->places[i];
}

static void watch_end(struct watch *watch)
{
	watch->phase = OUT;
	ways_watched = false;
	for (int i = 0; i < THREADS; i++)
		ways_watched = ways_watched || watches[i].phase != OUT;
}

/* A table that is full can't tell. */
static void place_note(struct watch *watch, uint64_t word, enum access access)
{
	uint64_t *place = place_find(watch, word);

	if (!*place && ++watch->count == PLACES) {
		watch_end(watch);
		return;
	}
	*place |= word << ACCESS_BITS | access;
}

static bool place_clashes(struct watch *watch, uint64_t word,
			  enum access access)
{
	uint64_t others = *place_find(watch, word);

	switch (access) {
	case ACCESS_READ:
		return others & (ACCESS_WRITE | ACCESS_COUNT);
	case ACCESS_COUNT:
		return others & (ACCESS_WRITE | ACCESS_READ);
	case ACCESS_WRITE:
		break;
	}
	return others != 0;
}

void ways_leave(int thread)
{
	watches[thread].phase = LEFT;
	ways_watched = true;
}

void ways_go_on(int thread)
{
	if (watches[thread].phase == LEFT)
		watches[thread].phase = BACK;
}

void ways_point(int thread)
{
	if (watches[thread].phase == BACK)
		watches[thread].same++;
}

/* What a thread that is back does counts only until another one goes on. */
static void watch_tell(struct watch *watch, bool owner, uint64_t word,
		       enum access access)
{
	if (watch->phase == LEFT && !owner)
		place_note(watch, word, access);
	else if (watch->phase == BACK &&
		 (!owner || place_clashes(watch, word, access)))
		watch_end(watch);
}

void ways_access(int thread, const void *at, size_t bytes, enum access access)
{
	uint64_t first = (uintptr_t)at >> WORD_SHIFT;
	uint64_t last = ((uintptr_t)at + bytes - 1) >> WORD_SHIFT;

	for (int i = 0; i < THREADS; i++)
		for (uint64_t word = first; word <= last; word++)
			watch_tell(&watches[i], i == thread, word, access);
}

unsigned long ways_end(int thread)
{
	watch_end(&watches[thread]);
	return watches[thread].same;
}
