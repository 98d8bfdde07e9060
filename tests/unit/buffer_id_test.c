/* Buffer ids, with two threads that ask at the same time. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "block/block.h"
#include "block/buffer_id.h"
#include "run.h"

enum { LIVES = 20000 };

#define ADDR (UINT64_C(2) << 20)

static struct block *block;
static atomic_int begun, done; /* lives begun, answers given */
static uint32_t other;

static void *ask(void *unused)
{
	(void)unused;
	for (int life = 1; life <= LIVES; life++) {
		while (begun < life)
			sched_yield();
		other = buffer_id_of(block, ADDR);
		done = life;
	}
	return NULL;
}

START_TEST(a_life_has_one_id_whoever_asks_first)
{
	struct block *stale;
	pthread_t thread;
	uint32_t last = 0, id;
	uint64_t word;

	block = block_new();
	ck_assert(block_enter(block, ADDR, &stale, &word));
	ck_assert(!pthread_create(&thread, NULL, ask, NULL));
	for (int life = 1; life <= LIVES; life++) {
		begun = life;
		id = buffer_id_of(block, ADDR);
		while (done < life)
			sched_yield();
		ck_assert_uint_eq(id, other);
		ck_assert_uint_ne(id, last);
		last = id;
		ck_assert_ptr_eq(block_take(ADDR, &word), block);
		ck_assert(word & BLOCK_NAMED);
		buffer_id_forget(block);
		block_unmark(block);
		block_revive(block);
	}
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(a_block_that_is_not_live_has_none)
{
	struct block *idle = block_new(), *stale;
	uint64_t word;

	ck_assert(block_enter(idle, 2 * ADDR, &stale, &word));
	ck_assert_uint_ne(buffer_id_of(idle, 2 * ADDR), 0);
	ck_assert_ptr_eq(block_take(2 * ADDR, &word), idle);
	buffer_id_forget(idle);
	block_unmark(idle);
	ck_assert_uint_eq(buffer_id_of(idle, 2 * ADDR), 0);
}
END_TEST

/* The record was found when its block was at another address. */
START_TEST(a_question_about_one_block_does_not_change_anothers_id)
{
	struct block *other = block_new(), *stale;
	uint64_t word;
	uint32_t id;

	ck_assert(block_enter(other, 3 * ADDR, &stale, &word));
	id = buffer_id_of(other, 3 * ADDR);
	ck_assert_uint_eq(buffer_id_of(other, 4 * ADDR), 0);
	ck_assert_uint_eq(buffer_id_of(other, 3 * ADDR), id);
}
END_TEST

int main(void)
{
	static const TTest *tests[4];

	tests[0] = a_life_has_one_id_whoever_asks_first;
	tests[1] = a_block_that_is_not_live_has_none;
	tests[2] = a_question_about_one_block_does_not_change_anothers_id;
	return tests_run("buffer_id", tests);
}
