#include <stdio.h>
#include <string.h>

#include "sim/ptx/ptx.h"
#include "run.h"

#define HEAD ".version 8.7\n.target sm_75\n.address_size 64\n"
#define BODY \
	"{ .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<19>;\n" \
	".reg .f32 %f<9>; .local .align 8 .b8 depot[32];\n"

enum { ROOM = 8 };

static struct ptx_use uses[ROOM];
static unsigned int elsewhere;

/* The uses of the kernel k. */
static size_t uses_of(const char *text)
{
	struct ptx_error error;
	struct ptx_module *module = ptx_parse(text, strlen(text), &error);
	size_t count;

	ck_assert_msg(module, "%u: %s", error.line, error.text);
	memset(uses, 0, sizeof(uses));
	count = ptx_kernel_uses(module, ptx_kernel_find(module, "k"), uses,
				ROOM, &elsewhere);
	for (size_t i = 0; i < count; i++)
		uses[i].variable = NULL; /* it ends with the module */
	ptx_module_free(module);
	return count;
}

static void use_is(size_t index, size_t param, size_t offset,
		   unsigned int flags)
{
	ck_assert_uint_eq(uses[index].param, param);
	ck_assert_uint_eq(uses[index].offset, offset);
	ck_assert_uint_eq(uses[index].flags, flags);
}

START_TEST(reads_and_writes_are_told_apart)
{
	size_t count = uses_of(
		HEAD ".entry k(.param .u64 a, .param .u64 b, .param .u64 n,\n"
		     ".param .u64 never, .param .u64 c)" BODY
		     "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
		     "ld.param.u64 %rd3, [n]; ld.param.u64 %rd9, [c];\n"
		     "cvta.to.global.u64 %rd1, %rd1; mov.u64 %rd10, %rd9;\n"
		     "shl.b64 %rd4, %rd3, 2; add.s64 %rd5, %rd1, %rd4;\n"
		     "mad.lo.s64 %rd6, %rd3, 4, %rd2;\n"
		     "ld.global.f32 %f1, [%rd5];\n"
		     "st.global.f32 [%rd6+4], %f1;\n"
		     "atom.global.add.u32 %r1, [%rd10], 1; ret; }");

	ck_assert_uint_eq(count, 3);
	use_is(0, 0, 0, PTX_USE_READ);
	use_is(1, 1, 0, PTX_USE_WRITE);
	use_is(2, 4, 0, PTX_USE_ATOMIC);
	ck_assert_uint_eq(elsewhere, 0);
}
END_TEST

START_TEST(matrices_are_read_and_written)
{
	size_t count =
		uses_of(HEAD ".entry k(.param .u64 a, .param .u64 b)" BODY
			     "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
			     "wmma.load.a.sync.aligned.row.m16n16k8.tf32\n"
			     "{%r1, %r2, %r3, %r4}, [%rd1], %r5;\n"
			     "wmma.store.d.sync.aligned.row.m16n16k16.f16\n"
			     "[%rd2], {%r1, %r2, %r3, %r4}, %r5; ret; }");

	ck_assert_uint_eq(count, 2);
	use_is(0, 0, 0, PTX_USE_READ);
	use_is(1, 1, 0, PTX_USE_WRITE);
	ck_assert_uint_eq(elsewhere, 0);
}
END_TEST

START_TEST(addresses_in_structs_and_behind_addresses_are_found)
{
	size_t count = uses_of(
		HEAD ".entry k(.param .align 8 .b8 s[24])" BODY
		     "ld.param.v2.u64 {%rd1, %rd2}, [s+8];\n"
		     "ld.global.u64 %rd3, [%rd2]; st.global.u32 [%rd3], 7;\n"
		     "ld.global.u32 %r1, [%rd1]; ret; }");

	ck_assert_uint_eq(count, 2);
	use_is(0, 0, 8, PTX_USE_READ);
	use_is(1, 0, 16, PTX_USE_READ | PTX_USE_INDIRECT);
	ck_assert_uint_eq(elsewhere, PTX_USE_WRITE);
}
END_TEST

START_TEST(an_address_is_followed_through_a_loop)
{
	size_t count = uses_of(
		HEAD ".entry k(.param .u64 a)" BODY
		     "bra TEST; LOOP: st.u8 [%rd2], 0;\n"
		     "add.s64 %rd2, %rd2, 1; bra TEST2;\n"
		     "TEST: ld.param.u64 %rd1, [a]; mov.u64 %rd2, %rd1;\n"
		     "TEST2: setp.eq.u64 %p1, %rd2, 0; @%p1 bra LOOP; ret; }");

	ck_assert_uint_eq(count, 1);
	use_is(0, 0, 0, PTX_USE_WRITE);
	ck_assert_uint_eq(elsewhere, 0);
}
END_TEST

START_TEST(an_address_is_followed_into_a_function_and_back)
{
	size_t count = uses_of(
		HEAD ".func (.param .b64 r) f(.param .b64 x)" BODY
		     "ld.param.u64 %rd1, [x]; ld.u32 %r1, [%rd1];\n"
		     "add.s64 %rd2, %rd1, 8; st.param.b64 [r], %rd2; ret; }\n"
		     ".entry k(.param .u64 a)" BODY "ld.param.u64 %rd1, [a];\n"
		     "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd1;\n"
		     "call (y), f, (x); ld.param.b64 %rd2, [y]; }\n"
		     "st.u32 [%rd2], 0; ret; }");

	ck_assert_uint_eq(count, 1);
	use_is(0, 0, 0, PTX_USE_READ | PTX_USE_WRITE);
	ck_assert_uint_eq(elsewhere, 0);
}
END_TEST

START_TEST(an_address_is_followed_through_local_memory)
{
	size_t count =
		uses_of(HEAD ".entry k(.param .u64 a, .param .u64 b)" BODY
			     "ld.param.u64 %rd1, [a]; ld.param.u64 %rd7, [b];\n"
			     "mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2;\n"
			     "st.local.u64 [%rd2], %rd1; ld.u64 %rd4, [%rd3];\n"
			     "ld.u32 %r1, [%rd4]; ret; }");

	ck_assert_uint_eq(count, 1);
	use_is(0, 0, 0, PTX_USE_READ);
	ck_assert_uint_eq(elsewhere, 0);
}
END_TEST

START_TEST(an_address_that_leaves_sight_escapes)
{
	size_t count = uses_of(
		HEAD
		".extern .func g(.param .b64 x);\n"
		".global .u64 kept;\n"
		".entry k(.param .u64 a, .param .u64 b, .param .u64 c)" BODY
		"ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
		"st.global.u64 [kept], %rd1;\n"
		"{ .param .b64 x; st.param.b64 [x], %rd2;\n"
		"call g, (x); }\n"
		"ld.param.u64 %rd5, [c]; prefetch.global.L2 [%rd5];\n"
		"ret; }");

	ck_assert_uint_eq(count, 3);
	use_is(0, 0, 0, PTX_USE_ESCAPES);
	use_is(1, 1, 0, PTX_USE_ESCAPES);
	use_is(2, SIZE_MAX, 0, PTX_USE_WRITE);
}
END_TEST

START_TEST(shared_memory_is_no_use)
{
	size_t count = uses_of(
		HEAD ".extern .shared .align 16 .b8 s[];\n"
		     ".entry k(.param .u64 a)" BODY
		     "mov.u32 %r1, s; st.shared.u32 [%r1], 7;\n"
		     "cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd2, %rd1;\n"
		     "ld.u32 %r2, [%rd2]; ret; }");

	ck_assert_uint_eq(count, 0);
	ck_assert_uint_eq(elsewhere, 0);
}
END_TEST

/* Each pass over this code finds one step more. */
START_TEST(what_cannot_be_followed_counts_as_everything)
{
	static char text[1 << 20] = HEAD ".entry k(.param .u64 a, .param .u64 "
					 "b) { .reg .u64 %a<5000>;\n";
	size_t count;

	for (int i = 1; i < 4000; i++)
		sprintf(text + strlen(text), "mov.u64 %%a%d, %%a%d;\n", i,
			i + 1);
	strcat(text, "ld.param.u64 %a4000, [a]; st.u32 [%a1], 1; ret; }");
	count = uses_of(text);
	ck_assert_uint_eq(count, 2);
	ck_assert(uses[0].flags & PTX_USE_WRITE);
	ck_assert(uses[1].flags & PTX_USE_ESCAPES);
	ck_assert(elsewhere & PTX_USE_WRITE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		reads_and_writes_are_told_apart,
		matrices_are_read_and_written,
		addresses_in_structs_and_behind_addresses_are_found,
		an_address_is_followed_through_a_loop,
		an_address_is_followed_into_a_function_and_back,
		an_address_is_followed_through_local_memory,
		an_address_that_leaves_sight_escapes,
		shared_memory_is_no_use,
		what_cannot_be_followed_counts_as_everything,
		NULL,
	};

	return tests_run("ptx_uses", tests);
}
