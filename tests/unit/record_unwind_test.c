/* The stack is as the C library sees it. */
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record/own_stack.h"
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

static struct own_stack own;

/* The frames are those of a walk that has taken the loader's lock. */
__attribute__((noinline)) static void look_alone(void)
{
	own = (struct own_stack){0};
	found_count =
		unwind((uintptr_t)__builtin_return_address(0), found, MOST);
	own_stack_read(&own, NULL);
	__asm__ volatile("");
}

static int visit_alone(const void *a, const void *b)
{
	look_alone();
	return (int)(*(const char *)a - *(const char *)b);
}

START_TEST(a_stack_without_the_loader_is_the_same)
{
	char letters[] = "zyxw";
	const struct own_file *file;
	char build[BUILD_ID_SIZE];

	qsort(letters, 4, 1, visit_alone);
	ck_assert_uint_eq(own.count - 1, found_count);
	for (size_t i = 0; i < found_count; i++)
		ck_assert_uint_eq(own.frames[i + 1].address, found[i]);
	ck_assert_int_ge(own.frames[1].file, 0);
	file = &own.files[own.frames[1].file];
	ck_assert_ptr_nonnull(strstr(file->path, "record_unwind_test"));
	ck_assert_uint_ge(found[0], file->start);
	ck_assert_uint_lt(found[0], file->end);
	build_id_read(file->first, build);
	ck_assert_str_eq(file->build, build);
}
END_TEST

START_TEST(what_lies_within_is_left_out)
{
	own = (struct own_stack){0};
	own_stack_read(&own, (const void *)look_alone);
	ck_assert_uint_gt(own.count, 0);
	ck_assert_ptr_null(strstr(own.files[own.frames[0].file].path,
				  "record_unwind_test"));
}
END_TEST

START_TEST(what_has_not_called_is_not_found)
{
	ck_assert_uint_eq(unwind(1, found, MOST), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_stack_is_as_the_c_library_sees_it,
		it_is_cut_off_at_so_many,
		it_leads_through_code_of_others,
		it_ends_where_its_thread_begins,
		it_leads_through_frames_that_are_aligned,
		a_stack_without_the_loader_is_the_same,
		what_lies_within_is_left_out,
		what_has_not_called_is_not_found,
		NULL,
	};

	return tests_run("record unwind", tests);
}
