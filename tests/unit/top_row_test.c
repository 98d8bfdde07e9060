#include "run.h"
#include "top_jobs.h"

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
	static const TTest *tests[9];
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
	tests[n++] = an_answer_of_nonsense_is_shown_as_not_known;
	return tests_run("top_row", tests);
}
