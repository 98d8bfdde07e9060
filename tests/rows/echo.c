#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "echo_entry.h"

enum { CODE_FIRST = 10000 }; /* above all codes that have a meaning */

static enum echo_mode told;
static bool doors_are_inner;
static const char *buffers;
static size_t buffers_size;

static const char *short_symbol;
static int short_calls;

static char text[1 << 16];
static size_t length;

/* These are about the call under way. */
static enum echo_number number_now;
static bool granted;
static bool is_short;
static unsigned int outputs;

static void note(const char *word)
{
	int added = snprintf(text + length, sizeof(text) - length, "%s", word);

	length += (size_t)added;
	if (length >= sizeof(text))
		length = sizeof(text) - 1;
}

EXPORT void echo_tell(enum echo_mode mode, bool inner)
{
	told = mode;
	doors_are_inner = inner;
}

EXPORT void echo_short(const char *symbol, int calls)
{
	short_symbol = symbol;
	short_calls = calls;
}

EXPORT void echo_buffers(const void *start, size_t size)
{
	buffers = start;
	buffers_size = size;
}

EXPORT const char *echo_taken(void)
{
	static char taken[sizeof(text)];

	memcpy(taken, text, length + 1);
	length = 0;
	text[0] = '\0';
	return taken;
}

void echo_begin(enum echo_number number, enum echo_mode mode)
{
	number_now = number;
	granted = (mode == ECHO_AS_TOLD ? told : mode) == ECHO_GRANTS;
	is_short = short_calls && !strcmp(echo_names[number], short_symbol);
	short_calls -= is_short;
	granted &= !is_short;
	outputs = 0;
	if (length)
		note(" ");
	note(echo_names[number]);
	note("(");
}

void echo_argument(const void *value, size_t size)
{
	const unsigned char *bytes = value;
	uintptr_t place = 0;
	char word[32];

	if (size == sizeof(place))
		memcpy(&place, value, size);
	place -= (uintptr_t)buffers;
	if (size == sizeof(place) && place < buffers_size) {
		snprintf(word, sizeof(word), "buffers+%" PRIxPTR, place);
		note(word);
		size = 0;
	}
	for (size_t i = 0; i < size; i++) {
		snprintf(word, sizeof(word), "%02x", bytes[i]);
		note(word);
	}
	note(",");
}

/* Writes words that could be addresses, handles or small numbers. */
void echo_output(void *to, size_t size)
{
	uint64_t word;
	size_t part;

	outputs++;
	if (!to)
		granted = false;
	for (size_t i = 0; granted && i < size; i += part) {
		word = 0x500000000000 | (uint64_t)outputs << 32 |
		       (i / sizeof(word) + 1) << 12;
		part = size - i < sizeof(word) ? size - i : sizeof(word);
		memcpy((char *)to + i, &word, part);
	}
}

CUresult echo_end(void)
{
	note(")");
	if (is_short)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return granted ? CUDA_SUCCESS : (CUresult)(CODE_FIRST + number_now);
}

static const struct echo_row *row_find(const char *name, int version,
				       bool per_thread)
{
	const struct echo_row *row, *best = NULL;

	for (row = echo_rows; row < echo_rows + echo_row_count; row++)
		if (!strcmp(row->name, name) && row->version <= version &&
		    row->per_thread <= per_thread)
			best = row;
	return best;
}

EXPORT const char *echo_meant(const char *name, int version, bool per_thread)
{
	const struct echo_row *row = row_find(name, version, per_thread);

	return row ? row->symbol : NULL;
}

void *echo_find(const char *name, int version, bool per_thread)
{
	const struct echo_row *row = row_find(name, version, per_thread);

	if (!row)
		return NULL;
	return doors_are_inner ? row->inner : row->entry;
}
