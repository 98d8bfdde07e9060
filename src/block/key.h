/* Keys: idle blocks of one span that were freed in the order of one stream, or
 * of none, have one key. Spans are multiples of MNM_SPAN_UNIT in pools with
 * size classes, so a key is a number as a span is. Its lowest bit is 0. */
#ifndef MNM_KEY_H
#define MNM_KEY_H

#include <stddef.h>

#include <mnm/pool.h>

enum { STREAM_NUMBERS = MNM_STREAMS };

_Static_assert(2 * STREAM_NUMBERS <= MNM_SPAN_UNIT, "a stream fits below it");

static inline size_t block_key(size_t span, unsigned int stream)
{
	return span + 2 * (size_t)stream;
}

static inline size_t key_span(size_t key)
{
	return key & -MNM_SPAN_UNIT;
}

static inline unsigned int key_stream(size_t key)
{
	return (key & (MNM_SPAN_UNIT - 1)) / 2;
}

#endif
