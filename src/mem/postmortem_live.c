#include "postmortem_live.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "block/block.h"
#include "common/pool_list.h"
#include "config.h"
#include "context/context.h"
#include "foreign.h"
#include "heap/holes.h"
#include "pools/pool.h"
#include "postmortem_text.h"

enum {
	CLASSES = 64, /* of sizes: up to each power of two */
	SMALL_UNIT = 512,
	LARGE_UNIT = 2 << 20, /* of the driver's memory, and vmm_pool's pages */
};

#define SIZE_MOST (UINT64_C(1) << 60)

enum kind { KIND_PLAIN, KIND_ORDERED, KIND_PINNED, KINDS };
static const char *const kind_names[KINDS] = {
	[KIND_PLAIN] = "plain",
	[KIND_ORDERED] = "stream-ordered",
	[KIND_PINNED] = "pinned",
};

enum { FOREIGN_KINDS = FOREIGN_BORROWED_PINNED + 1 };
static const char *const foreign_names[FOREIGN_KINDS] = {
	[FOREIGN_MANAGED] = "managed",
	[FOREIGN_PITCHED] = "pitched",
	[FOREIGN_ASYNC] = "stream-ordered",
	[FOREIGN_ARRAYS] = "array",
	[FOREIGN_VIRTUAL] = "cuMemCreate",
	[FOREIGN_IMPORTED] = "imported",
	[FOREIGN_BORROWED] = "borrowed",
	[FOREIGN_BORROWED_PINNED] = "borrowed pinned",
};

struct sum {
	uint64_t blocks, bytes, largest;
};

/* What is live on a device, and what it would take elsewhere. */
static struct living {
	const struct device *device;
	size_t page;
	struct sum classes[CLASSES], kinds[KINDS][POOL_ROWS_MAX];
	struct sum all, pinned;
	uint64_t span, idle_largest;
	uint64_t paged, small,
		smallest_units; /* see postmortem_put_estimates */
	uint64_t large;
	/* What no pool has. */
	struct sum foreign_classes[CLASSES], foreign_kinds[FOREIGN_KINDS];
	struct sum foreign_all;
} living;

static void sum_add(struct sum *sum, uint64_t bytes)
{
	sum->blocks++;
	sum->bytes += bytes;
	if (bytes > sum->largest)
		sum->largest = bytes;
}

static int class_of(uint64_t size)
{
	return size > 1 ? 64 - __builtin_clzll(size - 1) : 0;
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* Adds a block, or the request, to what it would take in other pools. */
static void need_add(uint64_t size)
{
	if (size > SIZE_MOST)
		size = SIZE_MOST; /* of no device; a sum has room for it */
	living.paged += round_up(size, living.page);
	living.smallest_units += round_up(size, SMALL_UNIT);
	if (size < LARGE_UNIT)
		living.small += round_up(size, SMALL_UNIT);
	else
		living.large += round_up(size, LARGE_UNIT);
}

static enum kind kind_of(uint64_t word, bool host)
{
	return host                   ? KIND_PINNED
	       : word & BLOCK_ORDERED ? KIND_ORDERED
				      : KIND_PLAIN;
}

/* A block may be freed, and its record used again, while it is looked at. Then
 * it is counted as one or the other. */
__attribute__((no_sanitize("thread"))) static void block_visit(
	struct block *block, uint64_t word, void *unused)
{
	const struct pool *pool = block_pool(block);
	const struct heap *heap = pool ? pool->heap : NULL;
	uint64_t size = block_size(block), span = block->span;
	bool live =
		word_is_live(word) && size && size <= span && size <= SIZE_MOST;
	bool host = heap && device_is_host(heap->device);
	unsigned int row;

	(void)unused;
	if (!heap)
		return;
	if (live && host)
		sum_add(&living.pinned, size);
	if (heap->device != living.device)
		return;
	if (!word_is_live(word) && word & BLOCK_IDLE &&
	    span > living.idle_largest)
		living.idle_largest = span;
	row = pool_number(pool) - 1;
	if (!live || row >= POOL_ROWS_MAX)
		return;
	sum_add(&living.classes[class_of(size)], size);
	sum_add(&living.kinds[kind_of(word, host)][row], size);
	sum_add(&living.all, size);
	living.span += span;
	need_add(size);
}

static void foreign_visit(enum foreign_kind kind, size_t bytes, void *unused)
{
	(void)unused;
	if (!bytes || bytes > SIZE_MOST)
		return;
	sum_add(&living.foreign_classes[class_of(bytes)], bytes);
	sum_add(&living.foreign_kinds[kind], bytes);
	sum_add(&living.foreign_all, bytes);
}

static void classes_put(const struct sum *classes)
{
	const char *between = "";

	postmortem_put(",\"sizes\":[");
	for (int i = CLASSES - 1; i >= 0; i--) {
		if (!classes[i].blocks)
			continue;
		postmortem_put("%s{\"up_to\":%" PRIu64 ",\"blocks\":%" PRIu64
			       ",\"bytes\":%" PRIu64 ",\"largest\":%" PRIu64
			       "}",
			       between, UINT64_C(1) << i, classes[i].blocks,
			       classes[i].bytes, classes[i].largest);
		between = ",";
	}
	postmortem_put("]");
}

/* pool: NULL for what CUDA serves. */
static void kind_put(const char *kind, const char *pool, const struct sum *sum,
		     bool *any)
{
	if (!sum->blocks)
		return;
	postmortem_put("%s{\"kind\":\"%s\",", *any ? "," : "", kind);
	if (pool)
		postmortem_put("\"pool\":\"%s\",", pool);
	postmortem_put("\"blocks\":%" PRIu64 ",\"bytes\":%" PRIu64 "}",
		       sum->blocks, sum->bytes);
	*any = true;
}

static void pooled_put(void)
{
	bool any = false;

	postmortem_put(",\"live\":{\"blocks\":%" PRIu64 ",\"bytes\":%" PRIu64
		       ",\"span\":%" PRIu64,
		       living.all.blocks, living.all.bytes, living.span);
	classes_put(living.classes);
	postmortem_put(",\"kinds\":[");
	for (int i = 0; i < KINDS; i++)
		for (int row = 0; row < pool_rows_count(); row++)
			kind_put(kind_names[i], pool_rows[row].name,
				 &living.kinds[i][row], &any);
	postmortem_put("]}");
}

/* known: the lock of its table was free. */
static void unpooled_put(bool known)
{
	bool any = false;

	if (!known) {
		postmortem_put(",\"unpooled\":null");
		return;
	}
	postmortem_put(",\"unpooled\":{\"blocks\":%" PRIu64
		       ",\"bytes\":%" PRIu64,
		       living.foreign_all.blocks, living.foreign_all.bytes);
	classes_put(living.foreign_classes);
	postmortem_put(",\"kinds\":[");
	for (int i = 0; i < FOREIGN_KINDS; i++)
		kind_put(foreign_names[i], NULL, &living.foreign_kinds[i],
			 &any);
	postmortem_put("]}");
}

static void holes_put(void)
{
	struct holes holes;

	if (holes_look(living.device, &holes))
		postmortem_put(",\"holes\":{\"regions\":%" PRIu64
			       ",\"bytes\":%" PRIu64 ",\"count\":%" PRIu64
			       ",\"largest\":%" PRIu64
			       ",\"whole_pages\":%" PRIu64 "}",
			       holes.regions, holes.bytes, holes.count,
			       holes.largest, holes.pages);
	else
		postmortem_put(",\"holes\":null");
}

void postmortem_put_live(const struct device *device, size_t asked)
{
	memset(&living, 0, sizeof(living)); /* it is too large for a stack */
	living.device = device;
	living.page = config_current()->page_size;
	block_walk(block_visit, NULL);
	need_add(asked);
	pooled_put();
	if (!device_is_host(device))
		postmortem_put(",\"pinned\":{\"blocks\":%" PRIu64
			       ",\"bytes\":%" PRIu64 "}",
			       living.pinned.blocks, living.pinned.bytes);
	unpooled_put(foreign_try_each(device, foreign_visit, NULL));
	postmortem_put(",\"largest_idle_block\":%" PRIu64, living.idle_largest);
	holes_put();
}

/* A row for a pool: what it would need for what is live and the request, and
 * whether that is there; null if it is not known. */
static void pool_put(const char *between, const char *name, uint64_t bytes,
		     uint64_t beside, uint64_t room)
{
	postmortem_put("%s{\"pool\":\"%s\",\"bytes\":%" PRIu64 ",\"fits\":%s}",
		       between, name, bytes,
		       !room                    ? "null"
		       : bytes + beside <= room ? "true"
						: "false");
}

void postmortem_put_estimates(uint64_t beside, uint64_t room)
{
	postmortem_put(",\"room\":%" PRIu64 ",\"pools\":[", room);
	pool_put("", "page_unit_pool", living.paged, beside, room);
	pool_put(",", "vmm_pool", round_up(living.smallest_units, LARGE_UNIT),
		 beside, room);
	pool_put(",", "no_pool",
		 living.large + round_up(living.small, LARGE_UNIT), beside,
		 room);
	postmortem_put("]");
}
