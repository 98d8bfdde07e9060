/* The stack is as the C library sees it. */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record/unwind.h"
#include "run.h"

enum { MOST = 64, DEPTH = 20 };

static uint64_t found[MOST];
static void *wanted[MOST];
static size_t found_count;
static int wanted_count;

/* In one function both see the same, but for where they were called. */
__attribute__((noinline)) static void look(size_t most)
{
	wanted_count = backtrace(wanted, MOST);
	found_count =
		unwind((uintptr_t)__builtin_return_address(0), found, most);
	__asm__ volatile("");
}

/* The C library's begins with the function that has looked, and a sanitizer may
 * have called it. */
static void compare(size_t most)
{
	size_t skipped = 1, count;

	ck_assert_int_gt(wanted_count, 2);
	while (skipped < 3 && (uintptr_t)wanted[skipped] != found[0])
		skipped++;
	count = (size_t)wanted_count - skipped;
	ck_assert_uint_eq(found_count, count < most ? count : most);
	for (size_t i = 0; i < found_count; i++)
		ck_assert_uint_eq(found[i], (uintptr_t)wanted[i + skipped]);
}

START_TEST(a_stack_is_as_the_c_library_sees_it)
{
	look(MOST);
	compare(MOST);
}
END_TEST

__attribute__((noinline)) static void descend(int depth, size_t most)
{
	if (depth)
		descend(depth - 1, most);
	else
		look(most);
	__asm__ volatile("");
}

START_TEST(it_is_cut_off_at_so_many)
{
	descend(DEPTH, MOST);
	ck_assert_uint_gt(found_count, DEPTH);
	compare(MOST);
	descend(DEPTH, 5);
	compare(5);
}
END_TEST

static int visit(const void *a, const void *b)
{
	look(MOST);
	return (int)(*(const char *)a - *(const char *)b);
}

START_TEST(it_leads_through_code_of_others)
{
	char letters[] = "zyxw";

	qsort(letters, 4, 1, visit);
	compare(MOST);
}
END_TEST

static void *run(void *unused)
{
	descend(3, MOST);
	return unused;
}

START_TEST(it_ends_where_its_thread_begins)
{
	pthread_t thread;

	ck_assert(!pthread_create(&thread, NULL, run, NULL));
	pthread_join(thread, NULL);
	compare(MOST);
}
END_TEST

/* Its frame lies at a multiple of 64 bytes, and has a size that is not known
 * before. */
__attribute__((noinline)) static void align(size_t size)
{
	char wide[64] __attribute__((aligned(64)));
	char *more = __builtin_alloca(size);

	__asm__ volatile("" : : "r"(wide), "r"(more) : "memory");
	look(MOST);
	__asm__ volatile("" : : "r"(wide), "r"(more) : "memory");
}

START_TEST(it_leads_through_frames_that_are_aligned)
{
	align(1000);
	compare(MOST);
}
END_TEST

START_TEST(what_has_not_called_is_not_found)
{
	ck_assert_uint_eq(unwind(1, found, MOST), 0);
}
END_TEST

#ifdef __x86_64__
/* Code that calls the function that it is given, and then returns. */
struct trampoline {
	unsigned char code[20];
	size_t size, called; /* bytes; up to behind its call */
};

static const struct trampoline trampolines[] = {
	/* As CPython 3.12 and 3.13 have them:
	 * sub $8, %rsp; call *%rdi; add $8, %rsp; ret */
	{{0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3}, 11, 6},
	/* With a frame:
	 * push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
	{{0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3}, 8, 6},
	/* No frame pointer leads on from this one: push %rbp; xor %ebp, %ebp;
	 * sub $16, %rsp; call *%rdi; add $16, %rsp; pop %rbp; ret */
	{{0x55, 0x31, 0xed, 0x48, 0x83, 0xec, 16, 0xff, 0xd7, 0x48, 0x83, 0xc4,
	  16, 0x5d, 0xc3},
	 15,
	 9},
};
/* The same with something left to do: xor %eax, %eax. */
static const struct trampoline odd = {{0x55, 0x31, 0xed, 0x48, 0x83, 0xec, 16,
				       0xff, 0xd7, 0x31, 0xc0, 0x48, 0x83, 0xc4,
				       16, 0x5d, 0xc3},
				      17,
				      9};
/* And where its code can't be read any more, behind the call. */
static const struct trampoline cut = {
	{0x55, 0x31, 0xed, 0x48, 0x83, 0xec, 16, 0xff, 0xd7}, 9, 9};

enum { PAGE = 4096 };

static jmp_buf back;

/* Without the C library, which would read beyond the end of the code. */
__attribute__((noinline)) static void look_alone(void)
{
	found_count =
		unwind((uintptr_t)__builtin_return_address(0), found, MOST);
	__asm__ volatile("");
}

static void look_beyond(void)
{
	look_alone();
	longjmp(back, 1);
}

/* Calls by a trampoline that ends where no more can be read. Returns where it
 * calls; beyond: what was found then, of the caller as well. */
__attribute__((noinline)) static uint64_t leap(const struct trampoline *row,
					       uint64_t beyond[MOST])
{
	unsigned char *pages =
		mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *at = pages + PAGE - row->size;
	void (*jump)(void (*)(void));

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert(!mprotect(pages + PAGE, PAGE, PROT_NONE));
	memcpy(at, row->code, row->size);
	memcpy(&jump, &at, sizeof(jump));
	if (!setjmp(back))
		jump(look_beyond);
	memcpy(beyond, found, sizeof(found));
	return (uintptr_t)at + row->called;
}

/* Whether this program has the code, which the trampoline has called. */
static bool is_own(uint64_t address)
{
	Dl_info own, other;

	ck_assert(dladdr((void *)look_beyond, &own));
	return dladdr((void *)(address - 1), &other) &&
	       own.dli_fbase == other.dli_fbase;
}

START_TEST(it_leads_through_trampolines)
{
	uint64_t beyond[MOST], called;
	size_t count, at;

	for (size_t i = 0; i < sizeof(trampolines) / sizeof(*trampolines);
	     i++) {
		called = leap(&trampolines[i], beyond);
		count = found_count;
		look(MOST);
		ck_assert_uint_eq(beyond[1], called);
		/* Of what is behind it, the interpreter's is left out. */
		at = 2;
		for (size_t j = 0; j < found_count; j++)
			if (!is_own(found[j]))
				ck_assert_uint_eq(beyond[at++], found[j]);
		ck_assert_uint_gt(at, 2);
		ck_assert_uint_eq(count, at);
	}
}
END_TEST

/* Returns to where nothing is. */
__attribute__((noinline, no_sanitize("address", "thread"))) static void smash(
	uint64_t to)
{
	((volatile uint64_t *)__builtin_frame_address(0))[1] = to;
	look_beyond();
}

__attribute__((noinline)) static void wander(uint64_t to)
{
	if (!setjmp(back))
		smash(to);
}

START_TEST(a_wrong_address_is_not_read)
{
	static const uint64_t wrong[] = {8, 4095, 4096, UINT64_MAX,
					 UINT64_C(1) << 63};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		wander(wrong[i]);
		ck_assert_uint_ge(found_count, 3);
		ck_assert_uint_eq(found[2], wrong[i]);
	}
}
END_TEST

START_TEST(code_that_can_not_be_followed_ends_it)
{
	uint64_t beyond[MOST], called = leap(&odd, beyond);

	ck_assert_uint_eq(found_count, 2);
	ck_assert_uint_eq(beyond[1], called);
	called = leap(&cut, beyond);
	ck_assert_uint_eq(found_count, 2);
	ck_assert_uint_eq(beyond[1], called);
}
END_TEST
#endif

int main(void)
{
	const TTest *const tests[] = {
		a_stack_is_as_the_c_library_sees_it,
		it_is_cut_off_at_so_many,
		it_leads_through_code_of_others,
		it_ends_where_its_thread_begins,
		it_leads_through_frames_that_are_aligned,
		what_has_not_called_is_not_found,
#ifdef __x86_64__
		it_leads_through_trampolines,
		a_wrong_address_is_not_read,
		code_that_can_not_be_followed_ends_it,
#endif
		NULL,
	};

	return tests_run("record unwind", tests);
}
