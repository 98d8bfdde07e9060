#include "common/option.h"
#include "common/pool_choice.h"
#include "common/pool_list.h"
#include "run.h"

static struct config config;
static char error[OPTION_ERROR_SIZE];

static void setup(void)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		char variable[64];

		option_variable(row, variable, sizeof(variable));
		unsetenv(variable);
	}
	config_init(&config);
}

START_TEST(every_row_has_a_default_that_its_parser_takes)
{
	setup();
	for (const struct option_row *row = option_rows; row->name; row++)
		ck_assert_msg(
			config_set(&config, row->name, row->initial, error),
			"%s", error);
	ck_assert_uint_eq(config.page_size, 4096);
	ck_assert_str_eq(pool_rows[config.pool[0]].name, POOL_DEFAULT);
	ck_assert_str_eq(pool_rows[config.pool[63]].name, POOL_DEFAULT);
}
END_TEST

START_TEST(sizes_take_suffixes)
{
	size_t size;

	ck_assert(size_parse("12", &size) && size == 12);
	ck_assert(size_parse("3K", &size) && size == 3 << 10);
	ck_assert(size_parse("3m", &size) && size == 3 << 20);
	ck_assert(size_parse("3G", &size) && size == (size_t)3 << 30);
	ck_assert(size_parse("0", &size) && size == 0);
	ck_assert(size_parse("8GB", &size) && size == (size_t)8 << 30);
	ck_assert(size_parse("64MiB", &size) && size == 64 << 20);
	ck_assert(size_parse("64mb", &size) && size == 64 << 20);
	ck_assert(size_parse("1.5G", &size) && size == (size_t)3 << 29);
	ck_assert(size_parse("0.25KiB", &size) && size == 256);
	ck_assert(size_parse("17179869183.5G", &size) &&
		  size == SIZE_MAX - (1 << 29) + 1);
	ck_assert(size_parse("17179869183.99999999999999999999G", &size) &&
		  size == SIZE_MAX);
}
END_TEST

START_TEST(a_path_that_is_too_long_is_told_as_such)
{
	char path[sizeof(config.socket_dir) + 1];

	setup();
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	ck_assert(!config_set(&config, "socket_dir", path, error));
	ck_assert_ptr_nonnull(strstr(error, ": too long; allowed: "));
	path[sizeof(path) - 2] = '\0';
	ck_assert(config_set(&config, "socket_dir", path, error));
	ck_assert(!config_set(&config, "socket_dir", "x", error));
	ck_assert_ptr_nonnull(strstr(error, ": not allowed; allowed: "));
}
END_TEST

START_TEST(what_is_no_size_is_refused)
{
	static const char *const wrong[] = {"",       "K",
					    "-1",     "+1",
					    " 1",     "1 ",
					    "1KBs",   "1T",
					    "0x1",    "18446744073709551616",
					    "1.5",    "17179869184G",
					    "1.G",    ".5G",
					    "1.5.5G", "1iB",
					    "1Ki",    "1 G",
					    "1BK",    "1e3"};
	size_t size = 7;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(!size_parse(wrong[i], &size), "'%s'", wrong[i]);
	ck_assert_uint_eq(size, 7);
}
END_TEST

START_TEST(a_page_is_a_power_of_two_from_512_to_2_mib)
{
	setup();
	ck_assert(config_set(&config, "page_size", "512", error));
	ck_assert(config_set(&config, "page_size", "2M", error));
	ck_assert(!config_set(&config, "page_size", "256", error));
	ck_assert(!config_set(&config, "page_size", "4M", error));
	ck_assert(!config_set(&config, "page_size", "12288", error));
	ck_assert_uint_eq(config.page_size, 2 << 20);
	ck_assert_ptr_nonnull(strstr(error, "power of two"));
}
END_TEST

START_TEST(size_classes_are_linear_or_a_power_of_two_to_64)
{
	static const char *const wrong[] = {"",   "0",  "3",  "128", "-1",
					    "1K", "+2", "2 ", "auto"};

	setup();
	ck_assert_uint_eq(config.size_classes, 0);
	ck_assert(config_set(&config, "size_classes", "1", error));
	ck_assert(config_set(&config, "size_classes", "64", error));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(
			!config_set(&config, "size_classes", wrong[i], error),
			"'%s'", wrong[i]);
	ck_assert_uint_eq(config.size_classes, 64);
	ck_assert_ptr_nonnull(strstr(error, "linear"));
	ck_assert(config_set(&config, "size_classes", "linear", error));
	ck_assert_uint_eq(config.size_classes, 0);
}
END_TEST

START_TEST(an_idle_limit_is_auto_off_bytes_or_percent)
{
	static const char *const wrong[] = {
		"", "%", "-1%", "10%%", "1.5%", "on", "10001%", "1T", "AUTO"};

	setup();
	ck_assert_int_eq(config.idle_limit.kind, IDLE_AUTO);
	ck_assert(config_set(&config, "idle_limit", "off", error));
	ck_assert_int_eq(config.idle_limit.kind, IDLE_OFF);
	ck_assert(config_set(&config, "idle_limit", "0", error));
	ck_assert_int_eq(config.idle_limit.kind, IDLE_BYTES);
	ck_assert_uint_eq(config.idle_limit.number, 0);
	ck_assert(config_set(&config, "idle_limit", "64M", error));
	ck_assert_uint_eq(config.idle_limit.number, 64 << 20);
	ck_assert(config_set(&config, "idle_limit", "10000%", error));
	ck_assert_int_eq(config.idle_limit.kind, IDLE_PERCENT);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(
			!config_set(&config, "idle_limit", wrong[i], error),
			"'%s'", wrong[i]);
	ck_assert_int_eq(config.idle_limit.kind, IDLE_PERCENT);
	ck_assert_uint_eq(config.idle_limit.number, 10000);
}
END_TEST

START_TEST(a_cutoff_is_an_exponent_from_20_to_34)
{
	static const char *const wrong[] = {"",   "19",  "35",
					    "-1", "16M", "24.0"};

	setup();
	ck_assert_uint_eq(config.round_cutoff, 24);
	ck_assert(config_set(&config, "round_cutoff", "20", error));
	ck_assert_uint_eq(config.round_cutoff, 20);
	ck_assert(config_set(&config, "round_cutoff", "34", error));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(
			!config_set(&config, "round_cutoff", wrong[i], error),
			"'%s'", wrong[i]);
	ck_assert_uint_eq(config.round_cutoff, 34);
}
END_TEST

START_TEST(a_headroom_is_a_percentage)
{
	setup();
	ck_assert_uint_eq(config.headroom, 5);
	ck_assert(config_set(&config, "headroom", "0", error));
	ck_assert_uint_eq(config.headroom, 0);
	ck_assert(config_set(&config, "headroom", "100", error));
	ck_assert(!config_set(&config, "headroom", "101", error));
	ck_assert(!config_set(&config, "headroom", "5%", error));
	ck_assert_uint_eq(config.headroom, 100);
}
END_TEST

START_TEST(a_time_is_whole_seconds_and_a_wrong_one_is_told_so)
{
	static const char *const wrong[] = {"",   "0.05", "-1",        "1s",
					    "1K", "auto", "2147483648"};

	setup();
	ck_assert(config_set(&config, "device_idle", "2147483647", error));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		*error = '\0';
		ck_assert_msg(
			!config_set(&config, "device_idle", wrong[i], error),
			"'%s'", wrong[i]);
		ck_assert_ptr_nonnull(strstr(error, "whole seconds"));
	}
	ck_assert_uint_eq(config.device_idle, 2147483647);
}
END_TEST

START_TEST(pools_are_chosen_for_all_devices_or_for_each)
{
	int none = pool_row_find("no_pool");
	int page = pool_row_find("page_unit_pool");

	setup();
	ck_assert(config_set(&config, "pool", "no_pool", error));
	ck_assert_int_eq(config.pool[0], none);
	ck_assert_int_eq(config.pool[63], none);
	ck_assert(config_set(&config, "pool", "1:page_unit_pool,5:no_pool",
			     error));
	ck_assert_int_eq(config.pool[0], none);
	ck_assert_int_eq(config.pool[1], page);
	ck_assert_int_eq(config.pool[5], none);
}
END_TEST

START_TEST(a_pool_that_places_may_have_another_backing)
{
	int vmm = pool_row_find("vmm_pool");
	int managed;

	setup();
	ck_assert(config_set(&config, "pool",
			     "vmm_pool@virtual,1:vmm_pool@managed", error));
	ck_assert_int_eq(config.pool[0], vmm);
	managed = config.pool[1];
	ck_assert_int_ne(managed, vmm);
	ck_assert_int_eq(pool_choice_row(managed), vmm);
	ck_assert_str_eq(pool_choice_name(managed), "vmm_pool@managed");
	ck_assert_int_eq(pool_choice_backing(vmm), MNM_BACKING_VIRTUAL);
	ck_assert_int_eq(pool_choice_backing(managed), MNM_BACKING_MANAGED);
	ck_assert_int_eq(pool_choice_backing(config.pool[DEVICE_HOST]),
			 MNM_BACKING_VIRTUAL);
}
END_TEST

START_TEST(a_wrong_pool_is_named_with_those_allowed_and_changes_nothing)
{
	static const char *const wrong[] = {"fast_pool",
					    "0:fast_pool",
					    ":no_pool",
					    "64:no_pool",
					    "-1:no_pool",
					    "0:no_pool,",
					    "x:no_pool",
					    "0:",
					    "0:no_pool,0:no_pool",
					    "host:no_pool,host:no_pool",
					    "1:no_pool,01:no_pool",
					    "no_pool@device",
					    "0:vmm_pool@host",
					    "vmm_pool@",
					    "@device",
					    "no_pool,host:vmm_pool@device",
					    "no_pool,no_pool"};
	struct config before;

	setup();
	before = config;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		ck_assert_msg(!config_set(&config, "pool", wrong[i], error),
			      "'%s'", wrong[i]);
		ck_assert_ptr_nonnull(strstr(error, wrong[i]));
		ck_assert_ptr_nonnull(strstr(error, "no_pool"));
	}
	ck_assert_mem_eq(&config, &before, sizeof(config));
}
END_TEST

START_TEST(a_name_alone_is_for_those_that_are_not_named)
{
	int none = pool_row_find("no_pool");
	int page = pool_row_find("page_unit_pool");

	setup();
	ck_assert(
		config_set(&config, "pool", "1:no_pool,page_unit_pool", error));
	ck_assert_int_eq(config.pool[0], page);
	ck_assert_int_eq(config.pool[1], none);
	ck_assert(
		config_set(&config, "pool", "no_pool,1:page_unit_pool", error));
	ck_assert_int_eq(config.pool[0], none);
	ck_assert_int_eq(config.pool[1], page);
}
END_TEST

/* Sets the option, reads it back, and sets what was read. */
static void round_trip(const char *name, const char *value, const char *told)
{
	struct config again = config;
	char text[256];

	ck_assert_msg(config_set(&config, name, value, error), "%s", error);
	config_text(&config, option_find(name), text, sizeof(text));
	ck_assert_str_eq(text, told);
	ck_assert_msg(config_set(&again, name, text, error), "%s", error);
	ck_assert_mem_eq(&again, &config, sizeof(config));
}

START_TEST(every_option_is_told_in_the_words_that_set_it)
{
	setup();
	round_trip("pool", "no_pool", "no_pool");
	round_trip("pool", "vmm_pool@device,2:vmm_pool@virtual",
		   "vmm_pool@device,2:vmm_pool");
	round_trip("pool", "no_pool,2:page_unit_pool,host:page_unit_pool",
		   "no_pool,2:page_unit_pool,host:page_unit_pool");
	round_trip("pool", "page_unit_pool,63:no_pool",
		   "page_unit_pool,63:no_pool");
	round_trip("page_size", "65536", "64K");
	round_trip("size_classes", "linear", "linear");
	round_trip("size_classes", "8", "8");
	round_trip("round_cutoff", "34", "34");
	round_trip("headroom", "100", "100");
	round_trip("quarantine", "auto", "auto");
	round_trip("quarantine", "1.5G", "1536M");
	round_trip("thread_cache", "0", "0");
	round_trip("hard_limit", "8GB", "8G");
	round_trip("hard_limit", "2048G", "2048G");
	round_trip("hard_limit", "1000", "1000");
	round_trip("oversubscribe", "8GB", "8G");
	round_trip("oversubscribe", "auto", "auto");
	round_trip("oversubscribe", "off", "off");
	round_trip("oversubscribe", "0", "off");
	round_trip("host_idle", "7", "7");
	round_trip("meminfo", "real", "real");
	round_trip("log", "debug", "debug");
	round_trip("fence", "sync", "sync");
	round_trip("disable", "1", "1");
	round_trip("stat_file", "a %p", "a %p");
}
END_TEST

START_TEST(an_unknown_option_is_named_with_those_known)
{
	setup();
	ck_assert(!config_set(&config, "colour", "red", error));
	ck_assert_ptr_nonnull(strstr(error, "colour"));
	ck_assert_ptr_nonnull(strstr(error, "page_size"));
}
END_TEST

START_TEST(the_environment_is_read_and_an_empty_value_is_none)
{
	setup();
	setenv("MNM_POOL_LIMIT", "64M", 1);
	setenv("MNM_HARD_LIMIT", "", 1);
	ck_assert(config_read(&config, error));
	ck_assert_uint_eq(config.pool_limit, 64 << 20);
	ck_assert_uint_eq(config.hard_limit, 0);
	setenv("MNM_DISABLE", "yes", 1);
	ck_assert(!config_read(&config, error));
	ck_assert_ptr_nonnull(strstr(error, "disable"));
}
END_TEST

int main(void)
{
	static const TTest *tests[18]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = every_row_has_a_default_that_its_parser_takes;
	tests[n++] = sizes_take_suffixes;
	tests[n++] = a_path_that_is_too_long_is_told_as_such;
	tests[n++] = what_is_no_size_is_refused;
	tests[n++] = a_page_is_a_power_of_two_from_512_to_2_mib;
	tests[n++] = size_classes_are_linear_or_a_power_of_two_to_64;
	tests[n++] = an_idle_limit_is_auto_off_bytes_or_percent;
	tests[n++] = a_cutoff_is_an_exponent_from_20_to_34;
	tests[n++] = a_headroom_is_a_percentage;
	tests[n++] = a_time_is_whole_seconds_and_a_wrong_one_is_told_so;
	tests[n++] = pools_are_chosen_for_all_devices_or_for_each;
	tests[n++] = a_pool_that_places_may_have_another_backing;
	tests[n++] =
		a_wrong_pool_is_named_with_those_allowed_and_changes_nothing;
	tests[n++] = a_name_alone_is_for_those_that_are_not_named;
	tests[n++] = every_option_is_told_in_the_words_that_set_it;
	tests[n++] = an_unknown_option_is_named_with_those_known;
	tests[n++] = the_environment_is_read_and_an_empty_value_is_none;
	return tests_run("option", tests);
}
