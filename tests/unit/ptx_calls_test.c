/* Functions that call themselves, in PTX that nvcc made of ptx_calls.cu. */
#include <stdio.h>

#include "ptx_run.h"

extern const char ptx_text[], ptx_text_end[];
__asm__(".section .rodata\n.globl ptx_text, ptx_text_end\nptx_text:\n"
	".incbin \"" PTX_KERNELS "\"\nptx_text_end:\n.byte 0\n.previous\n");

enum { THREADS = 64 };

static struct ptx_module *module;
static struct ptx_error error;
static int to[THREADS], *pt = to;

static enum ptx_result run(const char *name, unsigned int threads, void *arg,
			   size_t stack)
{
	struct ptx_launch launch = {.grid = {2, 1, 1},
				    .block = {threads, 1, 1},
				    .stack_bytes = stack,
				    .args = (void *[]){&pt, arg}};

	return run_kernel(module, name, launch, &error);
}

#define RUN_OK(name, arg) \
	do { \
		enum ptx_result result_ = run(name, THREADS, arg, 0); \
\
		ck_assert_msg(result_ == PTX_OK, "%u: %s", error.line, \
			      error.text); \
	} while (0)

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

START_TEST(each_call_has_its_registers)
{
	RUN_OK("fibonaccis", NULL);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(to[i], fibonacci(i % 12));
}
END_TEST

START_TEST(each_call_has_its_variables)
{
	RUN_OK("nested", NULL);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(to[i], 1 + i % 9 * (i % 9 + 1) / 2);
}
END_TEST

START_TEST(functions_call_each_other_in_turns)
{
	RUN_OK("in_turns", NULL);
	for (int i = 0; i < THREADS; i++) {
		int n = i % 11, steps = n / 2 + 1 + (n + 1) / 2 * 100;

		ck_assert_int_eq(to[i], (n % 2 == 0) + 10 * steps);
	}
}
END_TEST

struct bag {
	int items[6];
};

static struct bag emptied(struct bag from, int count)
{
	struct bag rest;

	if (count == 0)
		return from;
	from.items[count % 6] += count;
	rest = emptied(from, count - 1);
	for (int i = 0; i < 6; i++)
		rest.items[i] += from.items[(i + count) % 6];
	return rest;
}

START_TEST(structs_are_passed_to_each_call)
{
	struct bag from = {{3, 1, 4, 1, 5, 9}};

	RUN_OK("bags", &from);
	for (int i = 0; i < THREADS; i++) {
		struct bag rest = emptied(from, i % 5);
		int sum = 0;

		for (int k = 0; k < 6; k++)
			sum = sum * 7 + rest.items[k];
		ck_assert_int_eq(to[i], sum);
	}
}
END_TEST

static int choose(int what, int n, int which)
{
	if (n < 2)
		return n;
	return what ? 2 + n * choose(which & 1, n - 1, which >> 1)
		    : 1 + 3 * choose(which & 1, n / 2, which >> 1);
}

START_TEST(functions_call_themselves_by_address)
{
	int first = 0;

	/* With a third one that cannot be run, and is not called by these. */
	ck_assert_int_eq(run("chosen", 2, &first, 0), PTX_OK);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(to[i], choose(i, i, i));
	first = 1;
	ck_assert_int_eq(run("chosen", 1, &first, 0), PTX_OK);
	ck_assert_int_eq(to[0], choose(1, 0, 0));
	ck_assert_int_eq(run("chosen", 2, &first, 0), PTX_TRAPPED);
	ck_assert_msg(strstr(error.text, "'vmad.s32.s32.s32' is not supported"),
		      "%s", error.text);
}
END_TEST

START_TEST(a_stack_is_as_large_as_the_launch_says)
{
	int depth = 20;

	RUN_OK("deep", &depth);
	depth = 1000;
	ck_assert_int_eq(run("deep", 32, &depth, 0), PTX_STACK_FULL);
	ck_assert_str_eq(strchr(error.text, '('), "(block 0,0,0 thread 0,0,0)");
	ck_assert_int_eq(run("deep", 32, &depth, 128 << 10), PTX_OK);
}
END_TEST

START_TEST(a_function_that_calls_itself_prints)
{
	printed[0] = '\0';
	ck_assert_int_eq(run("tell", 1, NULL, 0), PTX_OK);
	ck_assert_str_eq(printed, "0 5\n1 6\n2 7\n0 5\n1 6\n2 7\n");
	ck_assert_int_eq(to[0], 8);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		each_call_has_its_registers,
		each_call_has_its_variables,
		functions_call_each_other_in_turns,
		structs_are_passed_to_each_call,
		functions_call_themselves_by_address,
		a_stack_is_as_large_as_the_launch_says,
		a_function_that_calls_itself_prints,
		NULL,
	};
	int status;

	module = ptx_parse(ptx_text,
			   (uintptr_t)ptx_text_end - (uintptr_t)ptx_text,
			   &error);
	if (!module) {
		fprintf(stderr, "%u: %s\n", error.line, error.text);
		return EXIT_FAILURE;
	}
	status = tests_run("ptx_calls", tests);
	ptx_module_free(module);
	return status;
}
