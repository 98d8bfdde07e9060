/* The index of blocks: entering one in a single step, and what that leaves for
 * others. */
#include "blocks.h"
#include "tcache/fast.h"

START_TEST(one_block_is_entered_alone_where_none_is_known)
{
	struct block *block = block_new(), *other = block_new(), *taken;

	removed(entered(GRANULE));
	ck_assert(!block_enter_alone(block, 0));
	ck_assert(!block_enter_alone(block, GRANULE + 1));
	ck_assert(block_enter_alone(block, GRANULE));
	ck_assert_ptr_eq(found(GRANULE), block);
	ck_assert(!block_enter_alone(other, GRANULE));
	ck_assert_uint_eq(block_word(other), BLOCK_GONE);
	ck_assert(block_take_at(block_table, GRANULE, 0, &taken));
	ck_assert_ptr_eq(taken, block);
	ck_assert(!block_enter_alone(other, GRANULE)); /* has an idle block */
	ck_assert(block_remove(block));
	ck_assert(block_enter_alone(other, GRANULE));
	ck_assert_ptr_eq(found(GRANULE), other);
}
END_TEST

/* That way does not make the index grow, so it refuses once the index would
 * have to. */
START_TEST(a_block_that_is_entered_alone_leaves_a_place_empty)
{
	struct block *block = NULL;
	uint64_t addr = 2 * GRANULE;
	size_t count = 0, size;

	entered(GRANULE);
	size = block_table->size;
	for (; count <= size; count++, addr += 256) {
		block = block_new();
		if (!block_enter_alone(block, addr))
			break;
	}
	ck_assert_uint_le(count, size / 4 * 3);
	ck_assert_uint_eq(block_table->size, size);
	ck_assert_ptr_null(found(addr));
	while (count--)
		ck_assert_ptr_nonnull(found(addr -= 256));
}
END_TEST

START_TEST(a_table_that_was_replaced_has_no_places)
{
	struct block_table *old = NULL;
	uint64_t addr = GRANULE;

	entered(addr);
	old = block_table;
	while (block_table == old)
		removed(entered(addr += 256));
	ck_assert_uint_eq(old->size, 0);
	ck_assert_uint_eq(*block_home(old, GRANULE).entry, ENTRY_EMPTY);
	ck_assert_ptr_nonnull(found(GRANULE));
}
END_TEST

int main(void)
{
	static const TTest *tests[4];
	size_t n = 0;

	tests[n++] = one_block_is_entered_alone_where_none_is_known;
	tests[n++] = a_block_that_is_entered_alone_leaves_a_place_empty;
	tests[n++] = a_table_that_was_replaced_has_no_places;
	return tests_run("index_alone", tests);
}
