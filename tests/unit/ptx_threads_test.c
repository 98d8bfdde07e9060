/* Blocks of a kernel that run on several threads. */
#include <signal.h>

#include "ptx_crew.h"

static const unsigned int crews[] = {1, 2, 5};
enum { CREWS = sizeof(crews) / sizeof(crews[0]) };

START_TEST(results_do_not_depend_on_threads)
{
	struct job job = job_of(BEGIN END, crews[_i]);

	ck_assert_int_eq(run(&job), PTX_OK);
	results_check(&job);
	ck_assert_uint_le(made, crews[_i] - 1);
	ck_assert_int_eq(made > 0, crews[_i] > 1);
}
END_TEST

START_TEST(no_threads_said_is_one)
{
	struct job job = job_of(BEGIN END, 0);

	ck_assert_int_eq(run(&job), PTX_OK);
	results_check(&job);
	ck_assert_uint_eq(made, 0);
}
END_TEST

/* Who has asked for ranges. */
struct asked {
	pthread_mutex_t lock;
	pthread_cond_t more;
	pthread_t main, other;
	bool by_main, by_other;
	bool blocked; /* the other one blocks signals */
	const void *user_of_main, *user_of_other;
};

struct user {
	struct asked *asked;
	unsigned int questions; /* of one thread */
};

/* A block may touch its own elements. Each of two threads waits for a question
 * of the other one. */
static bool block_range(void *of, uint64_t addr, bool write, uint64_t *begin,
			uint64_t *end)
{
	const size_t bytes = THREADS * sizeof(to[0]);
	struct user *user = of;
	struct asked *asked = user->asked;
	size_t block = (addr - (uintptr_t)to) / bytes;
	sigset_t set;

	(void)write;
	user->questions++;
	pthread_mutex_lock(&asked->lock);
	if (pthread_equal(pthread_self(), asked->main)) {
		asked->by_main = true;
		asked->user_of_main = of;
	} else {
		pthread_sigmask(SIG_SETMASK, NULL, &set);
		asked->by_other = true;
		asked->other = pthread_self();
		asked->user_of_other = of;
		asked->blocked =
			sigismember(&set, SIGINT) && sigismember(&set, SIGTERM);
	}
	pthread_cond_broadcast(&asked->more);
	/* The first blocks are run before there are others. */
	while (made && !(asked->by_main && asked->by_other))
		pthread_cond_wait(&asked->more, &asked->lock);
	pthread_mutex_unlock(&asked->lock);
	*begin = (uintptr_t)to + block * bytes;
	*end = *begin + bytes;
	return block < BLOCKS;
}

START_TEST(threads_have_copies_of_the_user_and_block_signals)
{
	struct asked asked = {.lock = PTHREAD_MUTEX_INITIALIZER,
			      .more = PTHREAD_COND_INITIALIZER,
			      .main = pthread_self()};
	struct user user = {.asked = &asked};
	struct job job = job_of(BEGIN END, 2);

	job.host.range = block_range;
	job.host.user = &user;
	job.host.user_bytes = sizeof(user);
	ck_assert_int_eq(run(&job), PTX_OK);
	results_check(&job);
	ck_assert(asked.by_main && asked.by_other && asked.blocked);
	ck_assert_ptr_eq(asked.user_of_main, &user);
	ck_assert_ptr_ne(asked.user_of_other, &user);
	ck_assert_uint_lt(user.questions, BLOCKS);
}
END_TEST

START_TEST(there_are_no_more_threads_than_blocks)
{
	struct job job = job_of(BEGIN END, 5);

	job.rounds = 100000;
	job.blocks = 1;
	ck_assert_int_eq(run(&job), PTX_OK);
	results_check(&job);
	ck_assert_uint_eq(made, 0);
	job.blocks = 3;
	ck_assert_int_eq(run(&job), PTX_OK);
	results_check(&job);
	ck_assert_uint_ge(made, 1);
	ck_assert_uint_le(made, 2);
}
END_TEST

START_TEST(a_short_launch_is_on_one_thread)
{
	struct job job = job_of(BEGIN END, 5);

	job.rounds = 10;
	ck_assert_int_eq(run(&job), PTX_OK);
	results_check(&job);
	ck_assert_uint_eq(made, 0);
}
END_TEST

START_TEST(without_a_thread_the_others_go_on)
{
	struct job job = job_of(BEGIN END, 5);

	refused = (unsigned int)_i;
	ck_assert_int_eq(run(&job), PTX_OK);
	results_check(&job);
	ck_assert_uint_eq(made, (unsigned int)_i);
}
END_TEST

/* Blocks 70 to 79 fail, the later ones earlier than those before them. */
#define FAILS \
	BEGIN "sub.u32 %r3, %b, 70; setp.lt.u32 %p1, %r3, 10;\n" \
	      "@!%p1 bra LOOP; sub.u32 %r3, 79, %b; mul.lo.u32 %n, %r3, %n;\n" \
	      "mov.u64 %a1, 8;\n" END

START_TEST(the_first_block_that_fails_is_told)
{
	struct job job = job_of(FAILS, crews[_i]);

	job.host.range = host_range;
	allowed[0].begin = to;
	allowed[0].size = sizeof(to);
	allowed_count = 1;
	ck_assert_int_eq(run(&job), PTX_ILLEGAL_ADDRESS);
	ck_assert_msg(strstr(job.error.text, "block 70,0,0"), "%s",
		      job.error.text);
	ck_assert_int_eq(made > 0, crews[_i] > 1);
	for (unsigned int i = 0; i < 70 * THREADS; i++)
		ck_assert_uint_eq(to[i], expected(i, ROUNDS));
}
END_TEST

/* Of blocks that take several turns, block 12 needs fewest. */
#define FAILS_LATE \
	BEGIN "sub.u32 %r3, %b, 10; setp.lt.u32 %p1, %r3, 5;\n" \
	      "@!%p1 bra LOOP; mov.u64 %a1, 8; mov.u32 %n, 900000;\n" \
	      "setp.eq.u32 %p1, %b, 12; @%p1 mov.u32 %n, 400000;\n" END

START_TEST(the_first_failure_is_told_of_long_blocks)
{
	struct job job = job_of(FAILS_LATE, crews[_i]);

	job.host.range = host_range;
	allowed[0].begin = to;
	allowed[0].size = sizeof(to);
	allowed_count = 1;
	job.blocks = 40;
	ck_assert_int_eq(run(&job), PTX_ILLEGAL_ADDRESS);
	ck_assert_msg(strstr(job.error.text, "block 12,0,0"), "%s",
		      job.error.text);
}
END_TEST

/* A block that never ends does not keep the error of another from being told.
 */
START_TEST(an_error_ends_blocks_that_would_not_end)
{
	struct job job = job_of(
		BEGIN "setp.eq.u32 %p2, %b, 50; @%p2 trap;\n"
		      "setp.lt.u32 %p2, %b, 5; @%p2 mov.u32 %n, -1;\n" END,
		crews[_i]);

	ck_assert_int_eq(run(&job), PTX_TRAPPED);
	ck_assert_msg(strstr(job.error.text, "block 50,0,0"), "%s",
		      job.error.text);
}
END_TEST

static bool tick_for_a_while(void *user, uint64_t instructions)
{
	(void)user;
	return instructions < 8000000;
}

START_TEST(a_stop_ends_all_threads)
{
	struct job job =
		job_of(BEGIN "LOOP: add.u32 %i, %i, 1; bra LOOP; }", crews[_i]);

	job.host.tick = tick_for_a_while;
	ck_assert_int_eq(run(&job), PTX_STOPPED);
	ck_assert_str_eq(job.error.text, "stopped");
	ck_assert_int_eq(made > 0, crews[_i] > 1);
}
END_TEST

int main(void)
{
	const struct loop_test tests[] = {
		{results_do_not_depend_on_threads, CREWS},
		{no_threads_said_is_one, 1},
		{threads_have_copies_of_the_user_and_block_signals, 1},
		{there_are_no_more_threads_than_blocks, 1},
		{a_short_launch_is_on_one_thread, 1},
		{without_a_thread_the_others_go_on, 2},
		{the_first_block_that_fails_is_told, CREWS},
		{the_first_failure_is_told_of_long_blocks, CREWS},
		{an_error_ends_blocks_that_would_not_end, CREWS},
		{a_stop_ends_all_threads, CREWS},
		{NULL, 0},
	};

	return loops_run("ptx_threads", tests);
}
