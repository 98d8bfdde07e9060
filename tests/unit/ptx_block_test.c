/* Threads of a block that wait for each other. */
#include "ptx_run.h"

#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"

/* Runs the kernel k, whose only parameter is an address. */
static enum ptx_result run(const char *text, unsigned int threads, int *to)
{
	struct ptx_launch launch = {
		.grid = {1, 1, 1},
		.block = {threads, 1, 1},
		.args = (void *[]){&to},
	};
	struct ptx_error error;
	struct ptx_module *module = ptx_parse(text, strlen(text), &error);
	enum ptx_result result;

	ck_assert_msg(module, "%u: %s", error.line, error.text);
	result = run_kernel(module, "k", launch, &error);
	ptx_module_free(module);
	return result;
}

/* A number of threads at a barrier is rounded up to whole warps. */
START_TEST(a_warp_that_is_not_full_counts_as_one)
{
	int to[40] = {0};

	ck_assert_int_eq(
		run(HEAD ".shared .u32 s; .entry k(.param .u64 to) {\n"
			 ".reg .u32 %r<9>; .reg .u64 %a<9>; .reg .pred %p<9>;\n"
			 "ld.param.u64 %a1, [to]; mov.u32 %r1, %tid.x;\n"
			 "mad.wide.u32 %a1, %r1, 4, %a1;\n"
			 "setp.ne.u32 %p1, %r1, 35; @%p1 bra WAIT;\n"
			 "st.shared.u32 [s], 7;\n"
			 "WAIT: setp.gt.u32 %p2, %r1, 37; @%p2 exit;\n"
			 "bar.sync 1, 64; bar.red.popc.u32 %r3, 2, 64, %p1;\n"
			 "ld.shared.u32 %r2, [s]; add.u32 %r2, %r2, %r3;\n"
			 "st.u32 [%a1], %r2; ret; }",
		    40, to),
		PTX_OK);
	for (int i = 0; i < 40; i++)
		ck_assert_int_eq(to[i], i < 38 ? 7 + 37 : 0);
}
END_TEST

START_TEST(lanes_of_a_warp_may_wait_at_different_barriers)
{
	int to[64] = {0};

	ck_assert_int_eq(
		run(HEAD ".entry k(.param .u64 to) {\n"
			 ".reg .u32 %r<9>; .reg .u64 %a<9>; .reg .pred %p<9>;\n"
			 "ld.param.u64 %a1, [to]; mov.u32 %r1, %tid.x;\n"
			 "mad.wide.u32 %a1, %r1, 4, %a1; and.b32 %r2, %r1, 1;\n"
			 "setp.lt.u32 %p1, %r1, 20;\n"
			 "barrier.red.popc.u32 %r3, %r2, 32, %p1;\n"
			 "st.u32 [%a1], %r3; ret; }",
		    64, to),
		PTX_OK);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(to[i], 10);
}
END_TEST

/* A barrier's result is not written once more at the next one. */
START_TEST(a_barrier_leaves_the_result_of_the_one_before)
{
	int to[64] = {0};

	ck_assert_int_eq(
		run(HEAD ".entry k(.param .u64 to) {\n"
			 ".reg .u32 %r<9>; .reg .u64 %a<9>; .reg .pred %p<9>;\n"
			 "ld.param.u64 %a1, [to]; mov.u32 %r1, %tid.x;\n"
			 "mad.wide.u32 %a1, %r1, 4, %a1;\n"
			 "setp.lt.u32 %p1, %r1, 20;\n"
			 "bar.red.popc.u32 %r3, 0, %p1; bar.sync 0;\n"
			 "st.u32 [%a1], %r3; ret; }",
		    64, to),
		PTX_OK);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(to[i], 20);
}
END_TEST

#define MBARRIER \
	HEAD ".shared .align 8 .b64 m; .shared .align 256 .u32 s[64];\n" \
	     ".entry k(.param .u64 to) {\n" \
	     ".reg .u32 %r<9>; .reg .u64 %a<9>; .reg .pred %p<9>;\n" \
	     "ld.param.u64 %a1, [to]; mov.u32 %r1, %tid.x;\n" \
	     "mad.wide.u32 %a1, %r1, 4, %a1; mov.u32 %r2, s;\n" \
	     "mad.lo.u32 %r2, %r1, 4, %r2; setp.ne.u32 %p1, %r1, 0;\n"

/* Each thread tells another one its number, in three phases: all 64 arrive in
 * the first and second, in which the odd ones say that they leave. */
START_TEST(an_mbarrier_goes_through_its_phases)
{
	int to[64] = {0};

	ck_assert_int_eq(
		run(MBARRIER
		    "@!%p1 mbarrier.init.shared.b64 [m], 64; bar.sync 0;\n"
		    "st.shared.u32 [%r2], %r1;\n"
		    "mbarrier.arrive.shared.b64 %a2, [m];\n"
		    "mbarrier.pending_count.b64 %r7, %a2;\n"
		    "ONE: mbarrier.test_wait.shared.b64 %p2, [m], %a2;\n"
		    "@!%p2 bra ONE; xor.b32 %r3, %r2, 128;\n"
		    "ld.shared.u32 %r4, [%r3]; and.b32 %r5, %r1, 1;\n"
		    "setp.eq.u32 %p3, %r5, 1;\n"
		    "@%p3 mbarrier.arrive_drop.shared.b64 _, [m];\n"
		    "@%p3 bra END;\n"
		    "mbarrier.arrive.shared::cta.b64 %a3, [m], 1;\n"
		    "TWO: mbarrier.try_wait.parity.shared.b64 %p2, [m], 1;\n"
		    "@!%p2 bra TWO; st.shared.u32 [%r2], 1000;\n"
		    "mbarrier.arrive.release.cta.shared.b64 %a3, [m];\n"
		    "THREE: mbarrier.test_wait.shared.b64 %p2, [m], %a3;\n"
		    "@!%p2 nanosleep.u32 20; @!%p2 bra THREE;\n"
		    "ld.shared.u32 %r5, [%r3]; add.u32 %r4, %r4, %r5;\n"
		    "@%p1 bra END; mbarrier.inval.shared.b64 [m];\n"
		    "END: setp.eq.u32 %p2, %r1, 63; @%p2 add.u32 %r4, %r4, %r7;\n"
		    "st.u32 [%a1], %r4; ret; }",
		    64, to),
		PTX_OK);
	for (int i = 0; i < 64; i++) {
		int other = i ^ 32;

		/* This one also says how many it saw waited for; the other
		 * warp may have come before it or not. */
		if (i == 63)
			other += to[i] == other + 1 ? 1 : 33;
		ck_assert_int_eq(to[i], i % 2 ? other : other + 1000);
	}
}
END_TEST

/* Those that wait are at a place before those that they wait for. */
START_TEST(lanes_of_a_warp_wait_for_each_other_at_an_mbarrier)
{
	int to[32] = {0};

	ck_assert_int_eq(
		run(MBARRIER
		    "@!%p1 mbarrier.init.shared.b64 [m], 16; bar.sync 0;\n"
		    "setp.ge.u32 %p2, %r1, 16; @%p2 bra COME;\n"
		    "WAIT: mbarrier.test_wait.parity.shared.b64 %p3, [m], 0;\n"
		    "@!%p3 bra WAIT; ld.shared.u32 %r4, [%r2+64];\n"
		    "st.u32 [%a1], %r4; ret;\n"
		    "COME: st.shared.u32 [%r2], %r1;\n"
		    "cp.async.mbarrier.arrive.shared.b64 [m];\n"
		    "cp.async.mbarrier.arrive.noinc.shared.b64 [m]; ret; }",
		    32, to),
		PTX_OK);
	for (int i = 0; i < 16; i++)
		ck_assert_int_eq(to[i], i + 16);
}
END_TEST

/* A lane sleeps 100 times before it sets what all others look at without sleep.
 * With a turn of a whole warp for each sleep, this takes 40 million operations.
 */
START_TEST(a_sleep_does_not_take_long_where_others_never_sleep)
{
	int to[64] = {0};

	tick_most = 2000000000;
	ck_assert_int_eq(
		run(HEAD ".shared .u32 f; .entry k(.param .u64 to) {\n"
			 ".reg .u32 %r<9>; .reg .u64 %a<9>; .reg .pred %p<9>;\n"
			 "ld.param.u64 %a1, [to]; mov.u32 %r1, %tid.x;\n"
			 "mad.wide.u32 %a1, %r1, 4, %a1; mov.u32 %r2, 0;\n"
			 "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [f], 0;\n"
			 "bar.sync 0; setp.eq.u32 %p1, %r1, 5;\n"
			 "@%p1 bra SLEEP;\n"
			 "SPIN: ld.volatile.shared.u32 %r3, [f];\n"
			 "setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN; bra END;\n"
			 "SLEEP: nanosleep.u32 20; add.u32 %r2, %r2, 1;\n"
			 "setp.lt.u32 %p2, %r2, 100; @%p2 bra SLEEP;\n"
			 "st.volatile.shared.u32 [f], 9;\n"
			 "END: ld.shared.u32 %r3, [f]; st.u32 [%a1], %r3;\n"
			 "ret; }",
		    64, to),
		PTX_OK);
	tick_most = 0;
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(to[i], 9);
}
END_TEST

START_TEST(more_arrivals_than_an_mbarrier_waits_for_are_an_error)
{
	int to[32] = {0};

	ck_assert_int_eq(
		run(MBARRIER
		    "mbarrier.init.shared.b64 [m], 3;\n"
		    "mbarrier.arrive.noComplete.shared.b64 %a2, [m], 2;\n"
		    "mbarrier.arrive.shared.b64 %a2, [m], 2; ret; }",
		    1, to),
		PTX_TRAPPED);
	ck_assert_int_eq(
		run(MBARRIER "mbarrier.init.shared.b64 [m], 0; ret; }", 1, to),
		PTX_TRAPPED);
	ck_assert_int_eq(run(MBARRIER
			     "mbarrier.init.shared.b64 [m+4], 1; ret; }",
			     1, to),
			 PTX_MISALIGNED);
	ck_assert_int_eq(
		run(MBARRIER
		    "mbarrier.test_wait.shared.b64 %p1, [m+4096], %a1; ret; }",
		    1, to),
		PTX_ILLEGAL_ADDRESS);
}
END_TEST

START_TEST(threads_that_never_come_are_a_deadlock)
{
	int to[64] = {0};

	ck_assert_int_eq(run(HEAD ".entry k(.param .u64 to) {\n"
				  "bar.sync 1, 96; ret; }",
			     64, to),
			 PTX_DEADLOCK);
}
END_TEST

/* Blocks wait for each other at a counter, as the threads of a grid do: all but
 * the last one ask in vain. */
#define GRID_BARRIER(ask) \
	HEAD ".entry k(.param .u64 to) {\n" \
	     ".reg .u32 %r<9>; .reg .u64 %a<9>; .reg .pred %p<9>;\n" \
	     "ld.param.u64 %a1, [to]; mov.u32 %r1, %tid.x;\n" \
	     "setp.ne.u32 %p1, %r1, 0; @%p1 bra MET;\n" \
	     "atom.global.add.u32 %r2, [%a1], 1;\n" \
	     "WAIT: " ask " setp.lt.u32 %p2, %r3, 100; @%p2 bra WAIT;\n" \
	     "MET: bar.sync 0; red.global.add.u32 [%a1+4], 1; ret; }"

static const char *const asks[] = {
	GRID_BARRIER("ld.volatile.global.u32 %r3, [%a1];"),
	GRID_BARRIER("ld.acquire.gpu.u32 %r3, [%a1];"),
	GRID_BARRIER("atom.cas.b32 %r3, [%a1], 1000, 1000;"),
	GRID_BARRIER("ld.relaxed.sys.u32 %r3, [%a1];"),
};
enum { ASKS = sizeof(asks) / sizeof(asks[0]) };

START_TEST(blocks_that_ask_in_vain_give_way)
{
	uint32_t to[4] = {0};
	void *place = to;
	struct ptx_launch launch = {
		.grid = {100, 1, 1},
		.block = {64, 1, 1},
		.args = (void *[]){&place},
	};

	struct ptx_error error;
	struct ptx_module *module =
		ptx_parse(asks[_i], strlen(asks[_i]), &error);

	ck_assert_msg(module, "%u: %s", error.line, error.text);
	tick_most = 2000000;
	ck_assert_int_eq(run_kernel(module, "k", launch, &error), PTX_OK);
	ck_assert_uint_eq(to[0], 100);
	ck_assert_uint_eq(to[1], 6400);
	ptx_module_free(module);
}
END_TEST

/* 2,000 million cycles are less than a million operations, and some go by
 * between two looks. */
START_TEST(a_wait_for_the_clock_ends_soon)
{
	int to[2] = {0};

	tick_most = 1000000;
	ck_assert_int_eq(
		run(HEAD ".entry k(.param .u64 to) {\n"
			 ".reg .u32 %r<9>; .reg .u64 %a<9>; .reg .pred %p<9>;\n"
			 "ld.param.u64 %a1, [to]; mov.u32 %r1, %clock;\n"
			 "mov.u32 %r2, %clock; sub.u32 %r3, %r2, %r1;\n"
			 "st.u32 [%a1], %r3; mov.u64 %a2, %clock64;\n"
			 "WAIT: mov.u64 %a3, %clock64; sub.u64 %a3, %a3, %a2;\n"
			 "setp.lt.u64 %p1, %a3, 20000000; @%p1 bra WAIT;\n"
			 "st.u32 [%a1+4], 1; ret; }",
		    1, to),
		PTX_OK);
	ck_assert_int_gt(to[0], 0);
	ck_assert_int_eq(to[1], 1);
}
END_TEST

int main(void)
{
	const struct loop_test tests[] = {
		{a_warp_that_is_not_full_counts_as_one, 1},
		{lanes_of_a_warp_may_wait_at_different_barriers, 1},
		{a_barrier_leaves_the_result_of_the_one_before, 1},
		{an_mbarrier_goes_through_its_phases, 1},
		{lanes_of_a_warp_wait_for_each_other_at_an_mbarrier, 1},
		{a_sleep_does_not_take_long_where_others_never_sleep, 1},
		{more_arrivals_than_an_mbarrier_waits_for_are_an_error, 1},
		{threads_that_never_come_are_a_deadlock, 1},
		{blocks_that_ask_in_vain_give_way, ASKS},
		{a_wait_for_the_clock_ends_soon, 1},
		{NULL, 0},
	};

	return loops_run("ptx_block", tests);
}
