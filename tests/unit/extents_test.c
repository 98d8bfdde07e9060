#include <stdlib.h>
#include <string.h>

#include "pools/extents.h"
#include "run.h"

/* Two regions side by side. Each byte is a unit of the model. */
enum { UNITS = 512, MIDDLE = 256, BLOCKS_MOST = 128, STEPS = 5000, SEEDS = 4 };

static struct extents extents;
static bool is_free[UNITS];
static uint64_t epoch_of[UNITS];
static unsigned int stream_of[UNITS];

/* Only the address of a region matters. */
static struct mnm_region *region_of(size_t addr)
{
	static char regions[2];

	return (struct mnm_region *)&regions[addr >= MIDDLE];
}

static bool is_settled(uint64_t epoch)
{
	return !epoch || epoch < extents.settled;
}

/* Whether two free units side by side belong to one extent. */
static bool are_one(size_t left)
{
	size_t right = left + 1;
	bool settled = is_settled(epoch_of[left]);

	return region_of(left) == region_of(right) &&
	       settled == is_settled(epoch_of[right]) &&
	       (settled || stream_of[left] == stream_of[right]);
}

static void take(struct extent *extent, uint64_t addr, size_t bytes)
{
	extents_cut(&extents, extent, addr, bytes);
	memset(is_free + addr, 0, bytes);
}

/* Where the free stretch that begins at addr ends. */
static size_t stretch_end(size_t addr)
{
	if (!is_free[addr])
		return addr;
	while (addr + 1 < UNITS && is_free[addr + 1] && are_one(addr))
		addr++;
	return addr + 1;
}

/* What is joined has one stamp. */
static void restamp(void)
{
	uint64_t epoch;
	unsigned int stream;
	size_t end;

	for (size_t at = 0; at < UNITS; at = end + (end == at)) {
		end = stretch_end(at);
		epoch = epoch_of[at];
		stream = stream_of[at];
		for (size_t i = at; i < end; i++) {
			epoch = epoch_of[i] > epoch ? epoch_of[i] : epoch;
			stream = stream_of[i] == stream ? stream : 0;
		}
		for (size_t i = at; i < end; i++) {
			epoch_of[i] = epoch;
			stream_of[i] = stream;
		}
	}
}

static void give(uint64_t addr, size_t bytes, uint64_t epoch,
		 unsigned int stream)
{
	extents_add(&extents, &(struct extent){.addr = addr,
					       .bytes = bytes,
					       .region = region_of(addr),
					       .epoch = epoch,
					       .stream = stream});
	for (size_t i = addr; i < addr + bytes; i++) {
		is_free[i] = true;
		epoch_of[i] = epoch;
		stream_of[i] = stream;
	}
	restamp();
}

/* Whether the extent is that stretch, and has its stamp. */
static bool extent_is(const struct extent *extent, size_t begin, size_t end)
{
	if (!extent || extent->addr != begin || extent->bytes != end - begin)
		return false;
	return extent->epoch == epoch_of[begin] &&
	       extent->stream == stream_of[begin];
}

/* Whether the extents are all the free stretches. */
static bool extents_agree(void)
{
	size_t end, bytes = 0, count = 0;

	for (size_t at = 0; at < UNITS; at = end + (end == at)) {
		end = stretch_end(at);
		if (end == at)
			continue;
		if (!extent_is(extents_from(&extents, at), at, end))
			return false;
		bytes += end - at;
		count++;
	}
	return extents.bytes == bytes && extents.count == count;
}

/* The least stretch of at least so many units, the first if there are
 * several. */
static size_t model_fit(size_t bytes, size_t *length)
{
	size_t best = UNITS, end;

	*length = 0;
	for (size_t at = 0; at < UNITS; at = end + (end == at)) {
		end = stretch_end(at);
		if (end - at < bytes || (*length && end - at >= *length))
			continue;
		best = at;
		*length = end - at;
	}
	return best;
}

static void random_steps(unsigned int seed)
{
	struct {
		uint64_t addr;
		size_t bytes;
	} blocks[BLOCKS_MOST], last;
	size_t count = 0, bytes, length, at;
	struct extent *extent;

	memset(is_free, 0, sizeof(is_free));
	ck_assert(extents_prepare(&extents, BLOCKS_MOST + 3));
	give(0, MIDDLE, 0, 0);
	give(MIDDLE, UNITS - MIDDLE, 0, 0);
	for (int step = 1; step < STEPS; step++) {
		bytes = 1 + (size_t)rand_r(&seed) % (step % 7 ? 6 : 60);
		extent = extents_fit(&extents, bytes);
		at = model_fit(bytes, &length);
		ck_assert_uint_eq(!extent, !length);
		if (extent && count < BLOCKS_MOST && rand_r(&seed) % 2) {
			ck_assert_uint_eq(extent->addr, at);
			ck_assert_uint_eq(extent->bytes, length);
			at += (size_t)rand_r(&seed) % (length - bytes + 1);
			take(extent, at, bytes);
			blocks[count].addr = at;
			blocks[count++].bytes = bytes;
		} else if (count) {
			at = (size_t)rand_r(&seed) % count;
			last = blocks[at];
			blocks[at] = blocks[--count];
			give(last.addr, last.bytes, (uint64_t)step / 8,
			     (unsigned int)rand_r(&seed) % 3);
		}
		if (step % 16 == 0) {
			extents_settle(&extents, (uint64_t)step / 8 - 1);
			restamp();
		}
		ck_assert(extents_agree());
	}
	extents_close(&extents);
	ck_assert_ptr_null(extents_fit(&extents, 1));
}

START_TEST(extents_are_what_is_free)
{
	for (unsigned int seed = 1; seed <= SEEDS; seed++)
		random_steps(seed);
}
END_TEST

START_TEST(extents_are_walked_in_both_orders)
{
	static const struct {
		uint64_t addr;
		size_t bytes;
	} rows[] = {{10, 5}, {20, 3}, {40, 5}, {60, 9}, {80, 3}};
	static const uint64_t by_size[] = {20, 80, 10, 40, 60};
	const struct extent *at;

	ck_assert(extents_prepare(&extents, 6));
	for (size_t i = 0; i < 5; i++)
		give(rows[i].addr, rows[i].bytes, 0, 0);
	at = extents_fit(&extents, 1);
	for (size_t i = 0; i < 5; i++, at = extents_larger(&extents, at))
		ck_assert_uint_eq(at->addr, by_size[i]);
	ck_assert_ptr_null(at);
	ck_assert_uint_eq(extents_from(&extents, 11)->addr, 20);
	ck_assert_uint_eq(extents_from(&extents, 20)->addr, 20);
	ck_assert_ptr_null(extents_from(&extents, 81));
	ck_assert_uint_eq(extents_before(&extents, 20)->addr, 10);
	ck_assert_ptr_null(extents_before(&extents, 10));
	ck_assert_uint_eq(extents_fit(&extents, 9)->addr, 60);
	ck_assert_ptr_null(extents_fit(&extents, 10));
	extents_close(&extents);
}
END_TEST

START_TEST(extents_are_joined_that_may_be_used_together)
{
	ck_assert(extents_prepare(&extents, 8));
	give(MIDDLE - 8, 8, 1, 4);
	give(MIDDLE, 8, 2, 4); /* another region */
	ck_assert_uint_eq(extents.count, 2);
	give(MIDDLE + 8, 8, 1, 4); /* the same stream */
	ck_assert_uint_eq(extents.count, 2);
	ck_assert_uint_eq(extents_from(&extents, MIDDLE)->bytes, 16);
	ck_assert_uint_eq(extents_from(&extents, MIDDLE)->epoch, 2);
	ck_assert_uint_eq(extents_from(&extents, MIDDLE)->stream, 4);
	give(MIDDLE + 16, 8, 1, 5);
	give(MIDDLE + 24, 8, 0, 0); /* never used */
	ck_assert_uint_eq(extents.count, 4);
	extents_settle(&extents, 1);
	ck_assert_uint_eq(extents.count, 4);
	extents_settle(&extents, 2); /* not the first of three */
	ck_assert_uint_eq(extents.count, 3);
	ck_assert(!extents_would_fit(&extents, 33));
	ck_assert(extents_would_fit(&extents, 32));
	ck_assert_ptr_null(extents_fit(&extents, 32));
	extents_settle(&extents, 3);
	ck_assert_uint_eq(extents.count, 2);
	ck_assert_uint_eq(extents_fit(&extents, 32)->epoch, 2);
	ck_assert_uint_eq(extents_fit(&extents, 32)->stream, 0);
	extents_close(&extents);
}
END_TEST

int main(void)
{
	static const TTest *tests[4]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = extents_are_what_is_free;
	tests[n++] = extents_are_walked_in_both_orders;
	tests[n++] = extents_are_joined_that_may_be_used_together;
	return tests_run("extents", tests);
}
