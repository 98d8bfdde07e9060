/* Matrices that are loaded into the registers that say where they are. */
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

static void load(const char *how, uint32_t to[LANES * COUNT])
{
	struct ptx_launch launch = {.grid = {1, 1, 1},
				    .block = {LANES, 1, 1},
				    .args = (void *[]){&to}};
	struct ptx_error error;
	struct ptx_module *module;
	enum ptx_result result;
	char text[2048];

	snprintf(text, sizeof(text), "%s%s%s", BEGIN, how, END);
	module = ptx_parse(text, strlen(text), &error);
	ck_assert_msg(module, "%u: %s", error.line, error.text);
	result = run_kernel(module, "k", launch, &error);
	ck_assert_msg(result == PTX_OK, "%u: %s", error.line, error.text);
	ptx_module_free(module);
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

int main(void)
{
	const struct loop_test tests[] = {
		{a_matrix_may_replace_its_address,
		 sizeof(loads) / sizeof(loads[0])},
		{NULL, 0},
	};

	return loops_run("ptx_matrix", tests);
}
