#include "bytes.h"

#include <stdlib.h>
#include <string.h>

static bool bytes_reserve(struct bytes *bytes, size_t size)
{
	size_t room = bytes->room;
	uint8_t *more;

	if (bytes->size + size <= room)
		return true;
	room = room * 2 + size + 256;
	more = realloc(bytes->at, room);
	if (!more) {
		bytes->lost = true;
		return false;
	}
	bytes->at = more;
	bytes->room = room;
	return true;
}

void bytes_put(struct bytes *bytes, const void *from, size_t size)
{
	if (!size || !bytes_reserve(bytes, size))
		return;
	memcpy(bytes->at + bytes->size, from, size);
	bytes->size += size;
}

void bytes_number(struct bytes *bytes, uint64_t number)
{
	if (!bytes_reserve(bytes, NUMBER_MOST))
		return;
	while (number >= 128) {
		bytes->at[bytes->size++] = (uint8_t)(number | 128);
		number >>= 7;
	}
	bytes->at[bytes->size++] = (uint8_t)number;
}

void bytes_difference(struct bytes *bytes, uint64_t to, uint64_t from)
{
	uint64_t difference = to - from;

	bytes_number(bytes, difference << 1 ^ -(difference >> 63));
}

void bytes_clear(struct bytes *bytes)
{
	bytes->size = 0;
	bytes->lost = false;
}

void bytes_release(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){0};
}

uint64_t view_number(struct view *view)
{
	uint64_t number = 0;
	uint8_t byte;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		if (view->at == view->end)
			break;
		byte = *view->at++;
		number |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return number;
	}
	view->wrong = true;
	return 0;
}

uint64_t view_difference(struct view *view, uint64_t from)
{
	uint64_t number = view_number(view);

	return from + (number >> 1 ^ -(number & 1));
}

const uint8_t *view_take(struct view *view, size_t size)
{
	const uint8_t *taken = view->at;

	if ((size_t)(view->end - view->at) < size) {
		view->wrong = true;
		return NULL;
	}
	view->at += size;
	return taken;
}
