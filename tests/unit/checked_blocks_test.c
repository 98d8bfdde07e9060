/* Wrong answers of pools whose blocks are whole allocations. */
#include "checked.h"
#include "common/plugin.h"

enum { UNIT = 4096, COUNT = 4, SAFE = 10, STREAM = 3 };

/* What the pool that is checked has, and answers. */
static struct mnm_block blocks[COUNT];
static struct mnm_block stranger = {.span = UNIT, .epoch = 1};
static enum mnm_answer answer;
static struct mnm_block *found;
static struct mnm_block_list batch;
static struct mnm_block *trimmed;
static bool keeps = true, changes, extends;
static size_t span_more;
static struct mnm_size_classes classes = {.unit = UNIT};
static unsigned int headroom;
static int calls, closes;

static bool evil_open(struct mnm_pool *pool,
		      const struct mnm_pool_options *options)
{
	(void)options;
	pool->classes = classes;
	pool->headroom = headroom;
	return true;
}

static void evil_close(struct mnm_pool *pool)
{
	(void)pool;
	closes++;
}

static size_t evil_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	(void)slack;
	return mnm_size_class_span(&pool->classes, size) + span_more;
}

static enum mnm_answer evil_alloc(struct mnm_pool *pool,
				  const struct mnm_request *request,
				  struct mnm_block **block)
{
	(void)pool, (void)request;
	calls++;
	*block = found;
	return answer;
}

static bool evil_free(struct mnm_pool *pool, struct mnm_block *block)
{
	(void)pool;
	calls++;
	if (changes)
		block->span = 4 * UNIT;
	return keeps;
}

static struct mnm_block_list evil_alloc_batch(struct mnm_pool *pool,
					      const struct mnm_request *request,
					      size_t most)
{
	(void)pool, (void)request, (void)most;
	calls++;
	return batch;
}

static bool evil_free_batch(struct mnm_pool *pool,
			    const struct mnm_block_list *list)
{
	(void)pool;
	calls++;
	if (changes)
		list->tail->span = 4 * UNIT;
	else if (extends)
		list->tail->next = &stranger;
	else if (!keeps)
		list->head->next = &stranger;
	return keeps;
}

static struct mnm_block *evil_trim(struct mnm_pool *pool, size_t bytes)
{
	(void)pool, (void)bytes;
	calls++;
	return trimmed;
}

static bool evil_part(struct mnm_pool *pool, size_t bytes, bool moves,
		      struct mnm_place *place)
{
	(void)pool, (void)bytes, (void)moves, (void)place;
	return false;
}

static const struct mnm_pool_ops evil = {
	.name = "evil_pool",
	.size = sizeof(struct mnm_pool),
	.open = evil_open,
	.close = evil_close,
	.span = evil_span,
	.alloc = evil_alloc,
	.free = evil_free,
	.alloc_batch = evil_alloc_batch,
	.free_batch = evil_free_batch,
	.trim = evil_trim,
};

/* A checked pool whose blocks were freed in the epochs from 1 on. */
static struct mnm_pool *pool_full(void)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_NONE);

	for (int i = 0; i < COUNT; i++) {
		blocks[i] = (struct mnm_block){.span = UNIT,
					       .epoch = (uint64_t)i + 1};
		ck_assert(pool->ops->free(pool, &blocks[i]));
	}
	return pool;
}

static enum mnm_answer asked(struct mnm_pool *pool, size_t span, uint64_t safe,
			     struct mnm_block **block)
{
	const struct mnm_request request = {.span = span, .safe = safe};

	return pool->ops->alloc(pool, &request, block);
}

/* The pool is asked no more, and all that it has goes back, as it was. */
static void gives_all(struct mnm_pool *pool, int count)
{
	const struct mnm_request any = {.span = UNIT, .safe = SAFE};
	struct mnm_block *block = NULL;
	int before = calls, given = 0;
	struct mnm_block extra = {.span = UNIT};

	ck_assert_int_eq(asked(pool, UNIT, SAFE, &block), MNM_MISS);
	ck_assert(!pool->ops->free(pool, &extra));
	ck_assert_uint_eq(pool->ops->alloc_batch(pool, &any, 9).count, 0);
	for (block = pool->ops->trim(pool, 1); block; block = block->next) {
		ck_assert(block >= blocks && block < blocks + COUNT);
		ck_assert_uint_eq(block->span, UNIT);
		ck_assert_uint_eq(block->epoch, (uint64_t)(block - blocks) + 1);
		given++;
	}
	ck_assert_int_eq(given, count);
	ck_assert_ptr_null(pool->ops->trim(pool, SIZE_MAX));
	ck_assert_int_eq(calls, before);
}

START_TEST(right_answers_are_passed_on)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block = NULL;

	answer = MNM_UNSAFE;
	ck_assert_int_eq(asked(pool, UNIT, 1, &block), MNM_UNSAFE);
	answer = MNM_HIT;
	found = &blocks[1];
	ck_assert_int_eq(asked(pool, UNIT, 3, &block), MNM_HIT);
	ck_assert_ptr_eq(block, &blocks[1]);
	trimmed = &blocks[2];
	blocks[2].next = &blocks[0];
	blocks[0].next = NULL;
	block = pool->ops->trim(pool, 2 * UNIT);
	ck_assert(block && block->next && !block->next->next);
	ck_assert(!checked_is_off(pool->ops));
	ck_assert_uint_eq(pool->ops->span(pool, UNIT + 1, 0), 2 * UNIT);
	ck_assert_int_eq(lines, 0);
}
END_TEST

/* The account of what it has is a table in which blocks make way for others. */
START_TEST(blocks_may_leave_in_any_order)
{
	enum { MANY = 1000, STEP = 7 };
	static struct mnm_block many[MANY];
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_NONE);
	struct mnm_block *block;

	answer = MNM_HIT;
	for (int i = 0; i < MANY; i++) {
		many[i] = (struct mnm_block){.span = UNIT, .epoch = 1};
		ck_assert(pool->ops->free(pool, &many[i]));
	}
	for (int i = 0; i < MANY; i++) {
		found = &many[i * STEP % MANY];
		ck_assert_int_eq(asked(pool, UNIT, SAFE, &block), MNM_HIT);
	}
	ck_assert_int_eq(lines, 0);
}
END_TEST

START_TEST(a_block_that_it_does_not_have_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block = &stranger;

	answer = MNM_HIT;
	found = (struct mnm_block *)16; /* not looked at */
	ck_assert_int_eq(asked(pool, UNIT, SAFE, &block), MNM_MISS);
	ck_assert_ptr_eq(block, &stranger);
	faulted(pool, "does not have");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(no_block_with_a_hit_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block;

	answer = MNM_HIT;
	ck_assert_int_eq(asked(pool, UNIT, SAFE, &block), MNM_MISS);
	faulted(pool, "does not have");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(a_block_handed_out_twice_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block;

	answer = MNM_HIT;
	found = &blocks[0];
	ck_assert_int_eq(asked(pool, UNIT, SAFE, &block), MNM_HIT);
	ck_assert_int_eq(asked(pool, UNIT, SAFE, &block), MNM_MISS);
	faulted(pool, "does not have");
	gives_all(pool, COUNT - 1);
}
END_TEST

START_TEST(a_wrong_span_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block;

	answer = MNM_HIT;
	found = &blocks[0];
	ck_assert_int_eq(asked(pool, 2 * UNIT, SAFE, &block), MNM_MISS);
	faulted(pool, "another span");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(a_block_that_is_too_large_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block;

	answer = MNM_HIT;
	found = &blocks[0];
	ck_assert_int_eq(asked(pool, UNIT / 2, SAFE, &block), MNM_MISS);
	faulted(pool, "another span");
}
END_TEST

START_TEST(a_block_that_is_not_ready_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block;

	answer = MNM_HIT;
	found = &blocks[2];
	ck_assert_int_eq(asked(pool, UNIT, 3, &block), MNM_MISS);
	faulted(pool, "not ready");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(a_changed_record_is_noticed_and_undone)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block;

	answer = MNM_HIT;
	found = &blocks[2];
	blocks[2].epoch = 1;
	ck_assert_int_eq(asked(pool, UNIT, 3, &block), MNM_MISS);
	faulted(pool, "changed the record");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(an_answer_that_is_none_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block;

	answer = (enum mnm_answer)7;
	ck_assert_int_eq(asked(pool, UNIT, SAFE, &block), MNM_MISS);
	faulted(pool, "answer to alloc");
}
END_TEST

START_TEST(a_list_with_a_cycle_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block *block;
	int given = 0;

	trimmed = &blocks[0];
	blocks[0].next = &blocks[1];
	blocks[1].next = &blocks[0];
	for (block = pool->ops->trim(pool, SIZE_MAX); block;
	     block = block->next)
		given++;
	ck_assert_int_eq(given, COUNT);
	faulted(pool, "does not have");
	gives_all(pool, 0);
}
END_TEST

START_TEST(blocks_that_are_kept_back_are_noticed)
{
	struct mnm_pool *pool = pool_full();

	trimmed = &blocks[0];
	blocks[0].next = NULL;
	ck_assert_ptr_nonnull(pool->ops->trim(pool, 2 * UNIT));
	faulted(pool, "kept blocks back");
	gives_all(pool, 0);
}
END_TEST

/* Asks for two of the blocks in a list. */
static size_t batch_asked(struct mnm_pool *pool, struct mnm_block *head,
			  struct mnm_block *tail, size_t count)
{
	const struct mnm_request request = {.span = UNIT, .safe = SAFE};

	batch = (struct mnm_block_list){head, tail, count};
	return pool->ops->alloc_batch(pool, &request, 2).count;
}

START_TEST(a_batch_with_a_cycle_is_noticed)
{
	struct mnm_pool *pool = pool_full();

	blocks[0].next = &blocks[0];
	ck_assert_uint_eq(batch_asked(pool, &blocks[0], &blocks[0], 2), 0);
	faulted(pool, "twice");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(a_batch_that_is_too_long_is_noticed)
{
	struct mnm_pool *pool = pool_full();

	ck_assert_uint_eq(batch_asked(pool, &blocks[0], &blocks[2], 3), 0);
	faulted(pool, "more blocks than were asked for");
	gives_all(pool, COUNT);
}
END_TEST

/* Asks for two; those of epochs below `safe` are ready. */
static size_t batch_asked_below(struct mnm_pool *pool, uint64_t safe)
{
	const struct mnm_request request = {.span = UNIT, .safe = safe};

	batch = (struct mnm_block_list){&blocks[0], &blocks[1], 2};
	blocks[0].next = &blocks[1];
	return pool->ops->alloc_batch(pool, &request, 2).count;
}

START_TEST(a_batch_may_have_blocks_that_are_not_ready_yet)
{
	struct mnm_pool *pool = pool_full();

	ck_assert_uint_eq(batch_asked_below(pool, blocks[1].epoch), 2);
	ck_assert(!checked_is_off(pool->ops));
}
END_TEST

START_TEST(a_batch_whose_first_block_is_not_ready_is_noticed)
{
	struct mnm_pool *pool = pool_full();

	ck_assert_uint_eq(batch_asked_below(pool, blocks[0].epoch), 0);
	faulted(pool, "not ready");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(a_batch_that_ends_early_is_noticed)
{
	struct mnm_pool *pool = pool_full();

	blocks[0].next = NULL;
	ck_assert_uint_eq(batch_asked(pool, &blocks[0], &blocks[1], 2), 0);
	faulted(pool, "does not have");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(a_batch_with_another_tail_is_noticed)
{
	struct mnm_pool *pool = pool_full();

	blocks[0].next = &blocks[1];
	ck_assert_uint_eq(batch_asked(pool, &blocks[0], &blocks[2], 2), 0);
	faulted(pool, "tail");
	gives_all(pool, COUNT);
}
END_TEST

START_TEST(a_batch_of_another_stream_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block other = {.span = UNIT, .epoch = 1, .stream = STREAM};

	ck_assert(pool->ops->free(pool, &other));
	ck_assert_uint_eq(batch_asked(pool, &other, &other, 1), 0);
	faulted(pool, "another span or stream");
}
END_TEST

START_TEST(a_refused_list_that_was_changed_is_noticed)
{
	struct mnm_pool *pool = pool_full();
	struct mnm_block more[2] = {{.span = UNIT, .epoch = 9},
				    {.span = UNIT, .epoch = 9}};
	const struct mnm_block_list list = {&more[0], &more[1], 2};
	int given = 0;

	more[0].next = &more[1];
	keeps = false;
	ck_assert(pool->ops->free_batch(pool, &list));
	faulted(pool, "refused");
	for (const struct mnm_block *at = pool->ops->trim(pool, 1); at;
	     at = at->next)
		given++;
	ck_assert_int_eq(given, COUNT + 2);
}
END_TEST

/* The list is as it was, from its head to its tail. */
START_TEST(a_refused_list_may_go_on_behind_its_tail)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_NONE);
	struct mnm_block more[2] = {{.span = UNIT, .epoch = 9},
				    {.span = UNIT, .epoch = 9}};
	const struct mnm_block_list list = {&more[0], &more[1], 2};

	more[0].next = &more[1];
	keeps = false;
	extends = true;
	ck_assert(!pool->ops->free_batch(pool, &list));
	ck_assert_ptr_null(more[1].next);
	ck_assert_ptr_null(pool->ops->trim(pool, SIZE_MAX));
	ck_assert_int_eq(lines, 0);
}
END_TEST

/* The block is given back as what it was. */
START_TEST(a_refused_block_that_was_changed_is_noticed)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_NONE);
	struct mnm_block more = {.span = UNIT, .epoch = 9};

	keeps = false;
	changes = true;
	ck_assert(pool->ops->free(pool, &more));
	faulted(pool, "changed the record");
	ck_assert_ptr_eq(pool->ops->trim(pool, 1), &more);
	ck_assert_uint_eq(more.span, UNIT);
}
END_TEST

START_TEST(a_refused_list_with_a_changed_block_is_noticed)
{
	struct mnm_pool *pool = checked_opened(&evil, MNM_BACKING_NONE);
	struct mnm_block more[2] = {{.span = UNIT, .epoch = 9},
				    {.span = UNIT, .epoch = 9}};
	const struct mnm_block_list list = {&more[0], &more[1], 2};
	int given = 0;

	more[0].next = &more[1];
	keeps = false;
	changes = true;
	ck_assert(pool->ops->free_batch(pool, &list));
	faulted(pool, "refused");
	for (const struct mnm_block *at = pool->ops->trim(pool, 1); at;
	     at = at->next, given++)
		ck_assert_uint_eq(at->span, UNIT);
	ck_assert_int_eq(given, 2);
}
END_TEST

START_TEST(a_span_that_is_not_the_classes_is_noticed)
{
	struct mnm_pool *pool = pool_full();

	span_more = UNIT;
	ck_assert_uint_eq(pool->ops->span(pool, 5, 0), UNIT);
	faulted(pool, "size classes");
	ck_assert_uint_eq(pool->ops->span(pool, UNIT + 1, 0), 2 * UNIT);
}
END_TEST

START_TEST(a_span_less_than_its_request_is_noticed)
{
	struct mnm_pool *pool = pool_full();

	span_more = (size_t)-UNIT;
	ck_assert_uint_eq(pool->ops->span(pool, UNIT + 5, UNIT), 2 * UNIT);
	faulted(pool, "less than its request");
}
END_TEST

/* Whether a pool with these classes is refused. */
static void open_fails(const struct mnm_pool_ops *inner, const char *why)
{
	static const struct mnm_pool_options options = {
		.size = sizeof(options)};
	const struct mnm_pool_ops *ops = checked_ops(inner);
	struct mnm_pool *pool = calloc(1, ops->size);

	pool->ops = ops;
	ck_assert(!ops->open(pool, &options));
	faulted(pool, why);
	ck_assert(!ops->open(pool, &options));
	free(pool);
}

START_TEST(classes_without_a_power_of_two_are_noticed)
{
	classes.unit = 1000;
	open_fails(&evil, "unit");
}
END_TEST

START_TEST(divisions_without_a_power_of_two_are_noticed)
{
	classes.divisions = 3;
	open_fails(&evil, "divisions");
}
END_TEST

START_TEST(coarse_classes_below_the_unit_are_noticed)
{
	classes.coarse = 512;
	open_fails(&evil, "coarse");
}
END_TEST

START_TEST(headroom_of_more_than_everything_is_noticed)
{
	headroom = 101;
	open_fails(&evil, "headroom");
}
END_TEST

/* Threads would keep blocks of it for themselves. */
START_TEST(classes_of_a_pool_that_keeps_nothing_are_noticed)
{
	struct mnm_pool_ops nothing = {.name = "evil_pool",
				       .size = sizeof(struct mnm_pool),
				       .open = evil_open,
				       .span = evil_span};

	open_fails(&nothing, "keeps nothing");
}
END_TEST

/* What it is by then, nobody knows. */
START_TEST(a_pool_that_is_off_is_neither_opened_nor_closed)
{
	static const struct mnm_pool_options options = {
		.size = sizeof(options)};
	struct mnm_pool *right = checked_opened(&evil, MNM_BACKING_NONE);
	struct mnm_pool *pool = pool_full(), *other;
	struct mnm_block *block;

	right->ops->close(right);
	ck_assert_int_eq(closes, 1);
	answer = MNM_HIT;
	ck_assert_int_eq(asked(pool, UNIT, SAFE, &block), MNM_MISS);
	faulted(pool, "does not have");
	other = calloc(1, pool->ops->size);
	other->ops = pool->ops;
	ck_assert(!pool->ops->open(other, &options));
	free(other);
	gives_all(pool, COUNT);
	pool->ops->close(pool);
	ck_assert_int_eq(closes, 1);
}
END_TEST

static const char *row_wrong(const struct mnm_pool_ops *ops)
{
	const struct mnm_pool_row row = {ops, "", MNM_BACKING_NONE};

	return pool_row_wrong(&row);
}

/* Each table lacks one thing, or has one too many. */
START_TEST(tables_that_are_not_whole_are_wrong)
{
	struct mnm_pool_ops wrong[8];

	for (int i = 0; i < 8; i++)
		wrong[i] = evil;
	wrong[0].size = 8;
	wrong[1].span = NULL;
	wrong[2].free = NULL;
	wrong[3].trim = NULL;
	wrong[4].alloc_batch = NULL;
	wrong[5].grows = true;
	wrong[6].part = evil_part;
	wrong[7].alloc = NULL;
	for (int i = 0; i < 8; i++)
		ck_assert_msg(row_wrong(&wrong[i]), "table %d", i);
	ck_assert_ptr_null(row_wrong(&evil));
}
END_TEST

START_TEST(a_pool_has_one_checked_table)
{
	ck_assert_ptr_eq(checked_ops(&evil), checked_ops(&evil));
	ck_assert_str_eq(checked_ops(&evil)->name, "evil_pool");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		right_answers_are_passed_on,
		blocks_may_leave_in_any_order,
		a_block_that_it_does_not_have_is_noticed,
		no_block_with_a_hit_is_noticed,
		a_block_handed_out_twice_is_noticed,
		a_wrong_span_is_noticed,
		a_block_that_is_too_large_is_noticed,
		a_block_that_is_not_ready_is_noticed,
		a_changed_record_is_noticed_and_undone,
		an_answer_that_is_none_is_noticed,
		a_list_with_a_cycle_is_noticed,
		blocks_that_are_kept_back_are_noticed,
		a_batch_with_a_cycle_is_noticed,
		a_batch_that_is_too_long_is_noticed,
		a_batch_may_have_blocks_that_are_not_ready_yet,
		a_batch_whose_first_block_is_not_ready_is_noticed,
		a_batch_that_ends_early_is_noticed,
		a_batch_with_another_tail_is_noticed,
		a_batch_of_another_stream_is_noticed,
		a_refused_list_that_was_changed_is_noticed,
		a_refused_list_may_go_on_behind_its_tail,
		a_refused_block_that_was_changed_is_noticed,
		a_refused_list_with_a_changed_block_is_noticed,
		a_span_that_is_not_the_classes_is_noticed,
		a_span_less_than_its_request_is_noticed,
		classes_without_a_power_of_two_are_noticed,
		divisions_without_a_power_of_two_are_noticed,
		coarse_classes_below_the_unit_are_noticed,
		headroom_of_more_than_everything_is_noticed,
		classes_of_a_pool_that_keeps_nothing_are_noticed,
		a_pool_that_is_off_is_neither_opened_nor_closed,
		tables_that_are_not_whole_are_wrong,
		a_pool_has_one_checked_table,
		NULL};

	return tests_run("checked_blocks", tests);
}
