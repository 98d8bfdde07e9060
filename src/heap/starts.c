#include "starts.h"

#include <sys/mman.h>

#include "block/block.h"

enum { WORD_UNITS = 64 };

static size_t words_for(size_t bits)
{
	return (bits + WORD_UNITS - 1) / WORD_UNITS;
}

static size_t unit_words(const struct starts *starts)
{
	return words_for(starts->bytes / MNM_SPAN_UNIT + 1);
}

static size_t map_bytes(const struct starts *starts)
{
	size_t words = unit_words(starts);

	return (words + words_for(words)) * sizeof(*starts->units);
}

bool starts_open(struct starts *starts, uint64_t base, size_t bytes)
{
	void *map;

	starts->base = base;
	starts->bytes = bytes;
	map = mmap(NULL, map_bytes(starts), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	starts->units = map;
	starts->words = starts->units + unit_words(starts);
	return true;
}

void starts_close(struct starts *starts)
{
	munmap(starts->units, map_bytes(starts));
}

static uint64_t bit_of(size_t at)
{
	return UINT64_C(1) << at % WORD_UNITS;
}

static size_t unit_of(const struct starts *starts, uint64_t addr)
{
	return (addr - starts->base) / MNM_SPAN_UNIT;
}

void starts_set(struct starts *starts, uint64_t addr)
{
	size_t unit = unit_of(starts, addr), word = unit / WORD_UNITS;

	starts->units[word] |= bit_of(unit);
	starts->words[word / WORD_UNITS] |= bit_of(word);
}

void starts_clear(struct starts *starts, uint64_t addr)
{
	size_t unit = unit_of(starts, addr), word = unit / WORD_UNITS;

	starts->units[word] &= ~bit_of(unit);
	if (!starts->units[word])
		starts->words[word / WORD_UNITS] &= ~bit_of(word);
}

/* The last bit that is set, from `at` down; SIZE_MAX if there is none. */
static size_t bit_before(const _Atomic uint64_t *bits, size_t at)
{
	size_t word = at / WORD_UNITS;
	uint64_t below = ~UINT64_C(0) >> (WORD_UNITS - 1 - at % WORD_UNITS);
	uint64_t found = atomic_load(&bits[word]) & below;

	while (!found && word)
		found = atomic_load(&bits[--word]);
	return found ? word * WORD_UNITS + (size_t)(63 - __builtin_clzl(found))
		     : SIZE_MAX;
}

/* A word may have become empty since its bit was seen. */
uint64_t starts_before(const struct starts *starts, uint64_t addr)
{
	size_t unit = unit_of(starts, addr), word = unit / WORD_UNITS, last;

	last = bit_before(starts->units + word, unit % WORD_UNITS);
	while (last == SIZE_MAX && word) {
		word = bit_before(starts->words, word - 1);
		if (word == SIZE_MAX)
			return 0;
		last = bit_before(starts->units + word, WORD_UNITS - 1);
	}
	return last == SIZE_MAX ? 0
				: starts->base + (word * WORD_UNITS + last) *
							 MNM_SPAN_UNIT;
}
