#include <string.h>

#include "sim/ptx/ptx.h"
#include "run.h"

#define HEAD ".version 8.7\n.target sm_90a, debug\n.address_size 64\n"

static struct ptx_module *parse(const char *text)
{
	struct ptx_error error;
	struct ptx_module *module = ptx_parse(text, strlen(text), &error);

	ck_assert_msg(module, "%u: %s", error.line, error.text);
	return module;
}

START_TEST(version_and_target_are_told)
{
	struct ptx_module *module = parse(HEAD);
	struct ptx_version version = ptx_module_version(module);

	ck_assert_uint_eq(version.major, 8);
	ck_assert_uint_eq(version.minor, 7);
	ck_assert_uint_eq(version.target, 90);
	ptx_module_free(module);
}
END_TEST

START_TEST(parameters_have_places)
{
	struct ptx_module *module =
		parse(HEAD ".visible .entry k(.param .u8 a,\n"
			   ".param .u64 .ptr .global .align 1 b,\n"
			   "\t.param .align 4 .b8 c[12], .param .f64 d)\n"
			   ".maxntid 64, 2\n.minnctapersm 1\n{ ret; }");
	const struct ptx_kernel *kernel = ptx_kernel_find(module, "k");
	static const size_t places[] = {0, 8, 16, 32};
	static const size_t sizes[] = {1, 8, 12, 8};
	static const enum ptx_param_kind kinds[] = {
		PTX_PARAM_INTEGER, PTX_PARAM_INTEGER, PTX_PARAM_BYTES,
		PTX_PARAM_FLOAT};

	ck_assert_ptr_nonnull(kernel);
	ck_assert_uint_eq(kernel->param_count, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(kernel->params[i].offset, places[i]);
		ck_assert_uint_eq(kernel->params[i].size, sizes[i]);
		ck_assert_int_eq(kernel->params[i].kind, kinds[i]);
	}
	ck_assert_uint_eq(kernel->param_bytes, 40);
	ck_assert_uint_eq(kernel->max_threads[0], 64);
	ck_assert_uint_eq(kernel->max_threads[1], 2);
	ck_assert_uint_eq(kernel->max_threads[2], 1);
	ck_assert(!kernel->exact_threads);
	ptx_module_free(module);
}
END_TEST

START_TEST(variables_have_first_contents)
{
	struct ptx_module *module = parse(
		HEAD ".const .align 4 .b8 bytes[8] = {1, 2, 0xff};\n"
		     ".global .f32 real = 0f3F800000;\n"
		     ".global .attribute(.managed) .align 8 .f64 pi = 1.5;\n"
		     ".global .s32 many[] = {-1, 2, 3};\n"
		     ".extern .global .u64 other;\n");
	static const unsigned char bytes[8] = {1, 2, 0xff};
	static const int32_t many[] = {-1, 2, 3};
	const struct ptx_variable *at = ptx_variable_find(module, "bytes");
	float real = 1;
	double pi = 1.5;

	ck_assert_uint_eq(ptx_variable_count(module), 5);
	ck_assert(at->constant && !at->managed);
	ck_assert_uint_eq(at->size, sizeof(bytes));
	ck_assert_mem_eq(at->data, bytes, sizeof(bytes));
	at = ptx_variable_find(module, "real");
	ck_assert_mem_eq(at->data, &real, sizeof(real));
	at = ptx_variable_find(module, "pi");
	ck_assert(at->managed && !at->constant);
	ck_assert_mem_eq(at->data, &pi, sizeof(pi));
	at = ptx_variable_find(module, "many");
	ck_assert_uint_eq(at->size, sizeof(many));
	ck_assert_mem_eq(at->data, many, sizeof(many));
	at = ptx_variable_find(module, "other");
	ck_assert(at->external && !at->data);
	ck_assert_uint_eq(at->size, 8);
	ptx_module_free(module);
}
END_TEST

START_TEST(addresses_in_first_contents_are_listed)
{
	struct ptx_module *module =
		parse(HEAD ".global .b8 s[3] = {97, 98};\n"
			   ".func f() { ret; }\n"
			   ".global .u64 list[4] = {7, generic(s), s+2, f};\n"
			   ".global .u64 far = generic(s+9223372036854775807)"
			   "+9223372036854775807;\n"
			   ".global .b8 cut[2] = {0xFF(s), 0xFF00(s)};\n");
	const struct ptx_variable *list = ptx_variable_find(module, "list");
	const struct ptx_variable *cut = ptx_variable_find(module, "cut");
	const struct ptx_variable *s = ptx_variable_find(module, "s");
	static const uint64_t numbers[4] = {7};

	ck_assert_mem_eq(list->data, numbers, sizeof(numbers));
	ck_assert_uint_eq(list->address_count, 3);
	ck_assert_ptr_eq(list->addresses[0].variable, s);
	ck_assert_uint_eq(list->addresses[0].place, 8);
	ck_assert_uint_eq(list->addresses[0].bytes, 8);
	ck_assert_int_eq(list->addresses[1].addend, 2);
	ck_assert_ptr_null(list->addresses[2].variable);
	ck_assert_str_eq(list->addresses[2].function, "f");
	ck_assert_uint_ne(ptx_function_address(module, "f"), 0);
	ck_assert_uint_eq(cut->addresses[1].bytes, 1);
	ck_assert_uint_eq(cut->addresses[1].shift, 8);
	ptx_module_free(module);
}
END_TEST

/* As texts are that were linked: each has its own s and f. */
START_TEST(what_is_not_linked_is_there_once_for_each_text)
{
	struct ptx_module *module =
		parse(HEAD ".global .u32 s = 1;\n.extern .global .u32 x;\n"
			   ".weak .func w() { ret; }\n.func f() { ret; }\n"
			   ".visible .func v();\n.visible .func v() { ret; }\n"
			   ".global .u64 first[2] = {s, f};\n" HEAD
			   ".global .u32 s = 2;\n.visible .global .u32 x = 3;\n"
			   ".weak .func w() { ret; }\n.func f();\n"
			   ".func f() { ret; }\n.extern .func v();\n"
			   ".global .u64 second[2] = {s, f};\n"
			   ".entry k() { .global .u32 s; ret; }\n");
	const struct ptx_variable *first = ptx_variable_find(module, "first");
	const struct ptx_variable *second = ptx_variable_find(module, "second");
	const struct ptx_variable *mine = first->addresses[0].variable;
	const struct ptx_variable *other = second->addresses[0].variable;

	ck_assert_ptr_eq(mine, ptx_variable_find(module, "s"));
	ck_assert_int_eq(*(const int *)mine->data, 1);
	ck_assert_int_eq(*(const int *)other->data, 2);
	ck_assert_ptr_eq(other, ptx_variable_find(module, other->name));
	ck_assert_uint_eq(ptx_variable_count(module), 7);
	ck_assert_uint_ne(
		ptx_function_address(module, first->addresses[1].function),
		ptx_function_address(module, second->addresses[1].function));
	ptx_module_free(module);
}
END_TEST

START_TEST(a_switch_may_have_thousands_of_cases)
{
	static char text[100000] = HEAD ".entry k() { .reg .u32 r; L:"
					"T: .branchtargets L";
	struct ptx_module *module;

	for (int i = 0; i < 5000; i++)
		strcat(text, ", L");
	strcat(text, "; brx.idx r, T; }");
	module = parse(text);
	ck_assert(ptx_can_run(module, ptx_kernel_find(module, "k"), NULL));
	ptx_module_free(module);
}
END_TEST

/* The name of a register is looked up by each number at its end. */
START_TEST(a_name_of_many_digits_takes_little)
{
	enum { DIGITS = 300000 };
	char *text = calloc(1, DIGITS + 1000);
	struct ptx_error error;

	strcpy(text, HEAD ".entry k() {\nbra r");
	memset(text + strlen(text), '1', DIGITS);
	strcat(text, ";\n}");
	ck_assert_ptr_null(ptx_parse(text, strlen(text), &error));
	ck_assert_str_eq(strstr(error.text, "' is"), "' is not declared");
	free(text);
}
END_TEST

START_TEST(a_kernel_needs_what_its_functions_need)
{
	struct ptx_module *module = parse(
		HEAD ".shared .align 4 .b8 used[100];\n"
		     ".shared .align 4 .b8 unused[1000];\n"
		     ".func f() { .shared .align 8 .b8 mine[8];\n"
		     ".reg .b32 r; mov.u32 r, used; mov.u32 r, mine; ret; }\n"
		     ".entry k() { .local .align 8 .b8 depot[24];\n"
		     ".reg .b64 %r<3>; mov.u64 %r2, depot; call f, (); ret; }");
	const struct ptx_kernel *kernel = ptx_kernel_find(module, "k");

	ck_assert_uint_eq(ptx_kernel_count(module), 1);
	ck_assert_uint_eq(kernel->shared_bytes, 112);
	ck_assert_uint_eq(kernel->local_bytes, 24);
	ptx_module_free(module);
}
END_TEST

START_TEST(registers_and_constants_are_told)
{
	struct ptx_module *module = parse(
		HEAD ".const .align 4 .b8 table[40];\n.const .u32 other;\n"
		     ".func f() { .reg .u64 a, b, c, d; mov.u64 a, 1;\n"
		     "mov.u64 b, 2; mov.u64 c, 3; add.u64 d, a, b;\n"
		     "add.u64 d, d, c; ret; }\n"
		     ".entry k() { .reg .u32 x, y, z; .reg .u64 a;\n"
		     "mov.u32 x, 1; mov.u64 a, table; L: mov.u32 y, 2;\n"
		     "add.u32 y, y, x; mov.u32 z, y; bra L; }\n"
		     ".entry caller() { call f, (); ret; }\n"
		     ".entry held() .maxnreg 6 { call f, (); ret; }\n");
	const struct ptx_kernel *k = ptx_kernel_find(module, "k");
	const struct ptx_kernel *caller = ptx_kernel_find(module, "caller");

	ck_assert_uint_eq(k->constant_bytes, 40);
	ck_assert_uint_eq(caller->constant_bytes, 0);
	/* x stays for the whole loop; y and z follow each other. */
	ck_assert_uint_eq(k->registers, 2 + 4);
	ck_assert_uint_eq(caller->registers, 6 + 4);
	ck_assert_uint_eq(ptx_kernel_find(module, "held")->registers, 6);
	ptx_module_free(module);
}
END_TEST

START_TEST(what_compilers_write_is_read)
{
	ptx_module_free(parse(
		"//\n// Generated by hand\n/* two\nlines */\n" HEAD
		".extern .func  (.param .b32 func_retval0) vprintf\n"
		"(\n\t.param .b64 a,\n\t.param .b64 b\n)\n;\n"
		".global .texref texture;\n"
		".global .samplerref s = { addr_mode_0 = wrap };\n"
		".weak .func (.param .align 16 .b8 r[16]) g(.param .b32 _)\n"
		".noreturn\n{ trap; }\n"
		".visible .entry k(.param .u64 p)\n.maxnreg 32\n{\n"
		"\t.reg .pred %p<3>;\n\t.reg .b32 %r<9>, x, y;\n"
		"\t.reg .b64 %rd<4>; .reg .f32 %f<9>;\n"
		"\t.loc 1 2 3, function_name $L__info, inlined_at 1 2 3\n"
		"\t.pragma \"nounroll\";\n"
		"\tld.param.u64 %rd1, [p];\n"
		"@!%p1 bra.uni $L_1;\n"
		"\tsetp.lt.and.s32 %p1|%p2, %r1, -5, !%p2;\n"
		"$L_1:\n\t{ // callseq 0, 0\n\t.reg .b32 temp_param_reg;\n"
		"\t.param .b64 param0;\n\tst.param.b64 [param0+0], %rd1;\n"
		"\t.param .b32 retval0;\n"
		"\tcall.uni (retval0), \n\tvprintf, \n\t(\n\tparam0, param0\n"
		"\t);\n\t}\n"
		"\tld.global.v2.f32 {%f1, _}, [%rd1+-8];\n"
		"\tmad.rn.f32 %f1, %f2, 0f3F800000, -1.5;\n"
		"\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r1, %laneid;\n"
		"\ttex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [texture, "
		"{%f1, %f2}];\n"
		"\tcp.async.ca.shared.global [%r1], [%rd1], 16;\n"
		"\tld.global.L1::no_allocate.u32 %r1, [%rd1];\n"
		"\tshfl.sync.bfly.b32 %r2|%p1, %r1, 16, 31, -1;\n"
		"$L_table: .branchtargets $L_1, $L_2;\n"
		"\tbrx.idx %r1, $L_table;\n"
		"$L_2:\n"
		"proto: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
		"\t{ .param .b64 a; .param .b32 b;\n"
		"\tcall (b), %rd1, (a), proto;\n"
		"\t{ .reg .pred p; @p bra $L_1; p: } }\n"
		"\tret;\n}\n"
		"\t.file\t1 \"/tmp/a.cu\"\n"
		"\t.section .debug_str { $L__info: .b8 1, 2 }\n"));
}
END_TEST

/* The text of a wrong module, the line and a part of what is said. */
static const struct {
	const char *text;
	unsigned int line;
	const char *said;
} wrong[] = {
	{"", 1, "'.version' expected, and not the end"},
	{"\x7f"
	 "ELF",
	 1, "'.version' expected"},
	{".version 8", 1, "a version like 8.7"},
	{HEAD ".address_size 32\n", 4, "addresses are not of 64 bits"},
	{HEAD "nonsense", 4, "a directive expected, and not 'nonsense'"},
	{HEAD ".global .x32 a;", 4, "a type expected, and not '.x32'"},
	{HEAD ".global .u32 a[99999999999999999999];", 4, "larger than any"},
	{HEAD ".global .u32 a[1] = {1, 2};", 4, "too many initial values"},
	{HEAD ".global .align 3 .u32 a;", 4, "an alignment of 3"},
	{HEAD ".global .u64 a = b;", 4, "'b' has no address"},
	{HEAD ".entry k(.param .u32 a", 4, "',' expected, and not the end"},
	{HEAD ".entry k() { ret; ", 4, "an instruction expected"},
	{HEAD ".entry k() { ret; }\n.entry k() { ret; }", 5, "twice"},
	{HEAD ".entry k() {\nbra L;\n}", 5, "'L' is not declared"},
	{HEAD ".entry k() {\n{ L: } bra L;\n}", 5, "'L' is not declared"},
	{HEAD ".entry k() {\nL:\nL: }", 6, "the label 'L' is there twice"},
	{HEAD ".entry k() { .reg .b32 %r<99999999>;", 4, "registers"},
	{HEAD ".entry k() { .reg .b32 %r<2>; mov.b32 {%r1, %r2}, 0;", 4,
	 "expected"},
	{HEAD ".entry k() { @x ret; }", 4, "'x' is no predicate"},
	{HEAD ".entry k() { ld.u32 [; }", 4, "an operand expected"},
	{HEAD ".entry k() { a.b [[[[[[[[[[[[", 4, "too many brackets"},
	{HEAD ".entry k() { ret\n}", 5, "expected, and not '}'"},
	{HEAD "/* never closed", 4, ""},
	{HEAD ".global .u64 a = 9223372036854775807(generic(b)", 4,
	 "'b' has no address"},
	{HEAD ".tex .u32 a", 4, "';' expected"},
	{HEAD ".alias a, b;", 4, "'a' is no function"},
};

START_TEST(what_is_wrong_is_said_with_its_line)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ptx_error error;
		struct ptx_module *module =
			ptx_parse(wrong[i].text, strlen(wrong[i].text), &error);

		if (!*wrong[i].said) {
			ptx_module_free(module);
			continue;
		}
		ck_assert_msg(!module, "read: %s", wrong[i].text);
		ck_assert_msg(strstr(error.text, wrong[i].said),
			      "'%s' is no '%s'", error.text, wrong[i].said);
		ck_assert_msg(error.line == wrong[i].line, "line %u: %s",
			      error.line, error.text);
	}
}
END_TEST

START_TEST(a_text_may_end_anywhere)
{
	static const char text[] =
		HEAD ".const .b8 s[4] = {1, 0xFF(s)};\n"
		     ".entry k(.param .u64 p) .maxntid 1 {\n"
		     ".reg .b32 %r<3>; @%p bra L; L: .branchtargets L;\n"
		     "mov.b64 {%r1, _}, [%r1+4]; call (a), b, (c);\n"
		     ".section x { .b8 1 } .file 1 \"x\" .pragma \"y\"; }";

	for (size_t i = 0; i < sizeof(text); i++) {
		char *copy = malloc(i + 1);

		memcpy(copy, text, i); /* so that a sanitizer sees its end */
		ptx_module_free(ptx_parse(copy, i, NULL));
		free(copy);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		version_and_target_are_told,
		parameters_have_places,
		variables_have_first_contents,
		addresses_in_first_contents_are_listed,
		what_is_not_linked_is_there_once_for_each_text,
		a_switch_may_have_thousands_of_cases,
		a_name_of_many_digits_takes_little,
		a_kernel_needs_what_its_functions_need,
		registers_and_constants_are_told,
		what_compilers_write_is_read,
		what_is_wrong_is_said_with_its_line,
		a_text_may_end_anywhere,
		NULL,
	};

	return tests_run("ptx_parse", tests);
}
