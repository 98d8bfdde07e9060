/* Steps through code of which nothing is known. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/walk.h"
#include "run.h"

enum { PAGE = 4096, TIMES = 20000, PC = 0x1234, FRAME = 0x5678 };

static const struct eh_rule *nothing_known(uint64_t code,
					   const struct eh_module **module)
{
	(void)code;
	*module = NULL;
	return NULL;
}

static uint8_t copy[WALK_COPY_SIZE] __attribute__((aligned(8)));

/* At code that does nothing but to jump to itself, with such a frame. */
static struct walk walk_at(const void *frame)
{
	static const uint8_t code[] = {0xeb, 0xfe, 0xeb, 0xfe, 0xeb, 0xfe};

	return (struct walk){
		.pc = (uintptr_t)code,
		.stack = (uintptr_t)frame,
		.frame = (uintptr_t)frame,
		.rule_find = nothing_known,
		.copy = copy,
	};
}

START_TEST(code_that_is_not_known_has_a_frame)
{
	uint64_t frames[4] = {(uintptr_t)&frames[2], PC, FRAME, PC + 1};
	struct walk walk = walk_at(frames);

	ck_assert(walk_step(&walk));
	ck_assert_uint_eq(walk.pc, PC);
	ck_assert_uint_eq(walk.frame, (uintptr_t)&frames[2]);
	ck_assert_uint_eq(walk.stack, (uintptr_t)&frames[2]);
	ck_assert(walk_step(&walk));
	ck_assert_uint_eq(walk.pc, PC + 1);
	ck_assert_uint_eq(walk.frame, FRAME);
	ck_assert(!walk_step(&walk));
}
END_TEST

START_TEST(what_can_not_be_read_ends_a_walk)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *last = (uint64_t *)(void *)(pages + PAGE) - 2;
	struct walk walk = walk_at(last);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
	last[0] = (uintptr_t)(last + 2);
	last[1] = PC;
	ck_assert(walk_step(&walk));
	ck_assert_uint_eq(walk.frame, (uintptr_t)(last + 2));
	ck_assert(!walk_step(&walk));
	munmap(pages, 2 * PAGE);
}
END_TEST

static char *comes_and_goes, *leaves;
static atomic_bool ended;

/* In place of the C library's: another thread unmaps a page just after the
 * kernel was asked for it. */
long syscall(long number, ...)
{
	typedef long syscall_fn(long, long, long, long, long, long, long);
	syscall_fn *next = (syscall_fn *)dlsym(RTLD_NEXT, "syscall");
	long given[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		given[i] = va_arg(list, long);
	va_end(list);
	result = next(number, given[0], given[1], given[2], given[3], given[4],
		      given[5]);
	if (leaves && given[1] == (long)(intptr_t)leaves)
		mprotect(leaves, PAGE, PROT_NONE);
	return result;
}

static uint64_t *page_with_frame(void)
{
	uint64_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(page, MAP_FAILED);
	page[1] = PC;
	return page;
}

START_TEST(a_look_says_nothing_of_what_is_read_later)
{
	uint64_t *page = page_with_frame();
	struct walk walk = walk_at(page);

	leaves = (char *)page;
	walk_step(&walk);
	leaves = NULL;
	munmap(page, PAGE);
}
END_TEST

static void *flip(void *unused)
{
	while (!atomic_load(&ended)) {
		mprotect(comes_and_goes, PAGE, PROT_NONE);
		mprotect(comes_and_goes, PAGE, PROT_READ | PROT_WRITE);
	}
	return unused;
}

/* Code without frames may have the address of anything in their register. */
START_TEST(what_comes_and_goes_meanwhile_is_read_or_ends_a_walk)
{
	pthread_t thread;
	int read = 0, refused = 0;

	comes_and_goes = (char *)page_with_frame();
	ck_assert_int_eq(pthread_create(&thread, NULL, flip, NULL), 0);
	while (read < TIMES || refused < TIMES) {
		struct walk walk = walk_at(comes_and_goes);

		if (walk_step(&walk)) {
			ck_assert_uint_eq(walk.pc, PC);
			read++;
		} else {
			refused++;
		}
	}
	atomic_store(&ended, true);
	pthread_join(thread, NULL);
	munmap(comes_and_goes, PAGE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		code_that_is_not_known_has_a_frame,
		what_can_not_be_read_ends_a_walk,
		a_look_says_nothing_of_what_is_read_later,
		what_comes_and_goes_meanwhile_is_read_or_ends_a_walk,
		NULL,
	};

	return tests_run("record walk", tests);
}
