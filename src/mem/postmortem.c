#include "postmortem.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "block/block.h"
#include "common/log.h"
#include "common/pool_choice.h"
#include "common/text.h"
#include "common/version.h"
#include "config.h"
#include "context/context.h"
#include "context/context_current.h"
#include "cuda/backing.h"
#include "heap/limit.h"
#include "heap/pools.h"
#include "order/capture.h"
#include "order/fence.h"
#include "pools/pool.h"
#include "preload/syscall_filter.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "stats/counter.h"

enum {
	TEXT_MOST = 1 << 15,
	CLASSES = 64, /* of sizes: up to each power of two */
	SMALL_UNIT = 512,
	LARGE_UNIT = 2 << 20, /* of the driver's memory, and vmm_pool's pages */
};

#define SIZE_MOST (UINT64_C(1) << 60)

/* Without the allocator, whose locks the program may hold: so it is here, and
 * for the one thread that writes. */
static struct {
	char text[TEXT_MOST];
	size_t length;
} out;

struct size_class {
	uint64_t blocks, bytes, largest;
};

/* What is live on a device, and what it would take elsewhere. */
struct living {
	const struct device *device;
	size_t page;
	struct size_class classes[CLASSES];
	uint64_t blocks, bytes, span, idle_largest;
	uint64_t paged, small, smallest_units; /* see estimates_put */
	uint64_t large;
};

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
	size_t room = sizeof(out.text) - out.length;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(out.text + out.length, room, format, args);
	va_end(args);
	if (length > 0)
		out.length += (size_t)length < room ? (size_t)length : room - 1;
}

static void text_put(const char *key, const char *text)
{
	char plain[1024];

	text_plain(text, plain, sizeof(plain));
	for (char *at = plain; *at; at++)
		if (*at == '"' || *at == '\\')
			*at = '?';
	put(",\"%s\":\"%s\"", key, plain);
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* Adds a block, or the request, to what it would take in other pools. */
static void need_add(struct living *living, uint64_t size)
{
	if (size > SIZE_MOST)
		size = SIZE_MOST; /* of no device; a sum has room for it */
	living->paged += round_up(size, living->page);
	living->smallest_units += round_up(size, SMALL_UNIT);
	if (size < LARGE_UNIT)
		living->small += round_up(size, SMALL_UNIT);
	else
		living->large += round_up(size, LARGE_UNIT);
}

/* A block may be freed, and its record used again, while it is looked at. Then
 * it is counted as one or the other. */
__attribute__((no_sanitize("thread"))) static void block_visit(
	struct block *block, uint64_t word, void *arg)
{
	struct living *living = arg;
	const struct pool *pool = block_pool(block);
	uint64_t size = block_size(block), span = block->span;
	struct size_class *row;

	if (!pool || !pool->heap || pool->heap->device != living->device)
		return;
	if (!word_is_live(word)) {
		if (word & BLOCK_IDLE && span > living->idle_largest)
			living->idle_largest = span;
		return;
	}
	if (!size || size > span)
		return;
	row = &living->classes[size > 1 ? 64 - __builtin_clzll(size - 1) : 0];
	row->blocks++;
	row->bytes += size;
	row->largest = size > row->largest ? size : row->largest;
	living->blocks++;
	living->bytes += size;
	living->span += span;
	need_add(living, size);
}

static void classes_put(const struct living *living)
{
	const char *between = "";

	put(",\"live\":{\"blocks\":%" PRIu64 ",\"bytes\":%" PRIu64
	    ",\"span\":%" PRIu64 ",\"sizes\":[",
	    living->blocks, living->bytes, living->span);
	for (int i = CLASSES - 1; i >= 0; i--) {
		const struct size_class *row = &living->classes[i];

		if (!row->blocks)
			continue;
		put("%s{\"up_to\":%" PRIu64 ",\"blocks\":%" PRIu64
		    ",\"bytes\":%" PRIu64 ",\"largest\":%" PRIu64 "}",
		    between, UINT64_C(1) << i, row->blocks, row->bytes,
		    row->largest);
		between = ",";
	}
	put("]},\"largest_idle_block\":%" PRIu64, living->idle_largest);
}

/* A row for a pool: what it would need for what is live and the request, and
 * whether that is there; null if it is not known. */
static void pool_put(const char *between, const char *name, uint64_t bytes,
		     uint64_t beside, uint64_t room)
{
	put("%s{\"pool\":\"%s\",\"bytes\":%" PRIu64 ",\"fits\":%s}", between,
	    name, bytes,
	    !room                    ? "null"
	    : bytes + beside <= room ? "true"
				     : "false");
}

/* room: bytes that the process may have of the device; 0: not known. */
static void estimates_put(const struct living *living, uint64_t beside,
			  uint64_t room)
{
	put(",\"room\":%" PRIu64 ",\"pools\":[", room);
	pool_put("", "page_unit_pool", living->paged, beside, room);
	pool_put(",", "vmm_pool", round_up(living->smallest_units, LARGE_UNIT),
		 beside, room);
	pool_put(",", "no_pool",
		 living->large + round_up(living->small, LARGE_UNIT), beside,
		 room);
	put("]");
}

/* What the driver says is free; no document says that a capture allows this
 * question. */
static bool free_ask(struct device *device, size_t *bytes)
{
	const struct context *context = context_current();

	return context && context->device == device && !capture_any() &&
	       !device_check(device, backing_free_bytes(bytes));
}

static void device_put(struct device *device, size_t asked)
{
	static struct living living;
	uint64_t values[COUNTER_MAX], beside, room = limit_get(LIMIT_HARD);
	size_t total = 0, available = 0;
	bool host = device_is_host(device);
	bool known = !host && free_ask(device, &available);

	living.device = device;
	living.page = config_current()->page_size;
	counters_get(device, values);
	block_walk(block_visit, &living);
	need_add(&living, asked);
	if (!host && backing_device_bytes(device_ordinal(device), &total))
		total = 0;
	text_put("pool", pool_choice_name(device_choice_serving(device)));
	put(",\"total\":%zu,\"free\":", total);
	put(known ? "%zu" : "null", available);
	put(",\"figures\":{");
#define COUNTER(name, kind, unit, help) \
	put("%s\"" #name "\":%" PRIu64, COUNTER_##name ? "," : "", \
	    values[COUNTER_##name]);
	COUNTER_LIST
#undef COUNTER
	put("}");
	classes_put(&living);
	if (host)
		return;
	beside = values[COUNTER_device_bytes] - values[COUNTER_reserved_bytes];
	if (known && (!room || values[COUNTER_device_bytes] + available < room))
		room = values[COUNTER_device_bytes] + available;
	estimates_put(&living, beside, room);
}

static void text_make(struct device *device, size_t asked, bool by_limit)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	put("{\"mnm_postmortem\":1,\"pid\":%d,\"thread\":%ld,\"time\":%lld",
	    (int)getpid(), (long)syscall(SYS_gettid), (long long)now.tv_sec);
	text_put("program", program_invocation_short_name);
	text_put("version", MNM_VERSION);
	put(",\"asked\":%zu,\"refused_by\":\"%s\",\"hard_limit\":%zu", asked,
	    by_limit ? "hard_limit" : "driver", limit_get(LIMIT_HARD));
	if (device_is_host(device))
		put(",\"device\":\"host\"");
	else
		put(",\"device\":%d", device_ordinal(device));
	if (record_is_on() && *recorder_path())
		text_put("recording", recorder_path());
	device_put(device, asked);
	put("}\n");
}

void postmortem_write(struct device *device, size_t asked, bool by_limit)
{
	static _Atomic bool begun;
	static char path[PATH_MAX]; /* a thread's stack may be small */

	/* A filter may kill for the calls that make a file. */
	if (!strcmp(config_current()->postmortem, "off") ||
	    syscall_filter_is_own() || syscall_filter_kills_socket() ||
	    atomic_exchange(&begun, true))
		return;
	text_make(device, asked, by_limit);
	if (postmortem_save(out.text, out.length, path, sizeof(path)))
		log_error("what there was then: mnm report %s", path);
}
