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

START_TEST(threads_that_never_come_are_a_deadlock)
{
	int to[64] = {0};

	ck_assert_int_eq(run(HEAD ".entry k(.param .u64 to) {\n"
				  "bar.sync 1, 96; ret; }",
			     64, to),
			 PTX_DEADLOCK);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_warp_that_is_not_full_counts_as_one,
		lanes_of_a_warp_may_wait_at_different_barriers,
		threads_that_never_come_are_a_deadlock,
		NULL,
	};

	return tests_run("ptx_block", tests);
}
