#include "blocks.h"

START_TEST(an_entered_block_is_found_live_at_its_address_only)
{
	struct block *block = entered(40 * GRANULE);
	uint64_t word;

	ck_assert_ptr_eq(block_find(40 * GRANULE, &word), block);
	ck_assert(word_is_live(word));
	ck_assert_ptr_null(block_find(40 * GRANULE + 256, &word));
	ck_assert_uint_eq(word, BLOCK_GONE);
	ck_assert_ptr_null(block_find(40 * GRANULE + 1, &word));
	ck_assert_ptr_null(block_find(41 * GRANULE, &word));
}
END_TEST

START_TEST(small_blocks_share_a_granule)
{
	struct block *blocks[8];
	uint64_t word;

	for (size_t i = 0; i < 8; i++)
		blocks[i] = entered(7 * GRANULE + i * 256);
	for (size_t i = 0; i < 8; i++)
		ck_assert_ptr_eq(block_find(7 * GRANULE + i * 256, &word),
				 blocks[i]);
}
END_TEST

START_TEST(a_block_is_taken_once)
{
	struct block *block = entered(GRANULE);
	uint64_t word;

	ck_assert_ptr_eq(block_take(GRANULE, &word), block);
	ck_assert_ptr_null(block_take(GRANULE, &word));
	ck_assert_uint_eq(word & BLOCK_STATE, BLOCK_IDLE);
	block_revive(block);
	ck_assert_ptr_eq(block_take(GRANULE, &word), block);
	block_remove(block);
	ck_assert_ptr_null(block_take(GRANULE, &word));
	ck_assert_uint_eq(word, BLOCK_GONE);
}
END_TEST

/* This happens when a walk has found the record and its block is freed. */
START_TEST(a_record_that_is_anothers_by_now_is_not_claimed)
{
	struct block *block = entered(9 * GRANULE), *again;
	uint64_t word;

	removed(block);
	again = entered(10 * GRANULE);
	ck_assert_ptr_eq(block, again);
	ck_assert(!block_claim(block, 9 * GRANULE));
	ck_assert(block_mark(block, 10 * GRANULE, BLOCK_EXPORTED));
	ck_assert(block_claim(block, 10 * GRANULE));
	ck_assert_ptr_null(block_take(10 * GRANULE, &word));
	ck_assert(word & BLOCK_EXPORTED);
}
END_TEST

START_TEST(a_claim_is_for_that_very_record)
{
	struct block *first = entered(9 * GRANULE), *second = block_new();
	struct block *stale;
	uint64_t word;

	block_enter(second, 9 * GRANULE, &stale, &word);
	ck_assert(!block_claim(first, 9 * GRANULE));
	ck_assert(block_claim(second, 9 * GRANULE));
	ck_assert(!block_claim(second, 9 * GRANULE)); /* it is idle by now */
	ck_assert(!block_remove(first));
	ck_assert(block_remove(second));
	ck_assert(!block_remove(second));
}
END_TEST

START_TEST(addresses_past_the_table_are_unknown_and_not_entered)
{
	struct block *block = block_new(), *stale;
	uint64_t word;

	ck_assert(!block_enter(block, UINT64_C(1) << 49, &stale, &word));
	ck_assert_ptr_null(block_take(UINT64_MAX, &word));
	ck_assert_ptr_null(block_take(0, &word));
	/* This address is not aligned as CUDA's are. */
	ck_assert(!block_enter(block, GRANULE + 128, &stale, &word));
	ck_assert(block_enter(block, (UINT64_C(1) << 49) - GRANULE, &stale,
			      &word));
}
END_TEST

START_TEST(an_address_given_out_again_yields_what_was_there)
{
	struct block *first = entered(3 * GRANULE), *second = block_new();
	struct block *stale;
	uint64_t word;

	ck_assert(block_enter(second, 3 * GRANULE, &stale, &word));
	ck_assert_ptr_eq(stale, first);
	ck_assert(word_is_live(word));
	block_remove(first); /* must not take the new one away */
	ck_assert_ptr_eq(block_find(3 * GRANULE, &word), second);
}
END_TEST

START_TEST(a_removed_block_comes_back_unless_another_one_is_there)
{
	struct block *first = entered(5 * GRANULE), *second;
	uint64_t word;

	ck_assert_ptr_eq(block_take(5 * GRANULE, &word), first);
	ck_assert(block_remove(first));
	ck_assert(block_restore(first));
	ck_assert_ptr_eq(block_find(5 * GRANULE, &word), first);
	ck_assert(!word_is_live(word)); /* idle, as it was */
	ck_assert(block_remove(first));
	second = entered(5 * GRANULE);
	ck_assert(!block_restore(first));
	ck_assert_ptr_eq(block_find(5 * GRANULE, &word), second);
	ck_assert(word_is_live(word));
}
END_TEST

struct walked {
	int live, idle;
};

static void walk_count(struct block *block, uint64_t word, void *arg)
{
	struct walked *walked = arg;

	(void)block;
	walked->live += word_is_live(word);
	walked->idle += (word & BLOCK_STATE) == BLOCK_IDLE;
}

START_TEST(a_walk_sees_every_block_and_its_state)
{
	struct walked walked = {0, 0};
	uint64_t word;

	entered(GRANULE);
	entered(GRANULE + 4096);
	entered(UINT64_C(1) << 47);
	block_take(GRANULE, &word);
	block_walk(walk_count, &walked);
	ck_assert_int_eq(walked.live, 2);
	ck_assert_int_eq(walked.idle, 1);
}
END_TEST

START_TEST(dropped_records_are_used_again)
{
	struct block *block = block_new();

	block->use = 5;
	block_drop(block);
	ck_assert_ptr_eq(block_new(), block);
	ck_assert_uint_eq(block->use, 0);
}
END_TEST

int main(void)
{
	static const TTest *tests[11];
	size_t n = 0;

	tests[n++] = an_entered_block_is_found_live_at_its_address_only;
	tests[n++] = small_blocks_share_a_granule;
	tests[n++] = a_block_is_taken_once;
	tests[n++] = a_record_that_is_anothers_by_now_is_not_claimed;
	tests[n++] = a_claim_is_for_that_very_record;
	tests[n++] = addresses_past_the_table_are_unknown_and_not_entered;
	tests[n++] = an_address_given_out_again_yields_what_was_there;
	tests[n++] = a_removed_block_comes_back_unless_another_one_is_there;
	tests[n++] = a_walk_sees_every_block_and_its_state;
	tests[n++] = dropped_records_are_used_again;
	return tests_run("block", tests);
}
