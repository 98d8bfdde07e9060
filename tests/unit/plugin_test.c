#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "common/option.h"
#include "common/plugin.h"
#include "common/pool_choice.h"
#include "common/pool_list.h"
#include "../plugins/plugin.h"
#include "run.h"

static const struct mnm_pool_ops quiet = {.name = "quiet_pool", KEEPS_NOTHING};
static const struct mnm_pool_ops placed = {.name = "placed_pool",
					   PLACES_NOTHING};
static struct mnm_pool_ops named = {KEEPS_NOTHING};

static const struct mnm_pool_row good_rows[] = {
	{&quiet, "serves nothing", MNM_BACKING_NONE},
	{&placed, "has regions", MNM_BACKING_MANAGED},
};
static const struct mnm_plugin good = {MNM_POOL_VERSION, 2, good_rows};

/* One that the tests make wrong. */
static struct mnm_pool_row row;
static struct mnm_plugin odd;
static int closed;

static struct plugins *kept; /* a list that was added stays */

/* Files that are there, and are loaded by their numbers. */
static void *fake_open(const char *file, int flags)
{
	static char handles[2];

	if (flags != (RTLD_NOW | RTLD_LOCAL))
		return NULL;
	return !strcmp(file, "/good.so")  ? &handles[0]
	       : !strcmp(file, "/odd.so") ? &handles[1]
					  : NULL;
}

static void *fake_symbol(void *handle, const char *name)
{
	if (strcmp(name, "mnm_plugin"))
		return NULL;
	return handle == fake_open("/good.so", RTLD_NOW | RTLD_LOCAL)
		       ? (void *)&good
		       : (void *)&odd;
}

static const char *fake_error(void)
{
	return "/none.so: no such\nfile";
}

static void fake_close(void *handle)
{
	(void)handle;
	closed++;
}

static const struct plugin_loader loader = {fake_open, fake_symbol, fake_error,
					    fake_close};

static void odd_setup(void)
{
	named.name = "odd_pool";
	row = (struct mnm_pool_row){&named, "odd", MNM_BACKING_NONE};
	odd = (struct mnm_plugin){MNM_POOL_VERSION, 1, &row};
}

/* Adds the plug-in that is wrong. Returns what is said of it. */
static const char *odd_said(void)
{
	static char line[PLUGIN_LINE_SIZE];
	int before = pool_rows_count();
	struct plugins *plugins = plugins_open("/odd.so", &loader);

	plugins_add(plugins);
	ck_assert(plugin_refusal(&plugins->list[0], line));
	ck_assert_int_eq(pool_rows_count(), before);
	ck_assert_ptr_null(strchr(line, '\n'));
	plugins_close(plugins, &loader);
	return line;
}

static void says(const char *words)
{
	const char *line = odd_said();

	ck_assert_msg(strstr(line, words), "%s", line);
}

START_TEST(its_pools_come_after_ours_with_their_file)
{
	int before = pool_rows_count();
	struct plugins *plugins = kept =
		plugins_open("/none.so:/good.so:/good.so", &loader);
	char line[PLUGIN_LINE_SIZE], names[POOL_NAMES_SIZE];

	plugins_add(plugins);
	ck_assert_int_eq(pool_rows_count(), before + 2);
	ck_assert_str_eq(pool_rows[before].name, "quiet_pool");
	ck_assert_str_eq(pool_rows[before].file, "/good.so");
	ck_assert_ptr_eq(pool_rows[before + 1].ops, good_rows[1].ops);
	ck_assert_ptr_null(pool_rows[0].file);
	pool_names(names, sizeof(names));
	ck_assert_ptr_nonnull(strstr(names, "no_pool, quiet_pool, placed"));
	ck_assert(plugin_refusal(&plugins->list[0], line));
	ck_assert_str_eq(line, "plug-in /none.so is refused: no such?file");
	ck_assert(!plugin_refusal(&plugins->list[1], line));
	ck_assert(plugin_refusal(&plugins->list[2], line));
	ck_assert_ptr_nonnull(strstr(line, "taken by a pool of /good.so"));
}
END_TEST

START_TEST(a_plug_ins_pool_is_chosen_with_any_backing)
{
	static const char *const words[] = {"managed", "device", "virtual",
					    "host"};
	int row_at = pool_rows_count() + 1, choice;
	const char *bad;
	char text[64];

	kept = plugins_open("/good.so", &loader);
	plugins_add(kept);
	ck_assert_int_eq(pool_choice_find("placed_pool", &bad), row_at);
	ck_assert_int_eq(pool_choice_find("placed_pool@managed", &bad), row_at);
	for (int i = 0; i < 4; i++) {
		ck_assert_str_eq(pool_backing(&pool_rows[row_at], i), words[i]);
		snprintf(text, sizeof(text), "placed_pool@%s", words[i]);
		choice = pool_choice_find(text, &bad);
		ck_assert_int_eq(pool_choice_row(choice), row_at);
		ck_assert_str_eq(backing_words[pool_choice_backing(choice)],
				 words[i]);
		ck_assert_str_eq(pool_choice_name(choice),
				 i ? text : "placed_pool");
		ck_assert_str_eq(pool_choice_name(pool_choice_pinned(choice)),
				 "placed_pool@host");
	}
	ck_assert_ptr_null(pool_backing(&pool_rows[row_at], 4));
	ck_assert_int_eq(pool_choice_find("placed_pool@none", &bad), -1);
	ck_assert_ptr_nonnull(strstr(bad, "backing is not"));
	choice = pool_choice_find("quiet_pool", &bad);
	ck_assert_int_eq(pool_choice_pinned(choice), choice);
	ck_assert_int_eq(pool_choice_backing(choice), MNM_BACKING_NONE);
	ck_assert_int_eq(pool_choice_find("quiet_pool@device", &bad), -1);
	ck_assert_ptr_nonnull(strstr(bad, "no regions"));
}
END_TEST

START_TEST(our_own_choices_are_spelled_as_they_are_read)
{
	const char *bad;
	char text[64];

	for (int i = 0; pool_rows[i].name; i++) {
		ck_assert_int_eq(pool_choice_find(pool_rows[i].name, &bad), i);
		ck_assert_str_eq(pool_choice_name(i), pool_rows[i].name);
		for (int j = 1; pool_backing(&pool_rows[i], j); j++) {
			snprintf(text, sizeof(text), "%s@%s", pool_rows[i].name,
				 pool_backing(&pool_rows[i], j));
			ck_assert_str_eq(
				pool_choice_name(pool_choice_find(text, &bad)),
				text);
		}
	}
}
END_TEST

START_TEST(a_plug_in_of_another_version_is_refused)
{
	odd_setup();
	odd.version = MNM_POOL_VERSION + 1;
	odd.rows = NULL; /* nothing else is known of it */
	says("made for version 2 of mnm/pool.h, and this mnm has version 1");
}
END_TEST

START_TEST(a_plug_in_without_pools_or_with_too_many_is_refused)
{
	odd_setup();
	odd.count = 0;
	says("it has no pools");
	odd.count = 1;
	odd.rows = NULL;
	says("it has no pools");
	odd.rows = &row;
	odd.count = UINT32_MAX;
	says("it has 4294967295 pools, and there is room for 57 of 64");
}
END_TEST

START_TEST(a_row_that_is_not_right_is_refused)
{
	char text[300];

	odd_setup();
	row.ops = NULL;
	says("pool 0 has no ops");
	odd_setup();
	named.name = NULL;
	says("pool 0 has no name");
	odd_setup();
	row.backing = (enum mnm_backing)(MNM_BACKING_HOST + 1);
	says("odd_pool has the unknown backing 5");
	odd_setup();
	row.summary = NULL;
	says("odd_pool has no summary");
	row.summary = "";
	says("odd_pool has no summary");
	row.summary = "a\ttab";
	says("odd_pool has no summary");
	memset(text, 's', sizeof(text));
	text[201] = '\0';
	row.summary = text;
	says("odd_pool has no summary");
}
END_TEST

START_TEST(a_name_is_1_to_63_of_few_characters_and_nobody_elses)
{
	static const char *const wrong[] = {"",    "A",   "a@host",
					    "0:a", "a b", "a\n"};
	char text[65];

	odd_setup();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		named.name = wrong[i];
		says("allowed: 1 to 63 of a-z, 0-9 and _");
	}
	memset(text, 'a', 64);
	text[64] = '\0';
	named.name = text;
	says("allowed: 1 to 63");
	named.name = "no_pool";
	says("the name no_pool is taken by one of mnm's own pools");
}
END_TEST

START_TEST(the_longest_name_and_summary_are_taken)
{
	char name[64], summary[201], line[PLUGIN_LINE_SIZE], text[80];
	const char *bad;

	odd_setup();
	memset(name, 'a', 63);
	name[63] = '\0';
	memset(summary, 's', 200);
	summary[200] = '\0';
	named = placed;
	named.name = name;
	row.summary = summary;
	row.backing = MNM_BACKING_DEVICE;
	kept = plugins_open("/odd.so", &loader);
	plugins_add(kept);
	ck_assert(!plugin_refusal(&kept->list[0], line));
	snprintf(text, sizeof(text), "%s@managed", name);
	ck_assert_str_eq(pool_choice_name(pool_choice_find(text, &bad)), text);
}
END_TEST

START_TEST(functions_that_do_not_go_together_are_refused)
{
	odd_setup();
	named.span = NULL;
	says("odd_pool is no pool: it has no span");
	named = placed;
	named.name = "odd_pool";
	says("odd_pool is no pool: a backing goes with place");
}
END_TEST

START_TEST(one_wrong_row_refuses_the_whole_plug_in)
{
	struct mnm_pool_row two[2] = {good_rows[0], good_rows[1]};

	odd_setup();
	odd.count = 2;
	odd.rows = two;
	two[1].summary = NULL;
	says("placed_pool has no summary");
	ck_assert_int_eq(pool_row_find("quiet_pool"), -1);
	two[1] = two[0];
	says("two pools of the name quiet_pool");
	ck_assert_int_eq(pool_row_find("quiet_pool"), -1);
}
END_TEST

START_TEST(paths_are_absolute_and_a_list_that_is_not_added_is_closed)
{
	static const char *const wrong[] = {
		"", "a.so", "/a.so:", ":/a.so", "/a.so:b.so", "/a.so::/b.so"};
	struct plugins *plugins;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		ck_assert(!plugin_paths_valid(wrong[i]));
		ck_assert_ptr_null(plugins_open(wrong[i], &loader));
	}
	odd_setup();
	plugins = plugins_open("/odd.so:/none.so:/good.so", &loader);
	ck_assert_uint_eq(plugins->count, 3);
	plugins_close(plugins, &loader);
	ck_assert_int_eq(closed, 2);
}
END_TEST

START_TEST(names_that_do_not_fit_are_left_out_whole)
{
	char text[40];

	pool_names(text, sizeof(text));
	ck_assert_str_eq(text, "page_unit_pool, vmm_pool, ...");
}
END_TEST

int main(void)
{
	static const TTest *tests[12]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = its_pools_come_after_ours_with_their_file;
	tests[n++] = a_plug_ins_pool_is_chosen_with_any_backing;
	tests[n++] = our_own_choices_are_spelled_as_they_are_read;
	tests[n++] = a_plug_in_of_another_version_is_refused;
	tests[n++] = a_plug_in_without_pools_or_with_too_many_is_refused;
	tests[n++] = a_row_that_is_not_right_is_refused;
	tests[n++] = a_name_is_1_to_63_of_few_characters_and_nobody_elses;
	tests[n++] = the_longest_name_and_summary_are_taken;
	tests[n++] = functions_that_do_not_go_together_are_refused;
	tests[n++] = one_wrong_row_refuses_the_whole_plug_in;
	tests[n++] = paths_are_absolute_and_a_list_that_is_not_added_is_closed;
	tests[n++] = names_that_do_not_fit_are_left_out_whole;
	return tests_run("plugin", tests);
}
