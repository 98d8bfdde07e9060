/* Matrices: where they are loaded from, and what their numbers are. */
#include <math.h>
#include <stdio.h>

#include "ptx_run.h"

enum { LANES = 32, COUNT = 4 };

#define BEGIN \
	".version 8.7\n.target sm_90\n.address_size 64\n" \
	".entry k(.param .u64 to) { .shared .align 32 .b8 s[512];\n" \
	".reg .u32 %x, %i, %a, %d<8>; .reg .u64 %to;\n" \
	"ld.param.u64 %to, [to]; mov.u32 %x, %tid.x;\n" \
	"mad.wide.u32 %to, %x, 16, %to; mov.u32 %i, s;\n" \
	"mad.lo.u32 %i, %x, 16, %i; mul.lo.u32 %x, %x, 4096;\n" \
	"mov.u32 %d0, %x; add.u32 %d1, %x, 1; add.u32 %d2, %x, 2;\n" \
	"add.u32 %d3, %x, 3; st.shared.v4.u32 [%i], {%d0, %d1, %d2, %d3};\n" \
	"bar.sync 0;\n"
#define END "st.v4.u32 [%to], {%d0, %d1, %d2, %d3}; ret; }"

/* The same with an address and a length of rows that stay, and with others that
 * a register of the result has. */
static const struct {
	const char *apart, *same;
} loads[] = {
	{"mov.u32 %a, %i; "
	 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d0, %d1, %d2, %d3}, [%a];",
	 "mov.u32 %d0, %i; ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
	 "{%d0, %d1, %d2, %d3}, [%d0];"},
	{"mov.u32 %a, s; wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 "
	 "{%d0, %d1, %d2, %d3}, [%a], 16;",
	 "mov.u32 %d0, s; wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 "
	 "{%d0, %d1, %d2, %d3}, [%d0], 16;"},
	{"mov.u32 %a, s; wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 "
	 "{%d0, %d1, %d2, %d3}, [%a], 16;",
	 "mov.u32 %a, s; mov.u32 %d0, 16; "
	 "wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 "
	 "{%d0, %d1, %d2, %d3}, [%a], %d0;"},
};

static enum ptx_result run(const char *text, unsigned int blocks, void **args)
{
	struct ptx_launch launch = {
		.grid = {blocks, 1, 1}, .block = {LANES, 1, 1}, .args = args};
	struct ptx_error error;
	struct ptx_module *module = ptx_parse(text, strlen(text), &error);
	enum ptx_result result;

	ck_assert_msg(module, "%u: %s", error.line, error.text);
	result = run_kernel(module, "k", launch, &error);
	ptx_module_free(module);
	return result;
}

static void load(const char *how, uint32_t to[LANES * COUNT])
{
	char text[2048];

	snprintf(text, sizeof(text), "%s%s%s", BEGIN, how, END);
	ck_assert_int_eq(run(text, 1, (void *[]){&to}), PTX_OK);
}

START_TEST(a_matrix_may_replace_its_address)
{
	uint32_t wanted[LANES * COUNT] = {0}, have[LANES * COUNT] = {0};

	load(loads[_i].apart, wanted);
	load(loads[_i].same, have);
	for (int i = 0; i < LANES * COUNT; i++)
		ck_assert_msg(have[i] == wanted[i], "load %d: %d: %#x, not %#x",
			      _i, i, have[i], wanted[i]);
}
END_TEST

enum { HALVES = 1 << 16 };

/* Each block multiplies a matrix of zeros, but for a column of the number that
 * it is called by, by one with a row of ones. */
static const char products[] =
	".version 8.7\n.target sm_90\n.address_size 64\n"
	".entry k(.param .u64 to) { .reg .u32 %h, %x, %a, %b, %z;\n"
	".reg .f32 %d<4>, %c; .reg .u64 %to; .reg .pred %p;\n"
	"mov.u32 %h, %ctaid.x; mov.u32 %x, %tid.x; and.b32 %x, %x, 3;\n"
	"setp.eq.u32 %p, %x, 0; mov.u32 %z, 0; mov.f32 %c, 0f00000000;\n"
	"selp.b32 %a, %h, 0, %p; selp.b32 %b, 0x3c00, 0, %p;\n"
	"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
	"{%d0, %d1, %d2, %d3}, {%a, %a}, {%b}, {%c, %c, %c, %c};\n"
	"ld.param.u64 %to, [to]; mad.wide.u32 %to, %h, 4, %to;\n"
	"st.f32 [%to], %d0; ret; }";

/* By the definition of the format. */
static float half_is(unsigned int half)
{
	int exponent = half >> 10 & 31, fraction = half & 1023;
	double size = exponent ? ldexp(1024 + fraction, exponent - 25)
			       : ldexp(fraction, -24);

	if (exponent == 31)
		size = fraction ? NAN : INFINITY;
	return (float)(half & 0x8000 ? -size : size);
}

START_TEST(each_half_is_the_number_that_it_should_be)
{
	static float have[HALVES];
	float *to = have;

	ck_assert_int_eq(run(products, HALVES, (void *[]){&to}), PTX_OK);
	for (unsigned int i = 0; i < HALVES; i++) {
		float wanted = half_is(i);
		uint32_t bits;

		memcpy(&bits, &have[i], sizeof(bits));
		ck_assert_msg(isnan(wanted) ? (bits & INT32_MAX) == 0x7fc00000
					    : have[i] == wanted,
			      "%#x: %a, not %a", i, (double)have[i],
			      (double)wanted);
	}
}
END_TEST

enum { SIDE = 16, APART = 24, HALF = SIDE * APART / 2 };

/* Copies a matrix whose rows, or columns, are 24 numbers apart. */
static const char copies[] =
	".version 8.7\n.target sm_90\n.address_size 64\n"
	".entry k(.param .u64 from, .param .u64 to) { .reg .u64 %%a, %%b;\n"
	".reg .b32 %%r<4>; ld.param.u64 %%a, [from]; ld.param.u64 %%b, [to];\n"
	"wmma.load.c.sync.aligned.%s.m16n16k16.f16 {%%r0, %%r1, %%r2, %%r3}, "
	"[%%a], 24; wmma.store.d.sync.aligned.%s.m16n16k16.f16 [%%b], "
	"{%%r0, %%r1, %%r2, %%r3}, 24; ret; }";

/* Rows are in two pieces of memory, and only numbers of the matrix have to be
 * there. `last` is how many of the last row's numbers are. */
static enum ptx_result copy_parts(bool by_columns, unsigned int last,
				  uint16_t *to)
{
	static uint16_t from[SIDE * APART];
	const char *order = by_columns ? "col" : "row";
	uint16_t *begin = from;
	enum ptx_result result;
	char text[1024];

	for (unsigned int i = 0; i < SIDE * APART; i++)
		from[i] = (uint16_t)(i + 1);
	memset(to, 0, sizeof(from));
	snprintf(text, sizeof(text), copies, order, order);
	allowed[0].begin = from;
	allowed[0].size = (HALF - (APART - SIDE)) * sizeof(*from);
	allowed[1].begin = from + HALF;
	allowed[1].size = (HALF - APART + last) * sizeof(*from);
	allowed[2].begin = to;
	allowed[2].size = sizeof(from);
	allowed_count = 3;
	result = run(text, 1, (void *[]){&begin, &to});
	allowed_count = 0;
	return result;
}

START_TEST(only_what_is_in_a_matrix_is_touched)
{
	uint16_t to[SIDE * APART];
	bool by_columns = _i;

	ck_assert_int_eq(copy_parts(by_columns, SIDE, to), PTX_OK);
	for (unsigned int i = 0; i < SIDE * APART; i++)
		ck_assert_uint_eq(to[i], i % APART < SIDE ? i + 1 : 0);
	ck_assert_int_eq(copy_parts(by_columns, SIDE - 2, to),
			 PTX_ILLEGAL_ADDRESS);
}
END_TEST

int main(void)
{
	const struct loop_test tests[] = {
		{a_matrix_may_replace_its_address,
		 sizeof(loads) / sizeof(loads[0])},
		{each_half_is_the_number_that_it_should_be, 1},
		{only_what_is_in_a_matrix_is_touched, 2},
		{NULL, 0},
	};

	return loops_run("ptx_matrix", tests);
}
