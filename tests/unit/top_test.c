#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/job.h"
#include "cli/top/table.h"
#include "run.h"

/* A job that has answered at that time; text is what is to be in its devices.
 */
static struct job answered(int pid, const char *program, int64_t ms,
			   const char *devices)
{
	struct job job = {.pid = pid, .folder = -1, .fd = -1};

	job.answered_ms = ms;
	job.answer = json_object();
	json_object_set_new(job.answer, "arguments", json_pack("[s]", program));
	json_object_set_new(job.answer, "devices",
			    json_loads(devices, 0, NULL));
	return job;
}

static struct job silent(int pid)
{
	return (struct job){
		.pid = pid, .state = JOB_SILENT, .folder = -1, .fd = -1};
}

/* The figures of a device as an answer has them. */
static const char *device(const char *name, int reserved, int allocs)
{
	static char texts[8][512];
	static int next;
	char *text = texts[next++ % 8];

	snprintf(
		text, sizeof(*texts),
		"[{\"device\":%s,\"pool\":\"page_unit_pool\",\"live_bytes\":%d,"
		"\"reserved_bytes\":%d,\"device_bytes\":%d,\"idle_bytes\":100,"
		"\"reserved_peak\":%d,\"allocs\":%d,\"hits\":%d,"
		"\"driver_allocs\":%d,\"driver_frees\":%d,\"fences\":%d}]",
		name, reserved / 2, reserved, reserved, 2 * reserved, allocs,
		allocs / 2, allocs / 10, allocs / 10, allocs / 4);
	return text;
}

/* Shows a look in which these jobs were found. */
static void look(struct table *table, struct job *jobs, int count)
{
	const struct jobs all = {.list = jobs, .count = count};
	struct rows rows;

	rows_read(&rows, &all);
	table_update(table, &rows);
	for (int i = 0; i < count; i++)
		json_decref(jobs[i].answer);
}

/* The pids that are shown, in their order. */
static const char *pids(const struct table *table)
{
	static char text[256];
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < table->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%d", i ? " " : "",
					 table_row(table, i)->pid);
	return text;
}

static const char *shown(const struct table *table, int index,
			 enum column column)
{
	static char text[ROW_COMMAND_SIZE];

	column_text(column, table_row(table, index), text, sizeof(text));
	return text;
}

START_TEST(a_row_has_the_figures_of_its_device)
{
	struct job job =
		answered(7, "/bin/train", 1000, device("3", 4 << 20, 1000));
	struct table table;

	table_open(&table);
	look(&table, &job, 1);
	ck_assert_int_eq(table.count, 1);
	ck_assert_str_eq(shown(&table, 0, COLUMN_PID), "7");
	ck_assert_str_eq(shown(&table, 0, COLUMN_DEVICE), "3");
	ck_assert_str_eq(shown(&table, 0, COLUMN_POOL), "page_unit_pool");
	ck_assert_str_eq(shown(&table, 0, COLUMN_LIVE), "2.00M");
	ck_assert_str_eq(shown(&table, 0, COLUMN_RESERVED), "4.00M");
	ck_assert_str_eq(shown(&table, 0, COLUMN_IDLE), "100B");
	ck_assert_str_eq(shown(&table, 0, COLUMN_HITS), "50.0%");
	ck_assert_str_eq(shown(&table, 0, COLUMN_REQUESTS), "-");
	ck_assert_str_eq(shown(&table, 0, COLUMN_COMMAND), "train");
	table_close(&table);
}
END_TEST

START_TEST(a_rate_is_what_came_between_two_answers_by_the_time_between_them)
{
	struct job first = answered(7, "a", 1000, device("0", 100, 1000));
	struct job second = answered(7, "a", 3000, device("0", 100, 6000));
	struct table table;

	table_open(&table);
	look(&table, &first, 1);
	look(&table, &second, 1);
	ck_assert_str_eq(shown(&table, 0, COLUMN_REQUESTS), "2.5k");
	ck_assert_str_eq(shown(&table, 0, COLUMN_CALLS), "500");
	ck_assert_str_eq(shown(&table, 0, COLUMN_FENCES), "625");
	table_close(&table);
}
END_TEST

START_TEST(figures_that_have_fallen_are_another_programs)
{
	struct job first = answered(7, "a", 1000, device("0", 100, 1000));
	struct job second = answered(7, "b", 2000, device("0", 100, 999));
	struct table table;

	table_open(&table);
	look(&table, &first, 1);
	look(&table, &second, 1);
	ck_assert_str_eq(shown(&table, 0, COLUMN_REQUESTS), "-");
	table_close(&table);
}
END_TEST

START_TEST(rates_fit_their_column)
{
	static const struct {
		double rate;
		const char *text;
	} cases[] = {{0, "0"},         {0.25, "0.2"},     {9.94, "9.9"},
		     {9.96, "10"},     {999.4, "999"},    {999.6, "1.0k"},
		     {99949, "99.9k"}, {99960, "100k"},   {999600, "1.0M"},
		     {-1, "-"},        {1e18 / 3, "333P"}};
	struct row row = {.pid = 1};
	char text[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		row.requests_rate = cases[i].rate;
		column_text(COLUMN_REQUESTS, &row, text, sizeof(text));
		ck_assert_str_eq(text, cases[i].text);
		ck_assert_uint_le(strlen(text), 5);
	}
}
END_TEST

START_TEST(a_program_that_once_does_not_answer_keeps_its_rows)
{
	struct job first = answered(7, "a", 1000, device("0", 4096, 1000));
	struct job missed = silent(7), again = silent(7);
	struct job third = answered(7, "a", 5000, device("0", 4096, 2000));
	struct table table;

	table_open(&table);
	look(&table, &first, 1);
	look(&table, &missed, 1);
	ck_assert_int_eq(table_programs(&table).programs, 1);
	ck_assert_int_eq(table_programs(&table).silent, 0);
	ck_assert_str_eq(table_row(&table, 0)->note, "");
	look(&table, &again, 1);
	ck_assert_int_eq(table_programs(&table).silent, 1);
	ck_assert_str_eq(table_row(&table, 0)->note, "not answering");
	ck_assert_str_eq(shown(&table, 0, COLUMN_DEVICE), "0");
	look(&table, &third, 1);
	ck_assert_str_eq(table_row(&table, 0)->note, "");
	ck_assert_str_eq(shown(&table, 0, COLUMN_REQUESTS), "250");
	table_close(&table);
}
END_TEST

START_TEST(a_program_that_has_never_answered_is_a_row_with_a_note)
{
	struct job job = silent(7);
	struct table table;

	table_open(&table);
	look(&table, &job, 1);
	ck_assert_int_eq(table.count, 1);
	ck_assert_str_eq(shown(&table, 0, COLUMN_DEVICE), "-");
	ck_assert_str_eq(table_row(&table, 0)->note, "not answering");
	table_close(&table);
}
END_TEST

START_TEST(a_program_without_a_request_is_shown_only_where_that_is_wanted)
{
	struct job job = {
		.pid = 7, .state = JOB_LOADED, .folder = -1, .fd = -1};
	struct table table;

	table_open(&table);
	look(&table, &job, 1);
	ck_assert_int_eq(table.count, 0);
	ck_assert_int_eq(table_programs(&table).programs, 0);
	ck_assert_int_eq(table_programs(&table).waiting, 1);
	table_show_all(&table, true);
	ck_assert_int_eq(table.count, 1);
	ck_assert_str_eq(table_row(&table, 0)->note, "loaded, no socket yet");
	table_close(&table);
}
END_TEST

/* Three programs; the one in the middle has the most. */
static void three(struct job *jobs)
{
	jobs[0] = answered(10, "alpha", 1000, device("0", 2000, 10));
	jobs[1] = answered(20, "beta", 1000, device("0", 9000, 30));
	jobs[2] = answered(30, "gamma", 1000, device("1", 5000, 20));
}

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

START_TEST(an_answer_of_nonsense_is_shown_as_not_known)
{
	struct job jobs[] = {
		answered(
			1, "\033[2J\302\233", 1000,
			"[{\"device\":-5,\"pool\":7,\"allocs\":1,\"hits\":2}]"),
		answered(2, "b", 1000, "[3, null, {\"device\":0}]"),
		answered(3, "c", 1000, "{}")};
	struct device_sum sums[4];
	struct table table;

	table_open(&table);
	look(&table, jobs, 3);
	table_sort(&table, COLUMN_PID);
	ck_assert_str_eq(pids(&table), "1 2 2 2 3");
	ck_assert_str_eq(shown(&table, 0, COLUMN_COMMAND), "?[2J?");
	ck_assert_str_eq(shown(&table, 0, COLUMN_DEVICE), "?");
	ck_assert_str_eq(shown(&table, 0, COLUMN_POOL), "?");
	ck_assert_str_eq(shown(&table, 0, COLUMN_LIVE), "?");
	ck_assert_str_eq(shown(&table, 0, COLUMN_HITS), "?");
	ck_assert_str_eq(table_row(&table, 4)->note, "no device in use yet");
	ck_assert_int_eq(table_sums(&table, sums, 4), 1);
	ck_assert_int_eq(sums[0].reserved, 0);
	table_close(&table);
}
END_TEST

int main(void)
{
	static const TTest *tests[20];
	size_t n = 0;

	tests[n++] = a_row_has_the_figures_of_its_device;
	tests[n++] =
		a_rate_is_what_came_between_two_answers_by_the_time_between_them;
	tests[n++] = figures_that_have_fallen_are_another_programs;
	tests[n++] = rates_fit_their_column;
	tests[n++] = a_program_that_once_does_not_answer_keeps_its_rows;
	tests[n++] = a_program_that_has_never_answered_is_a_row_with_a_note;
	tests[n++] =
		a_program_without_a_request_is_shown_only_where_that_is_wanted;
	tests[n++] = rows_are_sorted_by_each_column_and_both_ways;
	tests[n++] = devices_are_sorted_as_numbers_and_the_host_is_last;
	tests[n++] = the_selection_stays_at_its_program;
	tests[n++] = the_selection_stays_at_its_place_if_its_program_has_gone;
	tests[n++] = the_selection_ends_at_both_ends;
	tests[n++] = a_filter_shows_only_commands_that_have_it;
	tests[n++] = a_devices_sum_is_that_of_its_programs;
	tests[n++] = as_many_columns_are_shown_as_fit;
	tests[n++] = an_answer_of_nonsense_is_shown_as_not_known;
	return tests_run("top", tests);
}
