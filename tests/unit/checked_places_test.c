/* Wrong answers of pools that place blocks. */
#include "checked.h"

enum { SPAN = 4096, SAFE = 10, LATE = 20 };

#define PAGE MNM_REGION_PAGE

/* What the pool that is checked answers. */
static enum mnm_answer answer;
static struct mnm_place placed, parted;
static bool has_part, takes = true;
static struct mnm_lack lacked;
static struct mnm_size_classes published = {.unit = MNM_SPAN_UNIT};
/* The regions that it was told of, as it sees them. */
static struct mnm_region *seen[2];
static int count, calls;
static const struct mnm_region *grows_in; /* as it saw that last */

static bool evil_open(struct mnm_pool *pool,
		      const struct mnm_pool_options *options)
{
	(void)options;
	pool->classes = published;
	return true;
}

static size_t evil_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	(void)slack;
	return mnm_size_class_span(&pool->classes, size);
}

static enum mnm_answer evil_place(struct mnm_pool *pool,
				  const struct mnm_request *request,
				  struct mnm_place *place)
{
	(void)request;
	calls++;
	grows_in = pool->growing;
	*place = placed;
	return answer;
}

static bool evil_add(struct mnm_pool *pool, const struct mnm_place *place)
{
	(void)pool;
	calls++;
	if (takes && !place->region->listed && count < 2) {
		place->region->listed = true;
		seen[count++] = place->region;
	}
	return takes;
}

static void evil_lacks(struct mnm_pool *pool, size_t span,
		       const struct mnm_region *grows, enum mnm_growth rule,
		       struct mnm_lack *lack)
{
	(void)pool, (void)span, (void)grows, (void)rule;
	calls++;
	*lack = lacked;
}

static bool evil_part(struct mnm_pool *pool, size_t bytes, bool moves,
		      struct mnm_place *place)
{
	(void)pool, (void)bytes, (void)moves;
	calls++;
	*place = parted;
	return has_part;
}

static bool evil_part_aged(struct mnm_pool *pool, uint64_t *age,
			   struct mnm_place *place)
{
	*age = 1;
	return evil_part(pool, SIZE_MAX, false, place);
}

static const struct mnm_pool_ops evil = {
	.name = "evil_pool",
	.size = sizeof(struct mnm_pool),
	.open = evil_open,
	.span = evil_span,
	.place = evil_place,
	.add = evil_add,
	.lacks = evil_lacks,
	.part = evil_part,
	.part_aged = evil_part_aged,
};

static struct mnm_region regions[3] = {{.base = 1 << 30, .bytes = 4 * PAGE},
				       {.base = 3U << 30, .bytes = 4 * PAGE},
				       {.base = 5UL << 30, .bytes = 4 * PAGE}};

static bool added(struct mnm_pool *pool, int region, size_t offset,
		  size_t bytes, uint64_t epoch)
{
	const struct mnm_place place = {.region = &regions[region],
					.addr = regions[region].base + offset,
					.bytes = bytes,
					.epoch = epoch};

	return pool->ops->add(pool, &place);
}

/* A checked pool with two regions that are free, but for the second half of the
 * first one. */
static struct mnm_pool *pool_with_regions(void)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_DEVICE);

	ck_assert(added(pool, 0, 0, 2 * PAGE, MNM_EPOCH_NEVER));
	ck_assert(added(pool, 1, 0, 4 * PAGE, MNM_EPOCH_NEVER));
	pool->region_bytes = 8 * PAGE;
	pool->live_count = 1;
	pool->live_span = 2 * PAGE;
	return pool;
}

static enum mnm_answer asked(struct mnm_pool *pool, struct mnm_place *place)
{
	const struct mnm_request request = {.span = SPAN, .safe = SAFE};

	return pool->ops->place(pool, &request, place);
}

/* The pool places the block that is asked for so. */
static enum mnm_answer places(struct mnm_pool *pool, int region, size_t offset,
			      size_t bytes)
{
	struct mnm_place place;

	answer = MNM_HIT;
	placed = (struct mnm_place){.region = seen[region],
				    .addr = regions[region].base + offset,
				    .bytes = bytes};
	return asked(pool, &place);
}

/* The pool is asked no more; what it had goes back once it is free. */
static void gives_all(struct mnm_pool *pool)
{
	struct mnm_place place;
	int before = calls;
	uint64_t age = 0;

	ck_assert_int_eq(asked(pool, &place), MNM_MISS);
	ck_assert(!pool->ops->part_aged(pool, &age, &place));
	ck_assert(pool->ops->part(pool, SIZE_MAX, false, &place));
	ck_assert_ptr_eq(place.region, &regions[1]);
	ck_assert_uint_eq(place.bytes, 4 * PAGE);
	ck_assert(!pool->ops->part(pool, SIZE_MAX, false, &place));
	ck_assert(added(pool, 0, 2 * PAGE, 2 * PAGE, LATE));
	ck_assert(pool->ops->part(pool, SIZE_MAX, false, &place));
	ck_assert_ptr_eq(place.region, &regions[0]);
	ck_assert_uint_eq(place.addr, regions[0].base);
	ck_assert_uint_eq(place.bytes, 4 * PAGE);
	ck_assert(!pool->ops->part(pool, SIZE_MAX, false, &place));
	ck_assert_int_eq(calls, before);
}

START_TEST(right_answers_are_passed_on)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;
	struct mnm_lack lack;

	ck_assert_int_eq(places(pool, 0, 0, SPAN), MNM_HIT);
	placed.addr += SPAN;
	ck_assert_int_eq(asked(pool, &place), MNM_HIT);
	ck_assert_ptr_eq(place.region, &regions[0]);
	ck_assert_uint_eq(place.epoch, MNM_EPOCH_NEVER);
	ck_assert(pool->ops->add(pool, &place));
	lacked.fresh = 2 * PAGE;
	pool->ops->lacks(pool, PAGE + 1, NULL, MNM_GROW_LEAST, &lack);
	ck_assert_uint_eq(lack.fresh, 2 * PAGE);
	has_part = true;
	parted = (struct mnm_place){
		.region = seen[1], .addr = regions[1].base, .bytes = 4 * PAGE};
	ck_assert(pool->ops->part(pool, PAGE, false, &place));
	ck_assert_ptr_eq(place.region, &regions[1]);
	ck_assert(!checked_is_off(pool->ops));
	ck_assert_int_eq(lines, 0);
}
END_TEST

START_TEST(what_it_writes_into_a_region_stays_with_it)
{
	struct mnm_pool *pool = pool_with_regions();

	seen[0]->base = 0;
	seen[0]->bytes = 1;
	ck_assert(added(pool, 0, 2 * PAGE, PAGE, LATE));
	ck_assert_uint_eq(regions[0].base, 1 << 30);
	ck_assert(!regions[0].listed);
	ck_assert_uint_eq(seen[0]->base, regions[0].base);
	ck_assert_int_eq(lines, 0);
}
END_TEST

/* A region that grows ends without a word, and the record of the next one may
 * lie where its record was. */
START_TEST(a_region_is_not_taken_for_one_that_has_ended)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_VIRTUAL);
	struct mnm_place place;

	regions[0].grows = true;
	regions[0].kind = 1;
	ck_assert(added(pool, 0, 0, 4 * PAGE, MNM_EPOCH_NEVER));
	has_part = true;
	parted = (struct mnm_place){
		.region = seen[0], .addr = regions[0].base, .bytes = 4 * PAGE};
	ck_assert(pool->ops->part(pool, 4 * PAGE, false, &place));
	regions[0] = (struct mnm_region){
		.base = 9UL << 30, .bytes = 4 * PAGE, .kind = 2};
	ck_assert(added(pool, 0, 0, 4 * PAGE, MNM_EPOCH_NEVER));
	ck_assert_ptr_ne(seen[1], seen[0]);
	ck_assert_uint_eq(seen[0]->kind, 1);
	ck_assert_uint_eq(seen[1]->kind, 2);
	ck_assert_uint_eq(seen[1]->base, regions[0].base);
	has_part = false;
	ck_assert(pool->ops->part(pool, PAGE, false, &place));
	ck_assert_uint_eq(place.addr, regions[0].base);
	faulted(pool, "kept a free region back");
}
END_TEST

/* Of the bytes of a place, those that were freed last, in whatever stream,
 * decide. */
START_TEST(a_place_has_the_latest_epoch_of_its_bytes)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	ck_assert(added(pool, 0, 2 * PAGE, SPAN / 2, 5));
	ck_assert(added(pool, 0, 2 * PAGE + SPAN / 2, SPAN, 7));
	answer = MNM_HIT;
	placed = (struct mnm_place){.region = seen[0],
				    .addr = regions[0].base + 2 * PAGE,
				    .bytes = SPAN,
				    .stream = 9};
	ck_assert_int_eq(asked(pool, &place), MNM_HIT);
	ck_assert_uint_eq(place.epoch, 7);
	ck_assert_uint_eq(place.stream, 0);
}
END_TEST

/* Frees bytes in the order of two streams. Returns the stream of a block that
 * has both. */
static unsigned int stream_of_both(unsigned int first, unsigned int second)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place freed = {.region = &regions[0],
				  .addr = regions[0].base + 2 * PAGE,
				  .bytes = SPAN / 2,
				  .epoch = 5,
				  .stream = first};
	struct mnm_place place;

	ck_assert(pool->ops->add(pool, &freed));
	freed.addr += SPAN / 2;
	freed.stream = second;
	ck_assert(pool->ops->add(pool, &freed));
	answer = MNM_HIT;
	placed = (struct mnm_place){.region = seen[0],
				    .addr = regions[0].base + 2 * PAGE,
				    .bytes = SPAN};
	ck_assert_int_eq(asked(pool, &place), MNM_HIT);
	return place.stream;
}

START_TEST(bytes_of_one_stream_are_of_that_stream)
{
	ck_assert_uint_eq(stream_of_both(3, 3), 3);
}
END_TEST

START_TEST(bytes_of_two_streams_are_of_none)
{
	ck_assert_uint_eq(stream_of_both(3, 4), 0);
}
END_TEST

START_TEST(a_block_in_two_regions_is_noticed)
{
	struct mnm_pool *pool;

	regions[1].base = regions[0].base + 4 * PAGE;
	pool = pool_with_regions();
	ck_assert(added(pool, 0, 2 * PAGE, 2 * PAGE, 3));
	ck_assert_int_eq(places(pool, 0, 4 * PAGE - SPAN / 2, SPAN), MNM_MISS);
	faulted(pool, "no free bytes");
}
END_TEST

START_TEST(a_block_outside_its_region_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();

	ck_assert_int_eq(places(pool, 1, 4 * PAGE - SPAN / 2, SPAN), MNM_MISS);
	faulted(pool, "no free bytes");
	gives_all(pool);
}
END_TEST

START_TEST(a_block_that_overlaps_a_live_one_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();

	ck_assert_int_eq(places(pool, 0, 2 * PAGE - SPAN / 2, SPAN), MNM_MISS);
	faulted(pool, "no free bytes");
	gives_all(pool);
}
END_TEST

START_TEST(a_place_handed_out_twice_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();

	ck_assert_int_eq(places(pool, 0, 0, SPAN), MNM_HIT);
	ck_assert_int_eq(places(pool, 0, SPAN / 2, SPAN), MNM_MISS);
	faulted(pool, "no free bytes");
}
END_TEST

START_TEST(a_block_in_another_region_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	answer = MNM_HIT;
	placed = (struct mnm_place){
		.region = seen[0], .addr = regions[1].base, .bytes = SPAN};
	ck_assert_int_eq(asked(pool, &place), MNM_MISS);
	faulted(pool, "another region");
	gives_all(pool);
}
END_TEST

START_TEST(a_span_that_is_too_small_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();

	ck_assert_int_eq(places(pool, 0, 0, SPAN / 2), MNM_MISS);
	faulted(pool, "another span");
	gives_all(pool);
}
END_TEST

START_TEST(a_span_that_is_too_large_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();

	ck_assert_int_eq(places(pool, 0, 0, SPAN + PAGE + MNM_SPAN_UNIT),
			 MNM_MISS);
	faulted(pool, "another span");
}
END_TEST

START_TEST(an_odd_address_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();

	ck_assert_int_eq(places(pool, 0, 256, SPAN), MNM_MISS);
	faulted(pool, "no multiple of 512");
}
END_TEST

START_TEST(bytes_that_are_not_ready_are_noticed)
{
	struct mnm_pool *pool = pool_with_regions();

	ck_assert(added(pool, 0, 2 * PAGE, PAGE, LATE));
	ck_assert_int_eq(places(pool, 0, 2 * PAGE - SPAN / 2, SPAN), MNM_MISS);
	faulted(pool, "not ready");
}
END_TEST

START_TEST(an_answer_that_is_none_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	answer = (enum mnm_answer) - 1;
	ck_assert_int_eq(asked(pool, &place), MNM_MISS);
	faulted(pool, "answer to place");
	gives_all(pool);
}
END_TEST

START_TEST(a_refused_free_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	takes = false;
	ck_assert(added(pool, 0, 2 * PAGE, 2 * PAGE, LATE));
	faulted(pool, "refused the bytes of a freed block");
	ck_assert(pool->ops->part(pool, SIZE_MAX, false, &place));
	ck_assert(pool->ops->part(pool, SIZE_MAX, false, &place));
}
END_TEST

/* A pool may refuse a new region, for want of memory. */
START_TEST(a_refused_region_is_forgotten)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_DEVICE);
	struct mnm_place place;

	takes = false;
	ck_assert(!added(pool, 0, 0, 4 * PAGE, MNM_EPOCH_NEVER));
	ck_assert(!checked_is_off(pool->ops));
	ck_assert(!pool->ops->part(pool, PAGE, false, &place));
	ck_assert_int_eq(lines, 0);
}
END_TEST

/* Then a request of the program's would fail. */
START_TEST(a_pool_that_refuses_each_region_is_noticed)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_DEVICE);
	struct mnm_place place;

	takes = false;
	ck_assert(!added(pool, 0, 0, 4 * PAGE, MNM_EPOCH_NEVER));
	ck_assert(added(pool, 1, 0, 4 * PAGE, MNM_EPOCH_NEVER));
	faulted(pool, "refused the memory that it asked for");
	ck_assert(pool->ops->part(pool, PAGE, false, &place));
	ck_assert_ptr_eq(place.region, &regions[1]);
}
END_TEST

/* What the pool says that it lacks is replaced by what a request needs. */
static void lacks_wrongly(size_t fresh, size_t moved, enum mnm_growth rule,
			  const char *why)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_lack lack;

	lacked = (struct mnm_lack){.fresh = fresh, .moved = moved};
	pool->ops->lacks(pool, PAGE + 1, NULL, rule, &lack);
	faulted(pool, why);
	ck_assert_uint_eq(lack.fresh, 2 * PAGE);
	ck_assert_uint_eq(lack.moved, 0);
	gives_all(pool);
}

START_TEST(a_lack_that_is_too_small_is_noticed)
{
	lacks_wrongly(PAGE, 0, MNM_GROW_FREELY, "less than the request");
}
END_TEST

START_TEST(a_lack_of_nothing_is_noticed)
{
	lacks_wrongly(0, 0, MNM_GROW_FREELY, "lacks nothing");
}
END_TEST

START_TEST(a_lack_of_parts_of_pages_is_noticed)
{
	lacks_wrongly(2 * PAGE + 512, 0, MNM_GROW_FREELY, "no multiple");
}
END_TEST

START_TEST(a_lack_of_pages_that_move_nowhere_is_noticed)
{
	lacks_wrongly(2 * PAGE, PAGE, MNM_GROW_FREELY, "move");
}
END_TEST

START_TEST(a_lack_that_is_too_large_where_memory_is_short_is_noticed)
{
	lacks_wrongly(8 * PAGE, 0, MNM_GROW_LEAST, "memory is short");
}
END_TEST

static enum mnm_growth rule = MNM_GROW_FREELY;

START_TEST(a_lack_of_more_than_any_device_has_is_no_fault)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_lack lack;
	size_t span = -MNM_SPAN_UNIT;

	lacked.fresh = span;
	pool->ops->lacks(pool, span, NULL, MNM_GROW_LEAST, &lack);
	ck_assert_uint_eq(lack.fresh, span);
	ck_assert(!checked_is_off(pool->ops));
}
END_TEST

/* It grows by so many bytes of the page that it lacks. */
static void grows_by(struct mnm_pool *pool, int page, size_t bytes)
{
	struct mnm_lack lack;

	lacked.fresh = PAGE;
	pool->ops->lacks(pool, SPAN, NULL, rule, &lack);
	ck_assert(added(pool, 2, (size_t)page * PAGE, bytes, MNM_EPOCH_NEVER));
}

START_TEST(a_pool_that_grows_in_vain_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	answer = MNM_MISS;
	for (int i = 0; i < 3; i++) {
		ck_assert(!checked_is_off(pool->ops));
		grows_by(pool, i, PAGE);
		ck_assert_int_eq(asked(pool, &place), MNM_MISS);
	}
	faulted(pool, "found no place");
}
END_TEST

START_TEST(a_pool_that_got_less_than_it_lacks_may_have_no_place)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	answer = MNM_MISS;
	for (int i = 0; i < 4; i++) {
		grows_by(pool, i, SPAN);
		ck_assert_int_eq(asked(pool, &place), MNM_MISS);
	}
	ck_assert(!checked_is_off(pool->ops));
}
END_TEST

START_TEST(a_pool_that_has_served_since_may_have_no_place)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	for (int i = 0; i < 4; i++) {
		grows_by(pool, i, PAGE);
		ck_assert_int_eq(places(pool, 0, (size_t)i * SPAN, SPAN),
				 MNM_HIT);
		answer = MNM_MISS;
		ck_assert_int_eq(asked(pool, &place), MNM_MISS);
	}
	ck_assert(!checked_is_off(pool->ops));
}
END_TEST

START_TEST(a_pool_that_has_handed_bytes_over_since_may_have_no_place)
{
	struct mnm_pool *pool;
	struct mnm_place place;

	regions[1].grows = true;
	pool = pool_with_regions();
	answer = MNM_MISS;
	for (int i = 0; i < 4; i++) {
		grows_by(pool, i, PAGE);
		has_part = true;
		parted = (struct mnm_place){.region = seen[1],
					    .addr = regions[1].base +
						    (size_t)i * PAGE,
					    .bytes = PAGE};
		ck_assert(pool->ops->part(pool, PAGE, false, &place));
		ck_assert_int_eq(asked(pool, &place), MNM_MISS);
	}
	ck_assert(!checked_is_off(pool->ops));
}
END_TEST

/* Each of several threads grows the pool before any of them is served; another
 * one, with a request that these bytes are not for, comes first each time. */
START_TEST(a_pool_may_have_no_place_for_another_span)
{
	const struct mnm_request small = {.span = MNM_SPAN_UNIT, .safe = SAFE};
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	answer = MNM_MISS;
	for (int i = 0; i < 4; i++) {
		grows_by(pool, i, PAGE);
		ck_assert_int_eq(pool->ops->place(pool, &small, &place),
				 MNM_MISS);
	}
	ck_assert(!checked_is_off(pool->ops));
}
END_TEST

/* The fresh bytes may have to be joined with some that are not ready, unless
 * fresh ones alone were asked for. */
START_TEST(a_pool_that_has_grown_may_need_a_fence)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	answer = MNM_UNSAFE;
	for (int i = 0; i < 4; i++) {
		grows_by(pool, i, PAGE);
		ck_assert_int_eq(asked(pool, &place), MNM_UNSAFE);
	}
	ck_assert(!checked_is_off(pool->ops));
}
END_TEST

START_TEST(a_pool_that_needs_a_fence_for_fresh_bytes_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	rule = MNM_GROW_FRESH;
	answer = MNM_UNSAFE;
	for (int i = 0; i < 3; i++) {
		ck_assert(!checked_is_off(pool->ops));
		grows_by(pool, i, PAGE);
		asked(pool, &place);
	}
	faulted(pool, "found no place");
}
END_TEST

/* The pool hands over bytes. */
static void parts_wrongly(int region, size_t offset, size_t bytes,
			  const char *why)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	has_part = true;
	parted = (struct mnm_place){.region = seen[region],
				    .addr = regions[region].base + offset,
				    .bytes = bytes};
	ck_assert(pool->ops->part(pool, SIZE_MAX, false, &place));
	ck_assert_ptr_eq(place.region, &regions[1]);
	ck_assert_uint_eq(place.bytes, 4 * PAGE);
	faulted(pool, why);
}

START_TEST(a_region_with_live_blocks_is_not_handed_over)
{
	parts_wrongly(0, 0, 4 * PAGE, "does not have");
}
END_TEST

START_TEST(a_part_of_a_whole_region_is_not_handed_over)
{
	parts_wrongly(1, 0, PAGE, "goes whole");
}
END_TEST

START_TEST(nothing_is_not_handed_over)
{
	parts_wrongly(1, 0, 0, "does not have");
}
END_TEST

START_TEST(a_region_that_is_kept_back_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;

	ck_assert(pool->ops->part(pool, PAGE, false, &place));
	ck_assert_ptr_eq(place.region, &regions[1]);
	faulted(pool, "kept a free region back");
}
END_TEST

START_TEST(an_aged_part_that_is_wrong_is_noticed)
{
	struct mnm_pool *pool = pool_with_regions();
	struct mnm_place place;
	uint64_t age = 0;

	has_part = true;
	parted = (struct mnm_place){
		.region = seen[0], .addr = regions[0].base, .bytes = PAGE};
	ck_assert(!pool->ops->part_aged(pool, &age, &place));
	faulted(pool, "goes whole");
	gives_all(pool);
}
END_TEST

/* A region of virtual memory may give pages back. */
static void parts_pages(size_t offset, size_t bytes, const char *why)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_VIRTUAL);
	struct mnm_place place;

	regions[0].grows = true;
	ck_assert(added(pool, 0, 0, 4 * PAGE, 3));
	has_part = true;
	parted = (struct mnm_place){.region = seen[0],
				    .addr = regions[0].base + offset,
				    .bytes = bytes};
	ck_assert(pool->ops->part(pool, 2 * PAGE, false, &place));
	if (why) {
		faulted(pool, why);
		return;
	}
	ck_assert_uint_eq(place.addr, parted.addr);
	ck_assert_uint_eq(place.epoch, 3);
	ck_assert(!checked_is_off(pool->ops));
}

START_TEST(whole_pages_are_handed_over)
{
	parts_pages(PAGE, 2 * PAGE, NULL);
}
END_TEST

START_TEST(parts_of_pages_are_not_handed_over)
{
	parts_pages(512, PAGE, "parts of pages");
}
END_TEST

START_TEST(more_pages_than_asked_for_are_not_handed_over)
{
	parts_pages(0, 3 * PAGE, "more pages");
}
END_TEST

/* What is to move, where the second region is the one that grows. */
static bool part_moves(struct mnm_pool *pool, int region, size_t bytes,
		       struct mnm_place *place)
{
	pool->growing = &regions[1];
	has_part = true;
	parted = (struct mnm_place){.region = seen[region],
				    .addr = regions[region].base,
				    .bytes = bytes};
	return pool->ops->part(pool, 4 * PAGE, true, place);
}

START_TEST(it_sees_the_region_that_grows_as_its_own)
{
	struct mnm_pool *pool;
	struct mnm_place place;

	regions[1].grows = true;
	pool = pool_with_regions();
	pool->growing = &regions[1];
	answer = MNM_MISS;
	asked(pool, &place);
	ck_assert_ptr_eq(grows_in, seen[1]);
}
END_TEST

/* None moves while all of them are at the end. */
START_TEST(pages_of_a_pool_that_is_off_move)
{
	struct mnm_pool *pool;
	struct mnm_place place;

	regions[1].grows = true;
	pool = pool_with_regions();
	pool->growing = &regions[1];
	ck_assert_int_eq(places(pool, 1, 0, SPAN / 2), MNM_MISS);
	faulted(pool, "another span");
	ck_assert(!pool->ops->part(pool, PAGE, true, &place));
	regions[1].bytes += PAGE;
	ck_assert(pool->ops->part(pool, PAGE, true, &place));
	ck_assert_ptr_eq(place.region, &regions[1]);
}
END_TEST

START_TEST(pages_of_the_region_that_grows_may_move)
{
	struct mnm_pool *pool;
	struct mnm_place place;

	regions[0].grows = regions[1].grows = true;
	pool = pool_with_regions();
	ck_assert(part_moves(pool, 1, PAGE, &place));
	ck_assert_ptr_eq(place.region, &regions[1]);
	ck_assert_int_eq(lines, 0);
}
END_TEST

START_TEST(pages_of_a_region_that_grows_no_more_are_not_to_move)
{
	struct mnm_pool *pool;
	struct mnm_place place;

	regions[0].grows = regions[1].grows = true;
	pool = pool_with_regions();
	part_moves(pool, 0, PAGE, &place);
	faulted(pool, "region that does not grow");
}
END_TEST

START_TEST(a_whole_region_is_not_to_move)
{
	struct mnm_pool *pool;
	struct mnm_place place;

	pool = pool_with_regions();
	regions[0].grows = false;
	ck_assert(added(pool, 0, 2 * PAGE, 2 * PAGE, LATE));
	ck_assert(!part_moves(pool, 0, 4 * PAGE, &place));
	faulted(pool, "region that does not grow");
}
END_TEST

START_TEST(spans_of_pinned_memory_are_whole_pages)
{
	static const struct mnm_size_classes kinds[] = {
		{.unit = MNM_SPAN_UNIT},
		{.unit = MNM_SPAN_UNIT, .divisions = 1},
		{.unit = MNM_SPAN_UNIT, .divisions = 8, .coarse = 1024},
		{.unit = 2 * MNM_HOST_PAGE},
	};
	struct mnm_pool *pool;
	size_t span;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		published = kinds[i];
		pool = checked_opened(&evil, MNM_BACKING_HOST);
		for (size_t size = 1; size < 50 * MNM_HOST_PAGE; size += 97) {
			span = pool->ops->span(pool, size, 0);
			ck_assert_uint_ge(span, size);
			ck_assert_uint_eq(span % MNM_HOST_PAGE, 0);
			ck_assert_uint_eq(span, mnm_size_class_span(
							&pool->classes, size));
		}
		ck_assert_uint_eq(pool->ops->span(pool, SIZE_MAX, 0), 0);
		ck_assert(!checked_is_off(pool->ops));
	}
}
END_TEST

START_TEST(a_block_in_a_part_of_a_pinned_page_is_noticed)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_HOST);

	ck_assert(added(pool, 0, 0, 4 * PAGE, MNM_EPOCH_NEVER));
	ck_assert_int_eq(places(pool, 0, SPAN, SPAN), MNM_HIT);
	ck_assert_int_eq(places(pool, 0, 2 * SPAN + 512, SPAN), MNM_MISS);
	faulted(pool, "in a part of a host's page");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		right_answers_are_passed_on,
		what_it_writes_into_a_region_stays_with_it,
		a_region_is_not_taken_for_one_that_has_ended,
		a_place_has_the_latest_epoch_of_its_bytes,
		bytes_of_one_stream_are_of_that_stream,
		bytes_of_two_streams_are_of_none,
		a_block_in_two_regions_is_noticed,
		a_block_outside_its_region_is_noticed,
		a_block_that_overlaps_a_live_one_is_noticed,
		a_place_handed_out_twice_is_noticed,
		a_block_in_another_region_is_noticed,
		a_span_that_is_too_small_is_noticed,
		a_span_that_is_too_large_is_noticed,
		an_odd_address_is_noticed,
		bytes_that_are_not_ready_are_noticed,
		an_answer_that_is_none_is_noticed,
		a_refused_free_is_noticed,
		a_refused_region_is_forgotten,
		a_pool_that_refuses_each_region_is_noticed,
		a_lack_that_is_too_small_is_noticed,
		a_lack_of_nothing_is_noticed,
		a_lack_of_parts_of_pages_is_noticed,
		a_lack_of_pages_that_move_nowhere_is_noticed,
		a_lack_that_is_too_large_where_memory_is_short_is_noticed,
		a_lack_of_more_than_any_device_has_is_no_fault,
		a_pool_that_grows_in_vain_is_noticed,
		a_pool_that_got_less_than_it_lacks_may_have_no_place,
		a_pool_that_has_served_since_may_have_no_place,
		a_pool_that_has_handed_bytes_over_since_may_have_no_place,
		a_pool_may_have_no_place_for_another_span,
		a_pool_that_has_grown_may_need_a_fence,
		a_pool_that_needs_a_fence_for_fresh_bytes_is_noticed,
		a_region_with_live_blocks_is_not_handed_over,
		a_part_of_a_whole_region_is_not_handed_over,
		nothing_is_not_handed_over,
		a_region_that_is_kept_back_is_noticed,
		an_aged_part_that_is_wrong_is_noticed,
		whole_pages_are_handed_over,
		parts_of_pages_are_not_handed_over,
		more_pages_than_asked_for_are_not_handed_over,
		it_sees_the_region_that_grows_as_its_own,
		pages_of_a_pool_that_is_off_move,
		pages_of_the_region_that_grows_may_move,
		pages_of_a_region_that_grows_no_more_are_not_to_move,
		a_whole_region_is_not_to_move,
		spans_of_pinned_memory_are_whole_pages,
		a_block_in_a_part_of_a_pinned_page_is_noticed,
		NULL};

	return tests_run("checked_places", tests);
}
