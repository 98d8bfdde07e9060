#include "block.h"
#include "run.h"

#define GRANULE (UINT64_C(2) << 20)

static struct block *entered(uint64_t addr)
{
	struct block *block = block_new(), *stale;
	enum block_state state;

	ck_assert_ptr_nonnull(block);
	block->addr = addr;
	ck_assert(block_enter(block, &stale, &state));
	ck_assert_ptr_null(stale);
	return block;
}

START_TEST(an_entered_block_is_found_live_at_its_address_only)
{
	struct block *block = entered(40 * GRANULE);
	enum block_state state;

	ck_assert_ptr_eq(block_find(40 * GRANULE, &state), block);
	ck_assert_int_eq(state, BLOCK_LIVE);
	ck_assert_ptr_null(block_find(40 * GRANULE + 256, &state));
	ck_assert_int_eq(state, BLOCK_UNKNOWN);
	ck_assert_ptr_null(block_find(40 * GRANULE + 1, &state));
	ck_assert_ptr_null(block_find(41 * GRANULE, &state));
}
END_TEST

START_TEST(small_blocks_share_a_granule)
{
	struct block *blocks[8];
	enum block_state state;

	for (size_t i = 0; i < 8; i++)
		blocks[i] = entered(7 * GRANULE + i * 256);
	for (size_t i = 0; i < 8; i++)
		ck_assert_ptr_eq(block_find(7 * GRANULE + i * 256, &state),
				 blocks[i]);
}
END_TEST

START_TEST(a_block_is_taken_once)
{
	struct block *block = entered(GRANULE);
	enum block_state state;

	ck_assert_ptr_eq(block_take(GRANULE, &state), block);
	ck_assert_ptr_null(block_take(GRANULE, &state));
	ck_assert_int_eq(state, BLOCK_IDLE);
	block_revive(block);
	ck_assert_ptr_eq(block_take(GRANULE, &state), block);
	block_remove(block);
	ck_assert_ptr_null(block_take(GRANULE, &state));
	ck_assert_int_eq(state, BLOCK_UNKNOWN);
}
END_TEST

START_TEST(a_claim_is_for_that_very_record)
{
	struct block *first = entered(9 * GRANULE), *second = block_new();
	struct block *stale;
	enum block_state state;

	second->addr = 9 * GRANULE;
	block_enter(second, &stale, &state);
	ck_assert(!block_claim(first));
	ck_assert(block_claim(second));
	ck_assert(!block_claim(second)); /* idle by now */
	ck_assert(!block_remove(first));
	ck_assert(block_remove(second));
	ck_assert(!block_remove(second));
}
END_TEST

START_TEST(addresses_past_the_table_are_unknown_and_not_entered)
{
	struct block *block = block_new(), *stale;
	enum block_state state;

	block->addr = UINT64_C(1) << 49;
	ck_assert(!block_enter(block, &stale, &state));
	ck_assert_ptr_null(block_take(UINT64_MAX, &state));
	ck_assert_ptr_null(block_take(0, &state));
	block->addr = GRANULE + 128; /* less than CUDA's alignment */
	ck_assert(!block_enter(block, &stale, &state));
	block->addr = (UINT64_C(1) << 49) - GRANULE;
	ck_assert(block_enter(block, &stale, &state));
}
END_TEST

START_TEST(an_address_given_out_again_yields_what_was_there)
{
	struct block *first = entered(3 * GRANULE), *second = block_new();
	struct block *stale;
	enum block_state state;

	second->addr = 3 * GRANULE;
	ck_assert(block_enter(second, &stale, &state));
	ck_assert_ptr_eq(stale, first);
	ck_assert_int_eq(state, BLOCK_LIVE);
	block_remove(first); /* must not take the new one away */
	ck_assert_ptr_eq(block_find(3 * GRANULE, &state), second);
}
END_TEST

struct walked {
	int live, idle;
};

static void walk_count(struct block *block, enum block_state state, void *arg)
{
	struct walked *walked = arg;

	(void)block;
	walked->live += state == BLOCK_LIVE;
	walked->idle += state == BLOCK_IDLE;
}

START_TEST(a_walk_sees_every_block_and_its_state)
{
	struct walked walked = {0, 0};
	enum block_state state;

	entered(GRANULE);
	entered(GRANULE + 4096);
	entered(UINT64_C(1) << 47);
	block_take(GRANULE, &state);
	block_walk(walk_count, &walked);
	ck_assert_int_eq(walked.live, 2);
	ck_assert_int_eq(walked.idle, 1);
}
END_TEST

START_TEST(dropped_records_are_used_again)
{
	struct block *block = block_new();

	block->size = 5;
	block_drop(block);
	ck_assert_ptr_eq(block_new(), block);
	ck_assert_uint_eq(block->size, 0);
}
END_TEST

int main(void)
{
	static const TTest *tests[9];
	size_t n = 0;

	tests[n++] = an_entered_block_is_found_live_at_its_address_only;
	tests[n++] = small_blocks_share_a_granule;
	tests[n++] = a_block_is_taken_once;
	tests[n++] = a_claim_is_for_that_very_record;
	tests[n++] = addresses_past_the_table_are_unknown_and_not_entered;
	tests[n++] = an_address_given_out_again_yields_what_was_there;
	tests[n++] = a_walk_sees_every_block_and_its_state;
	tests[n++] = dropped_records_are_used_again;
	return tests_run("block", tests);
}
