#include "refusal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "tcache/tcache.h"
#include "config.h"
#include "context/context.h"
#include "heap/limit.h"
#include "common/log.h"
#include "common/text.h"
#include "postmortem.h"
#include "room.h"
#include "stats/counter.h"
#include "work.h"

enum { TEXT_SIZE = 32 };

/* At most once a second: a program may ask for less and less until there is
 * enough. */
static bool is_due(const struct device *device)
{
	static _Atomic int64_t last[DEVICE_ALL]; /* seconds */
	_Atomic int64_t *mine = &last[device_ordinal(device)];
	int64_t before = atomic_load(mine);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (!before || now.tv_sec > before) &&
	       atomic_compare_exchange_strong(mine, &before,
					      (int64_t)now.tv_sec + 1);
}

/* A request may be for more than there are numbers. */
static const char *bytes_text(uint64_t bytes, char text[TEXT_BYTES_SIZE])
{
	return text_bytes(bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX, text);
}

static void line_say(struct device *device, size_t asked, bool by_limit)
{
	bool host = device_is_host(device);
	size_t limit = host ? 0 : limit_get(LIMIT_HARD);
	char name[TEXT_SIZE], size[TEXT_BYTES_SIZE], live[TEXT_BYTES_SIZE];
	char idle[TEXT_BYTES_SIZE], rest[TEXT_BYTES_SIZE];
	char most[TEXT_BYTES_SIZE], work[WORK_SIZE + 3];
	uint64_t values[COUNTER_MAX];

	counters_get(device, values);
	snprintf(name, sizeof(name), host ? "pinned memory" : "device %d",
		 device_ordinal(device));
	bytes_text(values[COUNTER_device_bytes] -
			   values[COUNTER_reserved_bytes],
		   rest);
	log_error("%s: %s: %s asked, %s live, %s idle, %s unpooled, limit %s%s",
		  name, by_limit ? "refused by hard_limit" : "out of memory",
		  asked ? bytes_text(asked, size) : "a call",
		  bytes_text(values[COUNTER_live_bytes], live),
		  bytes_text(values[COUNTER_idle_bytes], idle), rest,
		  limit ? bytes_text(limit, most) : "none", work_text(work));
}

void refusal_say(struct device *device, size_t asked, bool by_limit)
{
	if (!config_once())
		return;
	if (is_due(device))
		line_say(device, asked, by_limit);
	postmortem_write(device, asked, by_limit);
}

/* The device of a call, if that is known without asking the driver; or NULL. */
static struct device *device_known(uint64_t devices)
{
	const struct context *context = tcache_verified_context();
	struct device *found = NULL;

	if (context && !devices)
		return context->device;
	for (int i = 0; i < DEVICE_MAX; i++) {
		if (!device_at(i)->used || (devices && !(devices >> i & 1)))
			continue;
		if (found)
			return NULL;
		found = device_at(i);
	}
	return found;
}

void refusal_of_room(const struct room *room)
{
	struct device *device = room->pinned ? device_at(DEVICE_HOST)
					     : device_known(room->devices);

	if (device)
		refusal_say(device, room->bytes, false);
}
