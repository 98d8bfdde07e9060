/* A stack is read where nothing else may be done, and nothing else is changed.
 */
#include <errno.h>
#include <sys/resource.h>

#include "record/own_stack.h"
#include "run.h"

static struct own_stack stack;
static int in_this_file;

static void read_from(const void *within)
{
	stack = (struct own_stack){0};
	errno = EXDEV;
	own_stack_read(&stack, within);
	ck_assert_int_eq(errno, EXDEV);
}

START_TEST(code_of_no_file_has_no_stack)
{
	read_from(NULL);
	ck_assert_uint_gt(stack.count, 0);
	ck_assert_int_ge(stack.frames[0].file, 0);
	read_from((void *)1);
	ck_assert_uint_eq(stack.count, 0);
}
END_TEST

/* /proc/self/maps cannot be opened, and no address is known to be of a file. */
START_TEST(errno_stays_where_no_file_can_be_opened)
{
	struct rlimit before;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}),
		0);
	read_from(NULL);
	read_from(&in_this_file);
	ck_assert_uint_eq(stack.count, 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}
END_TEST

int main(void)
{
	static const TTest *tests[3];

	tests[0] = code_of_no_file_has_no_stack;
	tests[1] = errno_stays_where_no_file_can_be_opened;
	return tests_run("own stack", tests);
}
