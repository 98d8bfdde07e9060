#include "loose.h"

#include <stddef.h>

#include "stream_order.h"

enum { LOOSE_MAX = 64 };

static struct loose {
	uintptr_t key;
	const struct context *context; /* of a default stream */
} loose[LOOSE_MAX];
static int loose_count;
static bool all_loose;

static struct loose *loose_find(const struct context *context, uintptr_t key)
{
	for (int i = 0; i < loose_count; i++)
		if (loose[i].key == key &&
		    (key > SOLE_PER_THREAD || loose[i].context == context))
			return &loose[i];
	return NULL;
}

bool streams_are_loose(void)
{
	return all_loose;
}

bool stream_is_loose(const struct context *context, uintptr_t key)
{
	return all_loose || loose_find(context, key);
}

bool stream_is_loose_now(const struct context *context, uintptr_t key)
{
	if (stream_is_loose(context, key))
		return false;
	if (loose_count < LOOSE_MAX)
		loose[loose_count++] = (struct loose){key, context};
	else
		all_loose = true;
	return true;
}

void stream_was_loose(uintptr_t key)
{
	struct loose *was = loose_find(NULL, key);

	if (was)
		*was = loose[--loose_count];
}
