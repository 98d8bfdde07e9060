#include <limits.h>

#include "run.h"
#include "top_jobs.h"

START_TEST(rows_are_sorted_by_each_column_and_both_ways)
{
	struct job jobs[3];
	struct table table;

	three(jobs);
	table_open(&table);
	look(&table, jobs, 3);
	ck_assert_str_eq(pids(&table), "20 30 10");
	table_sort_turn(&table);
	ck_assert_str_eq(pids(&table), "10 30 20");
	table_sort(&table, COLUMN_COMMAND);
	ck_assert_str_eq(pids(&table), "10 20 30");
	table_sort(&table, COLUMN_DEVICE);
	ck_assert_str_eq(pids(&table), "10 20 30");
	table_sort_turn(&table);
	ck_assert_str_eq(pids(&table), "30 10 20");
	for (int i = 0; i < 2 * COLUMN_COUNT; i++)
		table_sort_next(&table, -1);
	ck_assert_int_eq(table.sort, COLUMN_PID);
	for (int i = 0; i < 2 * COLUMN_COUNT; i++)
		table_sort_next(&table, 1);
	ck_assert_int_eq(table.sort, COLUMN_COUNT - 1);
	table_close(&table);
}
END_TEST

START_TEST(devices_are_sorted_as_numbers_and_the_host_is_last)
{
	struct job jobs[] = {answered(1, "a", 1000, device("\"host\"", 1, 1)),
			     answered(2, "a", 1000, device("10", 1, 1)),
			     answered(3, "a", 1000, device("9", 1, 1))};
	struct device_sum sums[8];
	struct table table;

	table_open(&table);
	look(&table, jobs, 3);
	table_sort(&table, COLUMN_DEVICE);
	ck_assert_str_eq(pids(&table), "3 2 1");
	ck_assert_int_eq(table_sums(&table, sums, 8), 3);
	ck_assert_str_eq(sums[0].device, "9");
	ck_assert_str_eq(sums[2].device, "host");
	table_close(&table);
}
END_TEST

START_TEST(the_selection_stays_at_its_program)
{
	struct job jobs[3];
	struct table table;

	three(jobs);
	table_open(&table);
	look(&table, jobs, 3);
	table_move(&table, 1);
	ck_assert_int_eq(table_selected(&table)->pid, 30);
	table_sort(&table, COLUMN_PID);
	ck_assert_int_eq(table_selected(&table)->pid, 30);
	three(jobs);
	look(&table, &jobs[1], 2);
	json_decref(jobs[0].answer);
	ck_assert_int_eq(table_selected(&table)->pid, 30);
	table_close(&table);
}
END_TEST

START_TEST(the_selection_stays_at_its_place_if_its_program_has_gone)
{
	struct job jobs[3];
	struct table table;

	three(jobs);
	table_open(&table);
	look(&table, jobs, 3);
	table_sort(&table, COLUMN_PID);
	table_move(&table, 2);
	three(jobs);
	look(&table, jobs, 2);
	json_decref(jobs[2].answer);
	ck_assert_int_eq(table_selected(&table)->pid, 20);
	look(&table, jobs, 0);
	ck_assert_ptr_null(table_selected(&table));
	table_move(&table, 5);
	ck_assert_ptr_null(table_selected(&table));
	table_close(&table);
}
END_TEST

START_TEST(the_selection_ends_at_both_ends)
{
	struct job jobs[3];
	struct table table;

	three(jobs);
	table_open(&table);
	look(&table, jobs, 3);
	table_move(&table, -INT_MAX);
	ck_assert_int_eq(table.selected, 0);
	table_move(&table, INT_MAX);
	ck_assert_int_eq(table.selected, 2);
	table_scroll(&table, 2);
	ck_assert_int_eq(table.top, 1);
	table_move(&table, -INT_MAX);
	table_scroll(&table, 2);
	ck_assert_int_eq(table.top, 0);
	table_move(&table, 2);
	table_scroll(&table, 1);
	ck_assert_int_eq(table.top, 2);
	table_scroll(&table, 10);
	ck_assert_int_eq(table.top, 0);
	table_close(&table);
}
END_TEST

START_TEST(a_filter_shows_only_commands_that_have_it)
{
	struct device_sum sums[4];
	struct job jobs[3];
	struct table table;

	three(jobs);
	table_open(&table);
	look(&table, jobs, 3);
	table_filter(&table, "MM");
	ck_assert_str_eq(pids(&table), "30");
	ck_assert_int_eq(table_sums(&table, sums, 4), 2);
	table_filter(&table, "no such");
	ck_assert_str_eq(pids(&table), "");
	table_filter(&table, "");
	ck_assert_int_eq(table.count, 3);
	table_close(&table);
}
END_TEST

START_TEST(a_devices_sum_is_that_of_its_programs)
{
	struct device_sum sums[4];
	struct job jobs[3];
	struct table table;

	three(jobs);
	for (int i = 0; i < 3; i++)
		json_object_set_new(
			jobs[i].answer, "options",
			json_pack("{s:s}", "hard_limit", i == 2 ? "0" : "1M"));
	table_open(&table);
	look(&table, jobs, 3);
	ck_assert_int_eq(table_sums(&table, sums, 4), 2);
	ck_assert_int_eq(sums[0].programs, 2);
	ck_assert_int_eq(sums[0].live, 5500);
	ck_assert_int_eq(sums[0].reserved, 11000);
	ck_assert_int_eq(sums[0].idle, 200);
	ck_assert_int_eq(sums[0].peak, 22000);
	ck_assert_int_eq(sums[0].limit, 2 << 20);
	ck_assert_int_eq(sums[1].reserved, 5000);
	ck_assert_int_eq(sums[1].limit, 0);
	ck_assert_int_eq(table_sums(&table, sums, 1), 1);
	table_close(&table);
}
END_TEST

START_TEST(as_many_columns_are_shown_as_fit)
{
	struct layout layout;
	struct job jobs[3];
	struct table table;
	int end, last;

	three(jobs);
	table_open(&table);
	look(&table, jobs, 3);
	layout_choose(&layout, &table, 80);
	ck_assert_int_eq(layout.count, COLUMN_COUNT - 1); /* without USER */
	for (int width = 0; width < 200; width++) {
		layout_choose(&layout, &table, width);
		last = layout.count - 1;
		end = last < 0 ? 0 : layout.at[last] + layout.width[last];
		ck_assert_int_le(end, width);
		for (int i = 1; i < layout.count; i++)
			ck_assert_int_gt(layout.at[i],
					 layout.at[i - 1] +
						 layout.width[i - 1]);
	}
	layout_choose(&layout, &table, 40);
	ck_assert_int_eq(layout.column[layout.count - 1], COLUMN_RESERVED);
	table_close(&table);
}
END_TEST

START_TEST(users_are_shown_where_there_are_several_and_room)
{
	struct layout layout;
	struct job jobs[3];
	struct table table;

	three(jobs);
	jobs[1].uid = 1;
	table_open(&table);
	look(&table, jobs, 3);
	layout_choose(&layout, &table, 80);
	ck_assert_int_eq(layout.count, COLUMN_COUNT - 1);
	ck_assert_int_eq(layout.column[1], COLUMN_DEVICE);
	layout_choose(&layout, &table, 100);
	ck_assert_int_eq(layout.count, COLUMN_COUNT);
	ck_assert_int_eq(layout.column[1], COLUMN_USER);
	table_close(&table);
}
END_TEST

START_TEST(a_long_name_of_a_pool_takes_no_column_away)
{
	struct job job = answered(1, "a", 1000,
				  "[{\"device\":0,\"pool\":"
				  "\"best_fit_pool@managed\"}]");
	struct layout layout;
	struct table table;

	table_open(&table);
	look(&table, &job, 1);
	layout_choose(&layout, &table, 80);
	ck_assert_int_eq(layout.count, COLUMN_COUNT - 1);
	ck_assert_int_eq(layout.width[2], 14);
	layout_choose(&layout, &table, 100);
	ck_assert_int_eq(layout.width[2], 21);
	table_close(&table);
}
END_TEST

int main(void)
{
	static const TTest *tests[11];
	size_t n = 0;

	tests[n++] = rows_are_sorted_by_each_column_and_both_ways;
	tests[n++] = devices_are_sorted_as_numbers_and_the_host_is_last;
	tests[n++] = the_selection_stays_at_its_program;
	tests[n++] = the_selection_stays_at_its_place_if_its_program_has_gone;
	tests[n++] = the_selection_ends_at_both_ends;
	tests[n++] = a_filter_shows_only_commands_that_have_it;
	tests[n++] = a_devices_sum_is_that_of_its_programs;
	tests[n++] = as_many_columns_are_shown_as_fit;
	tests[n++] = users_are_shown_where_there_are_several_and_room;
	tests[n++] = a_long_name_of_a_pool_takes_no_column_away;
	return tests_run("top_table", tests);
}
