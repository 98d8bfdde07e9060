/* What is known of work while streams capture. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <check.h>

#include "cuda/backing.h"
#include "order/calls.h"
#include "order/capture.h"
#include "order/capture_work.h"
#include "order/marks.h"
#include "order/stream_order.h"
#include "run.h"

enum { CAPTURED = 100, APART = 200 }; /* streams */

static bool captures_on, call_under_way, no_mark, work_before, watched;
static int marked; /* marks that are set */
static void (*meanwhile)(void);

bool capture_any(void)
{
	return captures_on;
}

bool calls_watch(void)
{
	watched = true;
	return true;
}

void calls_watch_end(void)
{
	watched = false;
}

bool calls_look(uint64_t *sum)
{
	*sum = 0;
	ck_assert(watched); /* or a call could come unseen */
	return !call_under_way;
}

bool backing_stream_captures(struct CUstream_st *stream)
{
	ck_assert_uint_gt((uintptr_t)stream, SOLE_LEGACY);
	return (uintptr_t)stream == CAPTURED;
}

int marks_set(struct marks *marks, const struct device *device)
{
	ck_assert(!device && watched);
	if (meanwhile)
		meanwhile();
	if (no_mark)
		return 1;
	marks->count = 1;
	marked++;
	return 0;
}

int marks_ask_beside(struct marks *marks)
{
	ck_assert_int_eq(marks->count, 1);
	return work_before;
}

void marks_drop(struct marks *marks)
{
	marked -= marks->count;
	marks->count = 0;
}

static void begin(void)
{
	capture_work_watch();
	captures_on = true;
}

static void end(void)
{
	captures_on = false;
	capture_work_forget();
}

START_TEST(work_from_before_is_asked_for)
{
	begin();
	ck_assert(capture_work_is_over());
	work_before = true;
	ck_assert(!capture_work_is_over());
	ck_assert(capture_work_is_known());
}
END_TEST

START_TEST(what_is_captured_is_no_work)
{
	begin();
	capture_work_come(CAPTURED);
	ck_assert(capture_work_is_over());
	capture_work_come(APART);
	ck_assert(!capture_work_is_over());
	capture_work_come(CAPTURED);
	ck_assert(!capture_work_is_over() && !capture_work_is_known());
}
END_TEST

START_TEST(what_may_be_for_any_stream_is_work)
{
	begin();
	capture_work_come(SOLE_NONE);
	ck_assert(!capture_work_is_over());
}
END_TEST

START_TEST(what_the_legacy_stream_gets_is_work)
{
	begin();
	capture_work_come(SOLE_LEGACY);
	ck_assert(!capture_work_is_over());
}
END_TEST

START_TEST(beside_a_call_that_is_under_way_nothing_is_known)
{
	call_under_way = true;
	begin();
	call_under_way = false;
	ck_assert(!capture_work_is_over() && !capture_work_is_known());
}
END_TEST

START_TEST(without_marks_nothing_is_known)
{
	no_mark = true;
	begin();
	ck_assert(!capture_work_is_over());
}
END_TEST

START_TEST(an_end_beside_the_marks_ends_what_is_known)
{
	meanwhile = end;
	begin();
	ck_assert(!capture_work_is_over());
	end();
	meanwhile = NULL;
	begin();
	ck_assert(capture_work_is_over());
}
END_TEST

START_TEST(a_second_capture_goes_by_the_first)
{
	begin();
	capture_work_come(APART);
	begin();
	ck_assert(!capture_work_is_over());
	ck_assert_int_eq(marked, 1);
}
END_TEST

START_TEST(each_first_capture_sets_marks)
{
	for (int i = 0; i < 3; i++) {
		begin();
		ck_assert(watched && capture_work_is_over());
		capture_work_come(APART);
		end();
		ck_assert(!watched);
		ck_assert_int_eq(marked, 1);
	}
}
END_TEST

START_TEST(after_the_last_capture_nothing_is_known)
{
	begin();
	end();
	captures_on = true; /* of one that had waited for that end */
	ck_assert(!capture_work_is_over());
}
END_TEST

int main(void)
{
	return tests_run(
		"capture_work",
		(const TTest *const[]){
			work_from_before_is_asked_for,
			what_is_captured_is_no_work,
			what_may_be_for_any_stream_is_work,
			what_the_legacy_stream_gets_is_work,
			beside_a_call_that_is_under_way_nothing_is_known,
			without_marks_nothing_is_known,
			an_end_beside_the_marks_ends_what_is_known,
			a_second_capture_goes_by_the_first,
			each_first_capture_sets_marks,
			after_the_last_capture_nothing_is_known, NULL});
}
