/* Lanes of a warp that touch memory in one operation, wherever they do it, and
 * that compare numbers: each has its own result. */
#include <math.h>
#include <stdio.h>

#include "ptx_run.h"

enum { LANES = 32, MEMORY = 4096 };

/* %rd1: where the lane's bytes are in the space `memory`, by generic address
 * %rd2; %rd3: where the results go, MEMORY bytes for each lane. */
static const char frame[] =
	".version 8.7\n.target sm_90\n.address_size 64\n"
	".shared .align 16 .b8 s[4096];\n"
	".entry k(.param .u64 offsets, .param .u64 from, .param .u64 to) {\n"
	".local .align 16 .b8 l[4096];\n"
	".reg .u16 %%h<9>; .reg .u32 %%r<9>; .reg .u64 %%rd<20>;\n"
	".reg .pred %%p<9>;\n"
	"mov.u32 %%r1, %%tid.x;\n"
	"ld.param.u64 %%rd1, [offsets]; mad.wide.u32 %%rd1, %%r1, 8, %%rd1;\n"
	"ld.u64 %%rd1, [%%rd1]; ld.param.u64 %%rd4, [from];\n"
	"ld.param.u64 %%rd3, [to]; mad.wide.u32 %%rd3, %%r1, 4096, %%rd3;\n"
	"%s\n" /* to %rd5: the memory's address; to %rd2: its generic one */
	"mov.u64 %%rd6, 0;\n"
	"FILL: add.u64 %%rd7, %%rd4, %%rd6; ld.u64 %%rd8, [%%rd7];\n"
	"add.u64 %%rd7, %%rd2, %%rd6; st.u64 [%%rd7], %%rd8;\n"
	"add.u64 %%rd6, %%rd6, 8; setp.lt.u64 %%p1, %%rd6, 4096;\n"
	"@%%p1 bra FILL; bar.sync 0;\n"
	"add.u64 %%rd5, %%rd5, %%rd1; cvt.u32.u64 %%r5, %%rd5;\n"
	"%s bar.sync 0; mov.u64 %%rd6, 0;\n"
	"BACK: add.u64 %%rd7, %%rd2, %%rd6; ld.u64 %%rd8, [%%rd7];\n"
	"add.u64 %%rd7, %%rd3, %%rd6; st.u64 [%%rd7], %%rd8;\n"
	"add.u64 %%rd6, %%rd6, 8; setp.lt.u64 %%p1, %%rd6, 4096;\n"
	"@%%p1 bra BACK; %s ret; }";

static const struct {
	const char *name, *address, *prepare;
	bool own; /* each lane has its own memory */
} spaces[] = {
	{".global", "%rd5", "mov.u64 %rd5, %rd4; mov.u64 %rd2, %rd4;", false},
	{"", "%rd5", "mov.u64 %rd5, %rd4; mov.u64 %rd2, %rd4;", false},
	{".shared", "%rd5",
	 "mov.u64 %rd5, s; add.u64 %rd5, %rd5, 0; cvta.shared.u64 %rd2, %rd5;",
	 false},
	{".shared", "%r5", "mov.u64 %rd5, s; cvta.shared.u64 %rd2, %rd5;",
	 false},
	{"", "%rd5",
	 "mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; "
	 "mov.u64 %rd2, %rd5;",
	 false},
	{".local", "%rd5", "mov.u64 %rd5, l; cvta.local.u64 %rd2, %rd5;", true},
	{"", "%rd5",
	 "mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; "
	 "mov.u64 %rd2, %rd5;",
	 true},
};

/* What is loaded goes to %rd9; what is stored comes from there. */
static const struct {
	const char *type, *registers;
	const char *load, *store; /* between %rd9 and the registers */
	size_t bytes;
	bool has_sign;
} kinds[] = {
	{"u8", "%h1", "cvt.u64.u16 %rd9, %h1;", "cvt.u16.u64 %h1, %rd9;", 1,
	 false},
	{"s8", "%r2", "cvt.s64.s32 %rd9, %r2;", "cvt.u32.u64 %r2, %rd9;", 1,
	 true},
	{"u16", "%rd9", "", "", 2, false},
	{"s32", "%rd9", "", "", 4, true},
	{"b32", "%r2", "cvt.u64.u32 %rd9, %r2;", "cvt.u32.u64 %r2, %rd9;", 4,
	 false},
	{"u64", "%rd9", "", "", 8, false},
	{"v2.u32", "{%r2, %r3}", "mov.b64 %rd9, {%r2, %r3};",
	 "mov.b64 {%r2, %r3}, %rd9;", 8, false},
};

static uint64_t offset_of(int pattern, uint64_t lane, uint64_t bytes)
{
	switch (pattern) {
	case 0:
		return 64; /* the same for all */
	case 1:
		return lane * bytes;
	case 2:
		return lane * bytes * 3 + 8 * bytes;
	case 3:
		return (31 - lane) * bytes;
	case 4:
		return lane * 7 % 32 * bytes;
	case 5:
		return lane == 17 ? 0 : lane * bytes;
	case 6:
		return lane == 31 ? 0 : lane * bytes; /* the last one only */
	case 7:
		return lane / 4 * bytes;
	case 8:
		return (lane % 16 + lane / 16 * 20) * bytes;
	case 9:
		return (lane % 8 * 2 + (3 - lane / 8) * 16) * bytes;
	case 10:
		return lane / 8 * bytes; /* the same for the lanes of a row */
	default:
		/* One row is otherwise than those before. */
		return (lane / 8 * 8 + lane % 8 * (lane / 24 + 1)) * bytes;
	}
}
enum { PATTERNS = 12 };

/* What is before and behind it must not be touched. */
static unsigned char surroundings[3][MEMORY], *const memory = surroundings[1];
static unsigned char views[LANES][MEMORY];
static uint64_t offsets[LANES], results[LANES];

static enum ptx_result run(int space, const char *operation, const char *after,
			   unsigned int threads)
{
	uint64_t *at = offsets;
	unsigned char *from = memory, (*to)[MEMORY] = views;
	struct ptx_launch launch = {
		.grid = {1, 1, 1},
		.block = {threads, 1, 1},
		.args = (void *[]){&at, &from, &to},
	};
	struct ptx_error error;
	struct ptx_module *module;
	enum ptx_result result;
	char text[4096];

	allowed[0].begin = memory, allowed[0].size = MEMORY;
	allowed[1].begin = views, allowed[1].size = sizeof(views);
	allowed[2].begin = offsets, allowed[2].size = sizeof(offsets);
	allowed_count = 3;
	snprintf(text, sizeof(text), frame, spaces[space].prepare, operation,
		 after);
	module = ptx_parse(text, strlen(text), &error);
	ck_assert_msg(module, "%u: %s\n%s", error.line, error.text, text);
	result = run_kernel(module, "k", launch, &error);
	ptx_module_free(module);
	return result;
}

static void memory_fill(void)
{
	for (int i = 0; i < MEMORY; i++)
		memory[i] = (unsigned char)(i * 167 + i / 256 * 29);
}

/* The load's result is stored over the first 8 bytes of a lane's view. */
static enum ptx_result load(int space, int kind, unsigned int threads)
{
	char operation[256];
	enum ptx_result result;

	snprintf(operation, sizeof(operation), "ld%s.%s %s, [%s]; %s",
		 spaces[space].name, kinds[kind].type, kinds[kind].registers,
		 spaces[space].address, kinds[kind].load);
	result = run(space, operation, "st.u64 [%rd3], %rd9;", threads);
	for (unsigned int i = 0; i < threads; i++)
		memcpy(&results[i], views[i], sizeof(results[i]));
	return result;
}

static uint64_t expected(int kind, uint64_t offset)
{
	unsigned int shift = 64 - 8 * (unsigned int)kinds[kind].bytes;
	uint64_t value = 0;

	memcpy(&value, memory + offset, kinds[kind].bytes);
	return kinds[kind].has_sign
		       ? (uint64_t)((int64_t)(value << shift) >> shift)
		       : value;
}

START_TEST(each_lane_loads_from_its_place)
{
	size_t count = sizeof(kinds) / sizeof(kinds[0]);

	memory_fill();
	for (int kind = 0; kind < (int)count; kind++) {
		for (int k = 0; k < 2 * PATTERNS; k++) {
			unsigned int threads = k & 1 ? 32 : 21;

			for (uint64_t i = 0; i < LANES; i++)
				offsets[i] =
					offset_of(k / 2, i, kinds[kind].bytes);
			ck_assert_int_eq(load(_i, kind, threads), PTX_OK);
			for (unsigned int i = 0; i < threads; i++)
				ck_assert_msg(
					results[i] ==
						expected(kind, offsets[i]),
					"%s pattern %d lane %u: %llx",
					kinds[kind].type, k / 2, i,
					(unsigned long long)results[i]);
		}
	}
}
END_TEST

/* Of lanes that store to one place, the last is seen. */
START_TEST(each_lane_stores_to_its_place)
{
	static unsigned char wanted[LANES][MEMORY];
	size_t count = sizeof(kinds) / sizeof(kinds[0]);
	char operation[256];

	for (int kind = 0; kind < (int)count; kind++) {
		size_t bytes = kinds[kind].bytes;

		snprintf(operation, sizeof(operation),
			 "cvt.u64.u32 %%rd9, %%r1; mad.lo.u64 %%rd9, %%rd9, "
			 "0x0123456789abcdef, 5; %s st%s.%s [%s], %s;",
			 kinds[kind].store, spaces[_i].name, kinds[kind].type,
			 spaces[_i].address, kinds[kind].registers);
		for (int k = 0; k < 2 * PATTERNS; k++) {
			unsigned int threads = k & 1 ? 32 : 21;

			memory_fill();
			for (int i = 0; i < LANES; i++)
				memcpy(wanted[i], memory, MEMORY);
			for (uint64_t i = 0; i < LANES; i++)
				offsets[i] = offset_of(k / 2, i, bytes);
			for (uint64_t i = 0; i < threads; i++) {
				uint64_t x = i * 0x0123456789abcdef + 5;

				for (unsigned int v = 0; v < threads; v++)
					if (v == i || !spaces[_i].own)
						memcpy(wanted[v] + offsets[i],
						       &x, bytes);
			}
			ck_assert_int_eq(run(_i, operation, "", threads),
					 PTX_OK);
			for (unsigned int i = 0; i < threads; i++)
				ck_assert_msg(
					!memcmp(views[i], wanted[i], MEMORY),
					"%s pattern %d lane %u",
					kinds[kind].type, k / 2, i);
		}
	}
}
END_TEST

/* Also where the lanes are evenly apart, and where that wraps around. */
START_TEST(no_lane_goes_beyond_its_memory)
{
	static const struct {
		uint64_t first, step;
		enum ptx_result result;
	} wrong[] = {
		{MEMORY - 31 * 4, 4, PTX_ILLEGAL_ADDRESS},
		{MEMORY, 0, PTX_ILLEGAL_ADDRESS},
		{0, (uint64_t)-4, PTX_ILLEGAL_ADDRESS},
		{0, (UINT64_MAX / 31 & ~UINT64_C(7)) + 8, PTX_ILLEGAL_ADDRESS},
		{0, UINT64_C(1) << 47, PTX_ILLEGAL_ADDRESS},
		{0, UINT64_C(1) << 48, PTX_ILLEGAL_ADDRESS},
		{0, 1 << 27, PTX_ILLEGAL_ADDRESS},
		{(uint64_t)-64, 4, PTX_ILLEGAL_ADDRESS},
		{1, 4, PTX_MISALIGNED},
		{0, 6, PTX_MISALIGNED},
		{2, 0, PTX_MISALIGNED},
	};
	bool narrow = !strcmp(spaces[_i].address, "%r5");

	memory_fill();
	for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
		/* There is nothing above 32 bits of a narrow address. */
		if (narrow && wrong[k].step >= UINT64_C(1) << 47 &&
		    !(uint32_t)wrong[k].step)
			continue;
		for (uint64_t i = 0; i < LANES; i++)
			offsets[i] = wrong[k].first + i * wrong[k].step;
		for (int full = 0; full < 2; full++) {
			enum ptx_result result = load(_i, 4, full ? 32 : 30);

			/* The last lane does what the others may not. */
			if (!full && !k)
				ck_assert_int_eq(result, PTX_OK);
			else
				ck_assert_msg(result == wrong[k].result,
					      "%zu: %d", k, (int)result);
		}
	}
}
END_TEST

/* Others than the one that goes beyond its memory are within theirs. */
START_TEST(no_row_of_lanes_goes_beyond_its_memory)
{
	static const uint64_t wrong[] = {MEMORY - 28, MEMORY, (uint64_t)-16,
					 (uint64_t)-32};

	memory_fill();
	for (uint64_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++)
		for (uint64_t row = 0; row < LANES / 8; row++) {
			for (uint64_t i = 0; i < LANES; i++)
				offsets[i] = i % 8 * 4 +
					     (i / 8 == row ? wrong[k] : 0);
			ck_assert_int_eq(load(_i, 4, LANES),
					 PTX_ILLEGAL_ADDRESS);
		}
}
END_TEST

/* clang-format off */
#define COMPARED(t, type) \
	static bool is_##t(const char *how, uint64_t a, uint64_t b) \
	{ \
		type x, y; \
		bool nan; \
		\
		memcpy(&x, &a, sizeof(x)); \
		memcpy(&y, &b, sizeof(y)); \
		nan = x != x || y != y; \
		if (!strcmp(how, "eq")) return !nan && x == y; \
		if (!strcmp(how, "ne")) return !nan && x != y; \
		if (!strcmp(how, "lt")) return !nan && x < y; \
		if (!strcmp(how, "le")) return !nan && x <= y; \
		if (!strcmp(how, "gt")) return !nan && x > y; \
		if (!strcmp(how, "ge")) return !nan && x >= y; \
		if (!strcmp(how, "equ")) return nan || x == y; \
		if (!strcmp(how, "neu")) return nan || x != y; \
		if (!strcmp(how, "ltu")) return nan || x < y; \
		if (!strcmp(how, "leu")) return nan || x <= y; \
		if (!strcmp(how, "gtu")) return nan || x > y; \
		if (!strcmp(how, "geu")) return nan || x >= y; \
		return !strcmp(how, "num") ? !nan : nan; \
	}
COMPARED(u16, uint16_t)
COMPARED(s16, int16_t)
COMPARED(u32, uint32_t)
COMPARED(s32, int32_t)
COMPARED(u64, uint64_t)
COMPARED(s64, int64_t)
COMPARED(f32, float)
COMPARED(f64, double)
/* clang-format on */

static const struct {
	const char *type, *registers;
	size_t bytes;
	bool (*is)(const char *how, uint64_t a, uint64_t b);
} compared[] = {
	{"u16", "h", 2, is_u16},  {"s16", "h", 2, is_s16},
	{"u32", "r", 4, is_u32},  {"s32", "r", 4, is_s32},
	{"u64", "rd", 8, is_u64}, {"s64", "rd", 8, is_s64},
	{"f32", "f", 4, is_f32},  {"f64", "d", 8, is_f64},
};

/* Numbers of a kind, some of them equal, some negative, some no number. */
static uint64_t number(int kind, uint64_t n)
{
	static const double reals[] = {0, 1, -1, 2.5, -3, NAN, INFINITY, -0.0};
	bool is_real = kind >= 6;
	float single = (float)reals[n % 8];
	double real = reals[n % 8];
	uint64_t bits = 0;

	if (!is_real)
		return (n % 8 - 4) * UINT64_C(0x0001000100010001);
	if (kind == 6)
		memcpy(&bits, &single, sizeof(single));
	else
		memcpy(&bits, &real, sizeof(real));
	return bits;
}

START_TEST(each_lane_compares_its_numbers)
{
	static const char *const hows[] = {"eq",  "ne",  "lt",  "le",  "gt",
					   "ge",  "equ", "neu", "ltu", "leu",
					   "gtu", "geu", "num", "nan"};
	static const char text[] =
		".version 8.7\n.target sm_90\n.address_size 64\n"
		".entry k(.param .u64 a, .param .u64 b, .param .u64 to) {\n"
		".reg .u16 %%h<9>; .reg .u32 %%r<9>; .reg .u64 %%rd<9>;\n"
		".reg .f32 %%f<9>; .reg .f64 %%d<9>; .reg .pred %%p<9>;\n"
		"mov.u32 %%r1, %%tid.x; ld.param.u64 %%rd1, [a];\n"
		"ld.param.u64 %%rd2, [b]; ld.param.u64 %%rd3, [to];\n"
		"mad.wide.u32 %%rd1, %%r1, 8, %%rd1;\n"
		"mad.wide.u32 %%rd2, %%r1, 8, %%rd2;\n"
		"mad.wide.u32 %%rd3, %%r1, 8, %%rd3;\n"
		"ld.%s %%%s7, [%%rd1]; ld.%s %%%s8, [%%rd2];\n"
		"setp.%s.%s %%p1, %%%s7, %%%s8;\n"
		"selp.u64 %%rd4, 1, 0, %%p1; st.u64 [%%rd3], %%rd4; ret; }";
	const char *type = compared[_i].type, *reg = compared[_i].registers;
	uint64_t a[64], b[64], to[64];
	uint64_t *args[] = {a, b, to};
	struct ptx_launch launch = {
		.grid = {1, 1, 1},
		.block = {64, 1, 1},
		.args = (void *[]){&args[0], &args[1], &args[2]},
	};
	int count = _i >= 6 ? 14 : 6;

	allowed_count = 0;
	for (uint64_t i = 0; i < 64; i++) {
		a[i] = number(_i, i);
		b[i] = number(_i, i / 8);
	}
	for (int how = 0; how < count; how++) {
		struct ptx_module *module;
		struct ptx_error error;
		char made[2048];

		snprintf(made, sizeof(made), text, type, reg, type, reg,
			 hows[how], type, reg, reg);
		module = ptx_parse(made, strlen(made), &error);
		ck_assert_msg(module, "%s", error.text);
		ck_assert_int_eq(run_kernel(module, "k", launch, &error),
				 PTX_OK);
		for (int i = 0; i < 64; i++)
			ck_assert_msg(
				to[i] == compared[_i].is(hows[how], a[i], b[i]),
				"%s.%s lane %d", hows[how], type, i);
		ptx_module_free(module);
	}
}
END_TEST

static uint64_t shifted(char how, uint64_t x, uint32_t by, unsigned int bits)
{
	uint64_t ones = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	bool negative = how == 's' && x >> (bits - 1) & 1;

	for (; by && how == 'l'; by--)
		x = x << 1 & ones;
	for (; by && how != 'l'; by--)
		x = x >> 1 | (uint64_t)negative << (bits - 1);
	return x;
}

static const struct {
	const char *name, *registers, *moved;
	char how;
	unsigned int bits;
} shifts[] = {
	{"shl.b32", "r", "u32", 'l', 32},  {"shr.u32", "r", "u32", 'u', 32},
	{"shr.s32", "r", "u32", 's', 32},  {"shl.b64", "rd", "u64", 'l', 64},
	{"shr.u64", "rd", "u64", 'u', 64}, {"shr.s64", "rd", "u64", 's', 64},
};

/* By the same amount and by different ones, also of more bits than there are.
 * Each third lane is left out. */
START_TEST(each_lane_shifts_its_number)
{
	static const char text[] =
		".version 8.7\n.target sm_90\n.address_size 64\n"
		".entry k(.param .u64 a, .param .u64 b, .param .u64 to) {\n"
		".reg .u32 %%r<9>; .reg .u64 %%rd<9>; .reg .pred %%p<9>;\n"
		"mov.u32 %%r1, %%tid.x; ld.param.u64 %%rd1, [a];\n"
		"ld.param.u64 %%rd2, [b]; ld.param.u64 %%rd3, [to];\n"
		"mad.wide.u32 %%rd1, %%r1, 8, %%rd1;\n"
		"mad.wide.u32 %%rd2, %%r1, 4, %%rd2;\n"
		"mad.wide.u32 %%rd3, %%r1, 8, %%rd3;\n"
		"ld.%s %%%s7, [%%rd1]; ld.u32 %%r8, [%%rd2];\n"
		"rem.u32 %%r2, %%r1, 3; setp.ne.u32 %%p1, %%r2, 0;\n"
		"@%%p1 %s %%%s7, %%%s7, %%r8; st.%s [%%rd3], %%%s7; ret; }";
	static const uint32_t amounts[] = {0, 3, 31, 32, 63, 64, 70};
	size_t count = sizeof(amounts) / sizeof(amounts[0]);
	uint64_t a[LANES], to[LANES] = {0};
	uint32_t b[LANES];
	void *args[] = {a, b, to};
	struct ptx_launch launch = {
		.grid = {1, 1, 1},
		.args = (void *[]){&args[0], &args[1], &args[2]},
	};
	const char *reg = shifts[_i].registers, *moved = shifts[_i].moved;
	struct ptx_module *module;
	struct ptx_error error;
	char made[2048];

	allowed_count = 0;
	snprintf(made, sizeof(made), text, moved, reg, shifts[_i].name, reg,
		 reg, moved, reg);
	module = ptx_parse(made, strlen(made), &error);
	ck_assert_msg(module, "%s", error.text);
	for (size_t k = 0; k <= count; k++) {
		for (unsigned int i = 0; i < LANES; i++) {
			a[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
			if (shifts[_i].bits == 32)
				a[i] >>= 32;
			b[i] = amounts[k < count ? k : i % count];
		}
		launch.block[1] = launch.block[2] = 1;
		launch.block[0] = k & 1 ? 32 : 19;
		ck_assert_int_eq(run_kernel(module, "k", launch, &error),
				 PTX_OK);
		for (unsigned int i = 0; i < launch.block[0]; i++)
			ck_assert_msg(to[i] == shifted(shifts[_i].how, a[i],
						       i % 3 ? b[i] : 0,
						       shifts[_i].bits),
				      "%s by %u, lane %u", shifts[_i].name,
				      b[i], i);
	}
	ptx_module_free(module);
}
END_TEST

int main(void)
{
	const int space_count = sizeof(spaces) / sizeof(spaces[0]);
	const struct loop_test tests[] = {
		{each_lane_loads_from_its_place, space_count},
		{each_lane_stores_to_its_place, space_count},
		{no_lane_goes_beyond_its_memory, space_count},
		{no_row_of_lanes_goes_beyond_its_memory, space_count},
		{each_lane_compares_its_numbers,
		 sizeof(compared) / sizeof(compared[0])},
		{each_lane_shifts_its_number,
		 sizeof(shifts) / sizeof(shifts[0])},
		{NULL, 0},
	};

	return loops_run("ptx_lanes", tests);
}
