#include <string.h>

#include "pools/pool.h"
#include "common/pool_list.h"
#include "run.h"

static struct config config;
static char memory[2048] __attribute__((aligned(POOL_ALIGN)));

static bool opened(struct pool *pool)
{
	const struct mnm_pool_options options = pool_options(&config);

	return pool->view.ops->open(&pool->view, &options);
}

/* Opens a pool of that name with the default page size of 4096 bytes. */
static struct pool *pool_opened(const char *name)
{
	const struct mnm_pool_ops *ops = pool_ops_at(pool_row_find(name));
	struct pool *pool = (struct pool *)memory;

	config_init(&config);
	ck_assert_uint_le(offsetof(struct pool, view) + ops->size,
			  sizeof(memory));
	pool->view.ops = ops;
	ck_assert(!ops->open || opened(pool));
	return pool;
}

static struct mnm_block *freed(struct pool *pool, size_t span, uint64_t epoch)
{
	struct mnm_block *block = &block_new()->idle;

	block->span = span;
	block->epoch = epoch;
	ck_assert(pool->view.ops->free(&pool->view, block));
	return block;
}

static enum mnm_answer asked(struct pool *pool, size_t span, size_t slack,
			     uint64_t safe, struct mnm_block **block)
{
	const struct mnm_request request = {
		.span = span, .slack = slack, .safe = safe};

	return pool->view.ops->alloc(&pool->view, &request, block);
}

START_TEST(rows_and_pools_agree)
{
	for (int i = 0; pool_rows[i].name; i++) {
		ck_assert_str_eq(pool_ops_at(i)->name, pool_rows[i].name);
		ck_assert_int_eq(pool_row_find(pool_rows[i].name), i);
	}
	ck_assert_int_eq(pool_row_find("page_unit"), -1);
	ck_assert_int_eq(pool_row_find(""), -1);
}
END_TEST

START_TEST(page_unit_pool_rounds_up_to_whole_pages)
{
	struct pool *pool = pool_opened("page_unit_pool");

	ck_assert_uint_eq(pool->view.ops->span(&pool->view, 1, 0), 4096);
	ck_assert_uint_eq(pool->view.ops->span(&pool->view, 4096, 0), 4096);
	ck_assert_uint_eq(pool->view.ops->span(&pool->view, 4097, 0), 8192);
	ck_assert_uint_eq(pool->view.ops->span(&pool->view, SIZE_MAX, 0), 0);
	ck_assert_uint_eq(pool->view.ops->span(&pool->view, SIZE_MAX - 4095, 0),
			  SIZE_MAX - 4095);
}
END_TEST

START_TEST(page_unit_pool_divides_powers_of_two_if_told_to)
{
	static const struct {
		size_t divisions, size, slack, span;
	} rows[] = {
		{1, 1, 0, 4096},
		{1, 4097, 0, 8192},
		{1, 8193, 0, 16384},
		{4, 4097, 0, 8192}, /* no less than a page apart */
		{4, 20480, 0, 20480},
		{4, 20481, 0, 24576},
		{4, (1 << 20) + 1, 0, (1 << 20) + (1 << 18)},
		{4, 1 << 20, 0, 1 << 20},
		{64, (1 << 20) + 1, 0, (1 << 20) + (1 << 14)},
		{4, (1 << 20) + 1, (1 << 18) - 1, (1 << 20) + (1 << 18)},
		{4, (1 << 20) + 1, 1 << 19, (1 << 20) + (1 << 19)},
		{4, SIZE_MAX, 0, 0},
		{4, SIZE_MAX, SIZE_MAX, 0},
		{1, ((size_t)1 << 63) + 1, 0, 0},
		{1, (size_t)1 << 63, 0, (size_t)1 << 63},
	};
	struct pool *pool = pool_opened("page_unit_pool");

	ck_assert_uint_eq(pool->view.classes.unit, 4096);
	ck_assert_uint_eq(pool->view.classes.divisions, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		config.size_classes = rows[i].divisions;
		ck_assert(opened(pool));
		ck_assert_uint_eq(pool->view.ops->span(&pool->view,
						       rows[i].size,
						       rows[i].slack),
				  rows[i].span);
	}
}
END_TEST

/* No request gets another span than one that is a byte smaller, unless it does
 * not fit into that. */
static void check_order(const struct mnm_size_classes *classes)
{
	size_t span, before = 0, wrong = 0;

	for (size_t size = 1; size <= 1 << 18; size++) {
		span = mnm_size_class_span(classes, size);
		wrong += span < size;
		wrong += size > before ? span <= before : span != before;
		before = span;
	}
	ck_assert_uint_eq(wrong, 0);
}

START_TEST(size_classes_are_in_order)
{
	struct mnm_size_classes classes = {.unit = 512};

	for (classes.divisions = 0; classes.divisions <= 64;
	     classes.divisions += !classes.divisions + classes.divisions) {
		for (classes.coarse = 512; classes.coarse < 1 << 18;
		     classes.coarse *= 4)
			check_order(&classes);
		classes.coarse = 0;
		check_order(&classes);
	}
}
END_TEST

/* A size and the span that it gets, with whatever slack. */
struct sizing {
	size_t size, span;
};

static void check_spans(const struct pool *pool, const struct sizing *rows,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(
			pool->view.ops->span(&pool->view, rows[i].size, 0),
			rows[i].span);
		ck_assert_uint_eq(pool->view.ops->span(&pool->view,
						       rows[i].size, SIZE_MAX),
				  rows[i].span);
		ck_assert_uint_eq(
			mnm_size_class_span(&pool->view.classes, rows[i].size),
			rows[i].span);
	}
}

#define CHECK_SPANS(pool, rows) \
	check_spans(pool, rows, sizeof(rows) / sizeof(*(rows)))

enum { MIB = 1 << 20 };
#define GIB ((size_t)1 << 30)

START_TEST(naive_pool_rounds_up_to_pages_and_above_2_mib_to_2_mib)
{
	static const struct sizing rows[] = {
		{1, 4096},
		{4096, 4096},
		{4097, 8192},
		{2 * MIB - 4096, 2 * MIB - 4096},
		{2 * MIB - 4095, 2 * MIB},
		{2 * MIB, 2 * MIB},
		{2 * MIB + 1, 4 * MIB},
		{4 * MIB, 4 * MIB},
		{4 * MIB + 1, 6 * MIB},
		{17 * GIB + 1, 17 * GIB + 2 * MIB},
		{SIZE_MAX - 2 * MIB + 1, SIZE_MAX - 2 * MIB + 1},
		{SIZE_MAX - 2 * MIB + 2, 0},
		{SIZE_MAX, 0},
	};
	struct pool *pool = pool_opened("naive_pool");

	CHECK_SPANS(pool, rows);
}
END_TEST

START_TEST(naive_pool_has_pages_of_up_to_2_mib)
{
	static const struct sizing rows[] = {
		{1, 2 * MIB}, {2 * MIB, 2 * MIB}, {2 * MIB + 1, 4 * MIB}};
	struct pool *pool = pool_opened("naive_pool");

	config.page_size = 2 * MIB;
	ck_assert(opened(pool));
	CHECK_SPANS(pool, rows);
}
END_TEST

START_TEST(round_pool_rounds_up_to_powers_of_two_and_then_to_16_mib)
{
	static const struct sizing rows[] = {
		{1, 4096},
		{4097, 8192},
		{8193, 16384},
		{MIB + 1, 2 * MIB},
		{8 * MIB + 1, 16 * MIB},
		{16 * MIB, 16 * MIB},
		{16 * MIB + 1, 32 * MIB},
		{32 * MIB + 1, 48 * MIB},
		{16 * GIB, 16 * GIB},
		{16 * GIB + 1, 16 * GIB + 16 * MIB},
		{100 * GIB + 1, 100 * GIB + 16 * MIB},
		{SIZE_MAX - 16 * MIB + 1, SIZE_MAX - 16 * MIB + 1},
		{SIZE_MAX - 16 * MIB + 2, 0},
		{SIZE_MAX, 0},
	};
	struct pool *pool = pool_opened("round_pool");

	CHECK_SPANS(pool, rows);
}
END_TEST

START_TEST(round_pool_has_its_bound_where_it_is_told)
{
	static const struct sizing least[] = {
		{MIB, MIB}, {MIB + 1, 2 * MIB}, {2 * MIB + 1, 3 * MIB}};
	static const struct sizing most[] = {
		{GIB + 1, 2 * GIB},       {8 * GIB + 1, 16 * GIB},
		{16 * GIB, 16 * GIB},     {16 * GIB + 1, 32 * GIB},
		{32 * GIB + 1, 48 * GIB}, {SIZE_MAX - 1, 0}};
	static const struct sizing pages[] = {
		{1, 2 * MIB}, {2 * MIB + 1, 4 * MIB}, {4 * MIB + 1, 6 * MIB}};
	struct pool *pool = pool_opened("round_pool");

	config.round_cutoff = 20;
	ck_assert(opened(pool));
	CHECK_SPANS(pool, least);
	config.page_size = 2 * MIB; /* more than the bound */
	ck_assert(opened(pool));
	CHECK_SPANS(pool, pages);
	config.round_cutoff = 34;
	config.page_size = 4096;
	ck_assert(opened(pool));
	CHECK_SPANS(pool, most);
}
END_TEST

/* Both keep what is freed, for requests of its span. */
START_TEST(mxnets_pools_reuse_the_exact_span)
{
	static const char *const names[] = {"naive_pool", "round_pool"};
	struct mnm_block *block, *first;
	struct pool *pool;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		memset(memory, 0, sizeof(memory));
		pool = pool_opened(names[i]);
		first = freed(pool, 4 * MIB, 0);
		ck_assert_int_eq(asked(pool, 2 * MIB, 0, 1, &block), MNM_MISS);
		ck_assert_int_eq(asked(pool, 8 * MIB, 0, 1, &block), MNM_MISS);
		ck_assert_int_eq(asked(pool, 4 * MIB, 0, 1, &block), MNM_HIT);
		ck_assert_ptr_eq(block, first);
		freed(pool, 4 * MIB, 0);
		ck_assert_ptr_nonnull(
			pool->view.ops->trim(&pool->view, SIZE_MAX));
		pool->view.ops->close(&pool->view);
	}
}
END_TEST

START_TEST(page_unit_pool_has_fewer_spans_with_more_slack)
{
	static const struct {
		size_t size, slack, span;
	} rows[] = {
		{1, 4095, 4096},
		{65536 + 1, 4096, 65536 + 4096},
		{65536 + 1, 12287, 65536 + 8192},
		{(1 << 20) + 1, 65536, (1 << 20) + 65536},
		{(1 << 20) + 1, 131071, (1 << 20) + 65536},
		{(1 << 20) + 1, 65535, (1 << 20) + 32768},
		{(2 << 20) - 1, 65536, 2 << 20},
		{SIZE_MAX - 4095, SIZE_MAX, SIZE_MAX - 4095},
		{SIZE_MAX, SIZE_MAX, 0},
	};
	struct pool *pool = pool_opened("page_unit_pool");

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ck_assert_uint_eq(pool->view.ops->span(&pool->view,
						       rows[i].size,
						       rows[i].slack),
				  rows[i].span);
}
END_TEST

START_TEST(page_unit_pool_uses_the_least_larger_block_within_slack)
{
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block *large = freed(pool, 6 * 4096, 0), *block;
	struct mnm_block *larger = freed(pool, 7 * 4096, 0);
	struct mnm_block *unsafe = freed(pool, 5 * 4096, 1);

	ck_assert_int_eq(asked(pool, 16384, 0, 1, &block), MNM_MISS);
	ck_assert_int_eq(asked(pool, 16384, 8191, 1, &block), MNM_UNSAFE);
	ck_assert_int_eq(asked(pool, 16384, 8192, 1, &block), MNM_HIT);
	ck_assert_ptr_eq(block, large);
	ck_assert_int_eq(asked(pool, 16384, 65536, 2, &block), MNM_HIT);
	ck_assert_ptr_eq(block, unsafe);
	ck_assert_int_eq(asked(pool, 16384, 12287, 2, &block), MNM_MISS);
	ck_assert_int_eq(asked(pool, 16384, SIZE_MAX, 2, &block), MNM_HIT);
	ck_assert_ptr_eq(block, larger);
}
END_TEST

/* Returns a list of so many blocks, freed in this epoch and the following
 * ones. */
static struct mnm_block_list listed(size_t span, size_t count, uint64_t epoch)
{
	struct mnm_block_list list = {0};

	for (; list.count < count; list.count++) {
		struct mnm_block *block = &block_new()->idle;

		block->span = span;
		block->epoch = epoch + list.count;
		if (list.tail)
			list.tail->next = block;
		else
			list.head = block;
		list.tail = block;
	}
	return list;
}

static void taken(struct pool *pool, size_t most, uint64_t safe, size_t count,
		  uint64_t epoch)
{
	const struct mnm_request request = {.span = 8192, .safe = safe};
	struct mnm_block_list list =
		pool->view.ops->alloc_batch(&pool->view, &request, most);
	struct mnm_block *block = list.head;

	ck_assert_uint_eq(list.count, count);
	for (size_t i = 0; i < count; i++, block = block->next) {
		ck_assert_uint_eq(block->epoch, epoch + i);
		ck_assert(i < count - 1 || block == list.tail);
	}
}

START_TEST(page_unit_pool_takes_and_keeps_blocks_in_lists)
{
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block_list first = listed(8192, 3, 1), second;
	struct mnm_block *block;

	taken(pool, 9, 9, 0, 0);
	ck_assert(pool->view.ops->free_batch(&pool->view, &first));
	second = listed(8192, 3, 4);
	ck_assert(pool->view.ops->free_batch(&pool->view, &second));
	freed(pool, 8192, 7);
	taken(pool, 9, 1, 0, 0); /* no block is safe */
	taken(pool, 2, 9, 2, 1);
	taken(pool, 9, 4, 1, 3); /* the others are not safe */
	ck_assert_int_eq(asked(pool, 8192, 0, 9, &block), MNM_HIT);
	ck_assert_uint_eq(block->epoch, 4);
	taken(pool, 3, 9, 3, 5); /* all of them */
	ck_assert_int_eq(asked(pool, 8192, 0, 9, &block), MNM_MISS);
	second = listed(8192, 2, 7);
	ck_assert(pool->view.ops->free_batch(&pool->view, &second));
	first = listed(8192, 2, 5); /* older blocks that come later */
	ck_assert(pool->view.ops->free_batch(&pool->view, &first));
	taken(pool, 9, 9, 4, 5);
	ck_assert_ptr_null(pool->view.ops->trim(&pool->view, SIZE_MAX));
}
END_TEST

START_TEST(page_unit_pool_finds_what_is_safe_whatever_came_before)
{
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block_list safe = listed(8192, 2, 5);

	freed(pool, 8192, 1);
	freed(pool, 8192, 9); /* not safe */
	ck_assert(pool->view.ops->free_batch(&pool->view, &safe));
	taken(pool, 2, 8, 2, 5);
	taken(pool, 9, 8, 1, 1);
	taken(pool, 9, 8, 0, 0);
	taken(pool, 9, 10, 1, 9);
}
END_TEST

/* The last one tells of all, but for the first, which serves at once. */
START_TEST(page_unit_pool_takes_no_list_whose_first_block_is_not_safe)
{
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block_list list = listed(8192, 2, 9);

	list.tail->epoch = 1;
	ck_assert(pool->view.ops->free_batch(&pool->view, &list));
	taken(pool, 9, 8, 0, 0);
	ck_assert_ptr_nonnull(pool->view.ops->trim(&pool->view, 2 * 8192));
}
END_TEST

START_TEST(page_unit_pool_reuses_the_exact_span_oldest_first)
{
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block *first = freed(pool, 8192, 0), *block;
	struct mnm_block *second = freed(pool, 8192, 0);

	ck_assert_int_eq(asked(pool, 4096, 0, 1, &block), MNM_MISS);
	ck_assert_int_eq(asked(pool, 12288, 0, 1, &block), MNM_MISS);
	ck_assert_int_eq(asked(pool, 8192, 0, 1, &block), MNM_HIT);
	ck_assert_ptr_eq(block, first);
	ck_assert_int_eq(asked(pool, 8192, 0, 1, &block), MNM_HIT);
	ck_assert_ptr_eq(block, second);
	ck_assert_int_eq(asked(pool, 8192, 0, 1, &block), MNM_MISS);
}
END_TEST

START_TEST(page_unit_pool_hands_out_no_block_of_an_unsafe_epoch)
{
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block *block = NULL;

	freed(pool, 4096, 7);
	ck_assert_int_eq(asked(pool, 4096, 0, 7, &block), MNM_UNSAFE);
	ck_assert_ptr_null(block);
	ck_assert_int_eq(asked(pool, 4096, 0, 8, &block), MNM_HIT);
}
END_TEST

/* Frees a block in the order of a stream. */
static struct mnm_block *freed_in(struct pool *pool, size_t span,
				  unsigned int stream, uint64_t epoch)
{
	struct mnm_block *block = &block_new()->idle;

	block->span = span;
	block->epoch = epoch;
	block->stream = stream;
	ck_assert(pool->view.ops->free(&pool->view, block));
	return block;
}

START_TEST(page_unit_pool_serves_a_stream_by_its_own_order)
{
	struct mnm_request request = {.span = 8192, .safe = 1, .stream = 7};
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block *others = freed_in(pool, 8192, 6, 5), *block = NULL;
	struct mnm_block *own = freed_in(pool, 8192, 7, 5);
	struct mnm_block *nobodys = freed(pool, 8192, 5);

	ck_assert_int_eq(pool->view.ops->alloc(&pool->view, &request, &block),
			 MNM_HIT);
	ck_assert_ptr_eq(block, own);
	ck_assert_int_eq(pool->view.ops->alloc(&pool->view, &request, &block),
			 MNM_UNSAFE);
	ck_assert_int_eq(asked(pool, 8192, 0, 5, &block), MNM_UNSAFE);
	ck_assert_int_eq(asked(pool, 8192, 0, 6, &block), MNM_HIT);
	ck_assert_ptr_eq(block, nobodys);
	ck_assert_int_eq(asked(pool, 8192, 0, 6, &block), MNM_HIT);
	ck_assert_ptr_eq(block, others);
	ck_assert_int_eq(asked(pool, 8192, 0, 6, &block), MNM_MISS);
}
END_TEST

START_TEST(page_unit_pool_serves_a_stream_that_is_behind_another)
{
	static const uint64_t behind[STREAM_NUMBERS] = {[6] = 5};
	const struct mnm_request request = {
		.span = 8192, .slack = 4096, .stream = 7, .behind = behind};
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block *before = freed_in(pool, 12288, 6, 4), *block = NULL;

	freed_in(pool, 12288, 6, 5);
	freed_in(pool, 8192, 255, 4);
	freed_in(pool, 16384, 6, 4); /* more than the slack */
	ck_assert_int_eq(pool->view.ops->alloc(&pool->view, &request, &block),
			 MNM_HIT);
	ck_assert_ptr_eq(block, before);
	ck_assert_int_eq(pool->view.ops->alloc(&pool->view, &request, &block),
			 MNM_UNSAFE);
}
END_TEST

START_TEST(page_unit_pool_takes_lists_of_one_stream)
{
	struct mnm_request request = {.span = 8192, .stream = 1};
	struct pool *pool = pool_opened("page_unit_pool");

	for (unsigned int i = 0; i < 6; i++)
		freed_in(pool, 8192, i % 3, i);
	ck_assert_uint_eq(
		pool->view.ops->alloc_batch(&pool->view, &request, 9).count, 2);
	ck_assert_uint_eq(
		pool->view.ops->alloc_batch(&pool->view, &request, 9).count, 0);
	request.stream = 0;
	ck_assert_uint_eq(
		pool->view.ops->alloc_batch(&pool->view, &request, 9).count, 0);
	request.safe = 4;
	ck_assert_uint_eq(
		pool->view.ops->alloc_batch(&pool->view, &request, 9).count, 2);
}
END_TEST

START_TEST(page_unit_pool_hands_over_all_idle_blocks)
{
	struct pool *pool = pool_opened("page_unit_pool");
	struct mnm_block *block;
	int count = 0;

	for (size_t i = 1; i <= 100; i++)
		freed(pool, 4096 * (1 + i % 7), i);
	for (block = pool->view.ops->trim(&pool->view, SIZE_MAX); block;
	     block = block->next)
		count++;
	ck_assert_int_eq(count, 100);
	ck_assert_ptr_null(pool->view.ops->trim(&pool->view, SIZE_MAX));
	ck_assert_int_eq(asked(pool, 4096, 0, 200, &block), MNM_MISS);
	freed(pool, 4096, 0);
	ck_assert_int_eq(asked(pool, 4096, 0, 1, &block), MNM_HIT);
	pool->view.ops->close(&pool->view);
}
END_TEST

/* Returns the bytes of a list, and sets *count to the number of its blocks. */
static size_t list_bytes(const struct mnm_block *list, int *count)
{
	size_t bytes = 0;

	for (*count = 0; list; list = list->next, ++*count)
		bytes += list->span;
	return bytes;
}

START_TEST(page_unit_pool_hands_over_as_few_as_make_the_bytes)
{
	static const struct {
		size_t asked, handed;
		int count;
	} turns[] = {{0, 0, 0},
		     {1, 40960, 1},
		     {40961, 69632, 2},
		     {4096, 28672, 1},
		     {61440, 61440, 3},
		     {1, 12288, 1},
		     {SIZE_MAX, 12288, 2},
		     {1, 0, 0}};
	struct pool *pool = pool_opened("page_unit_pool");
	int count;

	for (size_t i = 1; i <= 10; i++)
		freed(pool, 4096 * (i * 7 % 11), i);
	for (size_t i = 0; i < sizeof(turns) / sizeof(*turns); i++) {
		ck_assert_uint_eq(
			list_bytes(pool->view.ops->trim(&pool->view,
							turns[i].asked),
				   &count),
			turns[i].handed);
		ck_assert_int_eq(count, turns[i].count);
	}
	pool->view.ops->close(&pool->view);
}
END_TEST

START_TEST(no_pool_keeps_nothing)
{
	struct pool *pool = pool_opened("no_pool");

	ck_assert_uint_eq(pool->view.ops->span(&pool->view, 4097, 0), 4097);
	ck_assert(!pool->view.ops->alloc && !pool->view.ops->free &&
		  !pool->view.ops->trim);
}
END_TEST

int main(void)
{
	static const TTest *tests[23]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = rows_and_pools_agree;
	tests[n++] = page_unit_pool_rounds_up_to_whole_pages;
	tests[n++] = page_unit_pool_divides_powers_of_two_if_told_to;
	tests[n++] = size_classes_are_in_order;
	tests[n++] = naive_pool_rounds_up_to_pages_and_above_2_mib_to_2_mib;
	tests[n++] = naive_pool_has_pages_of_up_to_2_mib;
	tests[n++] = round_pool_rounds_up_to_powers_of_two_and_then_to_16_mib;
	tests[n++] = round_pool_has_its_bound_where_it_is_told;
	tests[n++] = mxnets_pools_reuse_the_exact_span;
	tests[n++] = page_unit_pool_has_fewer_spans_with_more_slack;
	tests[n++] = page_unit_pool_uses_the_least_larger_block_within_slack;
	tests[n++] = page_unit_pool_takes_and_keeps_blocks_in_lists;
	tests[n++] = page_unit_pool_finds_what_is_safe_whatever_came_before;
	tests[n++] = page_unit_pool_takes_no_list_whose_first_block_is_not_safe;
	tests[n++] = page_unit_pool_reuses_the_exact_span_oldest_first;
	tests[n++] = page_unit_pool_hands_out_no_block_of_an_unsafe_epoch;
	tests[n++] = page_unit_pool_serves_a_stream_by_its_own_order;
	tests[n++] = page_unit_pool_serves_a_stream_that_is_behind_another;
	tests[n++] = page_unit_pool_takes_lists_of_one_stream;
	tests[n++] = page_unit_pool_hands_over_all_idle_blocks;
	tests[n++] = page_unit_pool_hands_over_as_few_as_make_the_bytes;
	tests[n++] = no_pool_keeps_nothing;
	return tests_run("pool", tests);
}
