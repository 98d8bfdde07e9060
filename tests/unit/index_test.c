/* The index of blocks: while it grows, and with several threads. */
#include <pthread.h>
#include <stdatomic.h>

#include "blocks.h"
#include "tcache/fast.h"

/* Counts failures where there are too many checks for an assertion each. */
static atomic_int missed;

static void expect(bool is)
{
	if (!is)
		missed++;
}

/* Returns how many bytes of tables so many live blocks take. */
static size_t table_bytes(size_t live)
{
	const struct block_table *table = block_table;

	return live * sizeof(struct block) + sizeof(*table) +
	       (table->size + TABLE_TAIL) * sizeof(table->entries[0]);
}

START_TEST(a_block_takes_64_bytes_of_tables_at_most)
{
	enum { COUNT = 20000, FEW = 2048 };
	static struct block *blocks[COUNT];
	const struct block_table *table = block_table;
	int grown = 0;

	for (size_t i = 0; i < COUNT; i++) {
		blocks[i] = entered((i + 1) * GRANULE);
		if (i > FEW)
			ck_assert_uint_le(table_bytes(i + 1), 64 * (i + 1));
		if (table == block_table)
			continue;
		table = block_table;
		grown++;
		for (size_t at = 0; at <= i; at++)
			expect(found((at + 1) * GRANULE) == blocks[at]);
	}
	ck_assert_int_eq(missed, 0);
	ck_assert_int_gt(grown, 5);
}
END_TEST

START_TEST(blocks_that_come_and_go_leave_the_index_as_small)
{
	enum { ROUNDS = 10000, LIVE = 100 };
	struct block *blocks[LIVE] = {NULL};
	const struct block_table *first = NULL;
	uint64_t addr = GRANULE;

	for (int i = 0; i < ROUNDS; i++, addr += 256) {
		if (blocks[i % LIVE])
			removed(blocks[i % LIVE]);
		ck_assert_ptr_null(found(addr));
		blocks[i % LIVE] = entered(addr);
		first = first ? first : block_table;
	}
	ck_assert_uint_le(block_table->size, 4096);
	ck_assert_ptr_ne(first, block_table); /* it drops what was removed */
	for (int i = 0; i < LIVE; i++)
		ck_assert_ptr_eq(found(addr - 256 * (uint64_t)(LIVE - i)),
				 blocks[(ROUNDS + i) % LIVE]);
}
END_TEST

/* Returns the next address whose search begins at one of the last places. */
static uint64_t last_from(struct block_table *table, uint64_t addr)
{
	enum { LAST = 8 };

	do
		addr += GRANULE;
	while (block_home(table, addr).entry <
	       &table->entries[table->size - LAST]);
	return addr;
}

START_TEST(blocks_that_crowd_at_the_end_find_their_place)
{
	enum { COUNT = TABLE_TAIL + 32 };
	struct block *blocks[COUNT];
	uint64_t addrs[COUNT], addr = 0;
	struct block_table *table;

	entered(1ull << 48); /* makes the table */
	table = block_table;
	for (int i = 0; i < COUNT; i++) {
		addrs[i] = addr = last_from(table, addr);
		blocks[i] = entered(addr);
		expect(i > TABLE_TAIL || block_table == table);
	}
	ck_assert_ptr_ne(block_table, table);
	for (int i = 0; i < COUNT; i++)
		expect(found(addrs[i]) == blocks[i]);
	ck_assert_int_eq(missed, 0);
}
END_TEST

START_TEST(an_address_is_entered_and_removed_again_and_again)
{
	enum { ROUNDS = 2000 };
	struct block *block, *other = entered(GRANULE + 256);

	for (int i = 0; i < ROUNDS; i++) {
		block = entered(GRANULE);
		ck_assert_ptr_eq(found(GRANULE), block);
		ck_assert_ptr_eq(found(GRANULE + 256), other);
		removed(block);
		ck_assert_ptr_null(found(GRANULE));
	}
	ck_assert_uint_le(block_table->size, 4096);
}
END_TEST

/* Leaves an entry behind, as a removal does in a table that is being
 * replaced. */
static void plant(struct block *block, uint64_t addr)
{
	struct block_home home = block_home(block_table, addr);

	*home.entry = entry_of(block, home.tag);
}

START_TEST(a_stale_entry_is_no_block)
{
	struct block *block = entered(GRANULE), *again;
	uint64_t word;

	ck_assert_ptr_eq(block_take(GRANULE, &word), block);
	ck_assert(block_remove(block));
	plant(block, GRANULE);
	ck_assert_ptr_null(found(GRANULE)); /* the block's word has no state */
	block_drop(block);
	again = entered(2 * GRANULE);
	ck_assert_ptr_eq(again, block);
	ck_assert_ptr_null(block_take(GRANULE, &word));
	ck_assert_uint_eq(word, BLOCK_GONE);
	ck_assert_ptr_eq(block_take(2 * GRANULE, &word), again);
}
END_TEST

/* Returns another address that has the same place and tag in the present
 * table. */
static uint64_t twin_of(uint64_t addr)
{
	struct block_home home = block_home(block_table, addr), other;

	do
		other = block_home(block_table, addr += 256);
	while (other.tag != home.tag || other.entry != home.entry);
	return addr;
}

START_TEST(blocks_whose_entries_look_alike_are_told_apart)
{
	struct block *first = entered(GRANULE), *second, *taken = NULL;
	uint64_t twin = twin_of(GRANULE), word;

	ck_assert_ptr_null(found(twin));
	ck_assert(!block_take_at(block_table, twin, 0, &taken));
	second = entered(twin);
	ck_assert_ptr_eq(found(twin), second);
	ck_assert(!block_take_at(block_table, twin, 0, &taken));
	ck_assert_ptr_eq(block_take(twin, &word), second);
	ck_assert(block_take_at(block_table, GRANULE, 0, &taken));
	ck_assert_ptr_eq(taken, first);
	ck_assert(block_remove(first));
	ck_assert_ptr_eq(found(twin), second);
}
END_TEST

START_TEST(an_address_inside_a_block_takes_nothing)
{
	const uint64_t marks[] = {0, BLOCK_NAMED, BLOCK_EXPORTED,
				  BLOCK_NAMED | BLOCK_EXPORTED};
	struct block *block = entered(GRANULE), *taken;
	uint64_t word;

	/* Nothing is taken even if a search finds the block's record. */
	for (uint64_t at = GRANULE + 1; at < GRANULE + 256; at++)
		plant(block, at);
	for (int idle = 0; idle < 2; idle++) {
		for (int i = 0; i < 4; i++) {
			block->word =
				GRANULE | marks[i] | (idle ? BLOCK_IDLE : 0);
			for (uint64_t at = GRANULE + 1; at <= GRANULE + 256;
			     at++) {
				ck_assert(!block_take_at(block_table, at, 0,
							 &taken));
				ck_assert_ptr_null(block_take(at, &word));
			}
		}
	}
	ck_assert_uint_eq(block->word,
			  GRANULE | marks[3] | BLOCK_IDLE); /* unchanged */
}
END_TEST

START_TEST(a_block_with_marks_is_not_taken_in_one_step)
{
	struct block *block = entered(GRANULE), *taken;
	uint64_t word;

	ck_assert(block_mark(block, GRANULE, BLOCK_NAMED));
	ck_assert(!block_take_at(block_table, GRANULE, 0, &taken));
	ck_assert_ptr_eq(block_take(GRANULE, &word), block);
	ck_assert_uint_eq(word, GRANULE | BLOCK_NAMED);
	block_unmark(block);
	block_revive(block);
	ck_assert(block_take_at(block_table, GRANULE, 0, &taken));
	ck_assert_ptr_eq(taken, block);
	ck_assert(!block_take_at(block_table, GRANULE, 0, &taken));
}
END_TEST

/* There are so many blocks that a growth takes a while. */
enum { THREADS = 4, STEADY = 20000, TURNS = 400, EACH = 64 };

static struct block *steady[STEADY];
static atomic_int growths;

/* Enters and removes a thread's own blocks, at addresses never used before. */
static void turn(uint64_t base, int number)
{
	const struct block_table *table = block_table;
	struct block *blocks[EACH], *stale, *taken;
	uint64_t word, addr = base;

	for (uint64_t i = 0; i < EACH; i++, addr += 256) {
		blocks[i] = block_new();
		expect((i % 2 && block_enter_alone(blocks[i], addr)) ||
		       (block_enter(blocks[i], addr, &stale, &word) && !stale));
	}
	for (uint64_t i = 0; i < EACH; i++) {
		int at = (number * EACH + (int)i) % STEADY;

		expect(found((uint64_t)(at + 1) * GRANULE) == steady[at]);
		expect(block_take(base + i * 256, &word) == blocks[i]);
		expect(!block_take_at(block_table, base + i * 256, 0, &taken));
		expect(block_remove(blocks[i]));
		block_drop(blocks[i]);
		expect(!found(base + i * 256));
	}
	if (table != block_table)
		growths++;
}

static void *turns(void *arg)
{
	uint64_t base = (uint64_t)(uintptr_t)arg << 40;

	for (int i = 0; i < TURNS; i++, base += EACH * 256)
		turn(base, i);
	return NULL;
}

START_TEST(threads_enter_find_and_remove_at_once)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < STEADY; i++)
		steady[i] = entered((uint64_t)(i + 1) * GRANULE);
	for (uintptr_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, turns,
						(void *)(i + 1)),
				 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(missed, 0);
	ck_assert_int_gt(growths, 4);
	for (int i = 0; i < STEADY; i++)
		expect(found((uint64_t)(i + 1) * GRANULE) == steady[i]);
	ck_assert_int_eq(missed, 0);
}
END_TEST

static atomic_long taken_sum;

static void *takes(void *arg)
{
	struct block *taken;

	(void)arg;
	for (uint64_t i = 0; i < STEADY; i++)
		if (block_take_at(block_table, (i + 1) * GRANULE, 0, &taken))
			taken_sum++;
	return NULL;
}

START_TEST(of_two_frees_of_a_block_one_takes_it)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < STEADY; i++)
		entered((uint64_t)(i + 1) * GRANULE);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, takes, NULL),
				 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(taken_sum, STEADY);
}
END_TEST

int main(void)
{
	static const TTest *tests[11];
	size_t n = 0;

	tests[n++] = a_block_takes_64_bytes_of_tables_at_most;
	tests[n++] = blocks_that_come_and_go_leave_the_index_as_small;
	tests[n++] = blocks_that_crowd_at_the_end_find_their_place;
	tests[n++] = an_address_is_entered_and_removed_again_and_again;
	tests[n++] = a_stale_entry_is_no_block;
	tests[n++] = blocks_whose_entries_look_alike_are_told_apart;
	tests[n++] = an_address_inside_a_block_takes_nothing;
	tests[n++] = a_block_with_marks_is_not_taken_in_one_step;
	tests[n++] = threads_enter_find_and_remove_at_once;
	tests[n++] = of_two_frees_of_a_block_one_takes_it;
	return tests_run("index", tests);
}
