/* Which kernels may run on several threads. */
#include <stdio.h>

#include "ptx_crew.h"

/* By these a block may learn of others, or leave a trace of when it ran. */
static const char *const telling[] = {
	"red.global.add.u32 [%a1], 0;",
	"red.add.u32 [%a1], 0;",
	"atom.global.cta.or.b32 %r3, [%a1], 0;",
	"atom.exch.b32 %r3, [%a1], 0;",
	"membar.gl;",
	"membar.sys;",
	"fence.acq_rel.gpu;",
	"fence.sc.sys;",
	"ld.volatile.global.u32 %r3, [%a1];",
	"ld.volatile.u32 %r3, [%a1];",
	"ld.relaxed.gpu.global.u32 %r3, [%a1];",
	"ld.acquire.sys.u32 %r3, [%a1];",
	"ld.global.cv.u32 %r3, [%a1];",
	"st.volatile.global.u32 [%a1], 0;",
	"st.release.gpu.global.u32 [%a1], 0;",
	"mov.u32 %r3, %clock;",
	"mov.u64 %a3, %clock64;",
	"mov.u64 %a3, %globaltimer;",
	"mov.u32 %r3, %envreg2;",
};
enum { TELLING = sizeof(telling) / sizeof(telling[0]) };

static enum ptx_result run_with(const char *line)
{
	char text[4096];
	struct job job = job_of(text, 2);
	enum ptx_result result;

	snprintf(text, sizeof(text), "%s%s\n%s", BEGIN, line, END);
	result = run(&job);
	if (!result)
		results_check(&job);
	return result;
}

START_TEST(a_kernel_that_can_tell_is_on_one_thread)
{
	ck_assert_int_eq(run_with(telling[_i]), PTX_OK);
	ck_assert_msg(!made, "%s", telling[_i]);
}
END_TEST

static const char *const harmless[] = {
	"atom.shared.add.u32 %r3, [s], 1;",
	"atom.acq_rel.cta.shared::cta.cas.b32 %r3, [s], 0, 1;",
	"red.shared.add.u32 [s], 1;",
	"membar.cta;",
	"fence.acq_rel.cta;",
	"ld.volatile.shared.u32 %r3, [s];",
	"st.volatile.shared.u32 [s], 1;",
	"ld.relaxed.cta.global.u32 %r3, [%a1];",
	"ld.global.nc.u32 %r3, [%a1];",
	"ld.global.cg.u32 %r3, [%a1];",
	"bar.sync 0;",
	"mov.u32 %r3, %smid;",
};
enum { HARMLESS = sizeof(harmless) / sizeof(harmless[0]) };

START_TEST(what_is_seen_in_a_block_alone_may_run_on_several_threads)
{
	ck_assert_int_eq(run_with(harmless[_i]), PTX_OK);
	ck_assert_msg(made, "%s", harmless[_i]);
}
END_TEST

START_TEST(a_kernel_that_prints_is_on_one_thread)
{
	ck_assert_int_eq(run_with("setp.ne.u32 %p3, %b, 0; @%p3 bra LOOP;\n"
				  "mov.u64 %a3, g; st.param.b64 [f], %a3;\n"
				  "st.param.b64 [a], 0;\n"
				  "call (r), vprintf, (f, a);"),
			 PTX_OK);
	ck_assert_uint_eq(made, 0);
}
END_TEST

/* What functions do counts, too. */
START_TEST(a_function_that_can_tell_is_found)
{
	struct job job = job_of(
		HEAD ".func f() { membar.gl; ret; }\n"
		     ".entry k(.param .u64 to, .param .u32 rounds) {\n"
		     ".reg .u32 %i, %n; .reg .pred %p<9>; mov.u32 %i, 0;\n"
		     "ld.param.u32 %n, [rounds]; call f;\n"
		     "LOOP: add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, %n;\n"
		     "@%p1 bra LOOP; ret; }",
		5);

	ck_assert_int_eq(run(&job), PTX_OK);
	ck_assert_uint_eq(made, 0);
}
END_TEST

int main(void)
{
	const struct loop_test tests[] = {
		{a_kernel_that_can_tell_is_on_one_thread, TELLING},
		{what_is_seen_in_a_block_alone_may_run_on_several_threads,
		 HARMLESS},
		{a_kernel_that_prints_is_on_one_thread, 1},
		{a_function_that_can_tell_is_found, 1},
		{NULL, 0},
	};

	return loops_run("ptx_apart", tests);
}
