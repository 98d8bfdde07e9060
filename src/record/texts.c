#include "texts.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PLACES = 2 * TEXTS_MOST };

static const char rest[] = "...";

/* Copies by a hash of theirs, from the next place that is free. */
static const char *_Atomic places[PLACES];
static _Atomic size_t count;
static char bytes[TEXTS_BYTES];
static _Atomic size_t used;

bool record_text_is(const void *at)
{
	const char *text = at;

	return text == rest || (text >= bytes && text < bytes + sizeof(bytes));
}

static size_t put(char *to, size_t length, const char *text)
{
	while (*text && length < TEXT_SIZE - 1)
		to[length++] = *text++;
	/* No part of a character in UTF-8. */
	if (*text && (*text & 0xc0) == 0x80) {
		while (length && (to[length - 1] & 0xc0) == 0x80)
			length--;
		length -= length && (unsigned char)to[length - 1] >= 0xc0;
	}
	to[length] = '\0';
	return length;
}

static size_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

/* NULL if there are too many. What is copied for nothing, as another thread has
 * copied it at the same time, stays unused. */
static const char *copy(const char *text, size_t size)
{
	size_t at = atomic_fetch_add(&used, size);

	if (at > TEXTS_BYTES - TEXT_SIZE ||
	    atomic_fetch_add(&count, 1) >= TEXTS_MOST)
		return NULL;
	return memcpy(bytes + at, text, size);
}

static const char *text_find(const char *text, size_t length)
{
	const char *own = NULL;

	for (size_t at = hash_of(text);; at++) {
		const char *_Atomic *place = &places[at % PLACES];
		const char *there =
			atomic_load_explicit(place, memory_order_acquire);

		if (!there && !own)
			own = copy(text, length + 1);
		if (!there && !own)
			return rest;
		if (!there &&
		    atomic_compare_exchange_strong(place, &there, own))
			return own;
		if (!strcmp(there, text))
			return there;
	}
}

const char *record_text(const char *domain, const char *name)
{
	char text[TEXT_SIZE];
	size_t length = 0;

	if (domain) {
		length = put(text, length, domain);
		length = put(text, length, ": ");
	}
	length = put(text, length, name);
	return text_find(text, length);
}
