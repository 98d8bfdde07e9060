/* Loads of what is the same for all lanes: those that take part get it, and no
 * others. */
#include <stdio.h>

#include "ptx_run.h"

enum { LANES = 32 };

/* Lane i begins with i * 7, and what %s loads goes to the lanes for which %p1
 * is true. */
static const char frame[] =
	".version 8.7\n.target sm_90\n.address_size 64\n"
	".global .align 8 .u32 g[4] = {10, 20, 30, 40};\n"
	".const .align 8 .u32 c[4] = {50, 60, 70, 80};\n"
	".shared .align 8 .u32 s[4];\n"
	".func (.param .u32 back) f(.param .u32 x) { .reg .u32 %%v;\n"
	"ld.param.u32 %%v, [x]; st.param.u32 [back], %%v; ret; }\n"
	".entry k(.param .u64 to, .param .u32 sees, .param .u32 given) {\n"
	".local .align 8 .u32 l[4];\n"
	".reg .u32 %%r<9>; .reg .u64 %%to; .reg .pred %%p<3>;\n"
	"ld.param.u64 %%to, [to]; ld.param.u32 %%r1, [sees];\n"
	"mov.u32 %%r2, %%tid.x; mad.wide.u32 %%to, %%r2, 4, %%to;\n"
	"shr.b32 %%r1, %%r1, %%r2; and.b32 %%r1, %%r1, 1;\n"
	"setp.ne.u32 %%p1, %%r1, 0; mul.lo.u32 %%r3, %%r2, 7;\n"
	"st.shared.u32 [s+8], 90; mul.lo.u32 %%r4, %%r2, 1000;\n"
	"st.local.u32 [l+8], %%r4; bar.sync 0;\n"
	"%s\n"
	"st.u32 [%%to], %%r3; ret; }";

static const struct {
	const char *load;
	uint32_t base, each; /* what lane i gets: base + i * each */
	enum ptx_result result;
} loads[] = {
	{"@%p1 ld.param.u32 %r3, [given];", 5, 0, PTX_OK},
	{"@%p1 ld.global.u32 %r3, [g+8];", 30, 0, PTX_OK},
	{"@%p1 ld.const.u32 %r3, [c+12];", 80, 0, PTX_OK},
	{"@%p1 ld.const.v2.u32 {%r5, %r3}, [c];", 60, 0, PTX_OK},
	{"@%p1 ld.shared.u32 %r3, [s+8];", 90, 0, PTX_OK},
	{"@%p1 ld.local.u32 %r3, [l+8];", 0, 1000, PTX_OK},
	{"{ .param .u32 a; .param .u32 b; st.param.u32 [a], %r4; "
	 "call (b), f, (a); @%p1 ld.param.u32 %r3, [b]; }",
	 0, 1000, PTX_OK},
	{"@%p1 ld.global.u32 %r3, [g+2];", 0, 0, PTX_MISALIGNED},
	{"@%p1 ld.global.v2.u32 {%r3, %r5}, [g+4];", 0, 0, PTX_MISALIGNED},
	{"@%p1 ld.shared.u32 %r3, [s+8192];", 0, 0, PTX_ILLEGAL_ADDRESS},
};

static void check(const struct ptx_module *module, int which, uint32_t sees)
{
	uint32_t have[LANES] = {0}, *to = have, given = 5;
	struct ptx_launch launch = {.grid = {1, 1, 1},
				    .block = {LANES, 1, 1},
				    .args = (void *[]){&to, &sees, &given}};
	struct ptx_error error;

	ck_assert_int_eq(run_kernel(module, "k", launch, &error),
			 loads[which].result);
	for (uint32_t i = 0; i < LANES && !loads[which].result; i++) {
		uint32_t wanted = sees >> i & 1 ? loads[which].base +
							  i * loads[which].each
						: i * 7;

		ck_assert_msg(have[i] == wanted, "%s lane %u: %u, not %u",
			      loads[which].load, i, have[i], wanted);
	}
}

START_TEST(what_is_the_same_goes_to_the_lanes_that_load_it)
{
	const uint32_t seen[] = {UINT32_MAX, 0xff, 0x80000000, 0x5, 0xaaaaaaaa};
	struct ptx_error error;
	struct ptx_module *module;
	char text[2048];

	snprintf(text, sizeof(text), frame, loads[_i].load);
	module = ptx_parse(text, strlen(text), &error);
	ck_assert_msg(module, "%u: %s", error.line, error.text);
	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
		check(module, _i, seen[i]);
	ptx_module_free(module);
}
END_TEST

int main(void)
{
	const struct loop_test tests[] = {
		{what_is_the_same_goes_to_the_lanes_that_load_it,
		 sizeof(loads) / sizeof(loads[0])},
		{NULL, 0},
	};

	return loops_run("ptx_fixed", tests);
}
