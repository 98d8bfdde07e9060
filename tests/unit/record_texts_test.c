/* Texts that the program may free are kept, each once. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "record/texts.h"
#include "run.h"

enum { THREADS = 4, EACH = 2000 };

START_TEST(a_text_is_kept_once)
{
	char name[] = "forward";
	const char *kept = record_text(NULL, name);

	name[0] = '#';
	ck_assert_str_eq(kept, "forward");
	ck_assert_ptr_eq(record_text(NULL, "forward"), kept);
	ck_assert_ptr_ne(record_text(NULL, "#orward"), kept);
	ck_assert_str_eq(record_text("NCCL", "reduce"), "NCCL: reduce");
	ck_assert_str_eq(record_text(NULL, ""), "");
	ck_assert(record_text_is(kept));
	ck_assert(!record_text_is(name));
}
END_TEST

START_TEST(a_long_text_is_cut_off_between_characters)
{
	char name[2 * TEXT_SIZE] = "";
	const char *kept;

	memset(name, 'x', sizeof(name) - 1);
	kept = record_text("domain", name);
	ck_assert_uint_eq(strlen(kept), TEXT_SIZE - 1);
	ck_assert(!strncmp(kept, "domain: xxx", 11));
	for (size_t i = 0; i + 1 < sizeof(name); i += 2) {
		name[i] = '\xc3';
		name[i + 1] = '\xa4';
	}
	kept = record_text(NULL, name);
	ck_assert_uint_eq(strlen(kept), TEXT_SIZE - 2);
	ck_assert(!strncmp(kept, name, TEXT_SIZE - 2));
}
END_TEST

static void *add_all(void *arg)
{
	const char **kept = arg;
	char name[32];

	for (int i = 0; i < EACH; i++) {
		snprintf(name, sizeof(name), "iteration %d", i);
		kept[i] = record_text(NULL, name);
	}
	return NULL;
}

START_TEST(threads_that_come_at_once_get_the_same)
{
	static const char *kept[THREADS][EACH];
	pthread_t threads[THREADS];
	char name[32];

	for (int i = 0; i < THREADS; i++)
		ck_assert(!pthread_create(&threads[i], NULL, add_all, kept[i]));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < EACH; i++) {
		snprintf(name, sizeof(name), "iteration %d", i);
		ck_assert_str_eq(kept[0][i], name);
		for (int j = 1; j < THREADS; j++)
			ck_assert_ptr_eq(kept[j][i], kept[0][i]);
	}
}
END_TEST

/* With texts of that many bytes, one after the other. */
static void fill(int length)
{
	const char *first = record_text(NULL, "first"), *kept = first;
	char name[TEXT_SIZE];
	int count = 0;

	for (; strcmp(kept, "...") && count <= 2 * TEXTS_MOST; count++) {
		snprintf(name, sizeof(name), "%0*d", length, count);
		kept = record_text(NULL, name);
	}
	ck_assert_int_gt(count, TEXTS_BYTES / TEXT_SIZE / 2);
	ck_assert_int_le(count, TEXTS_MOST);
	ck_assert_str_eq(record_text(NULL, "another one"), "...");
	ck_assert_ptr_eq(record_text(NULL, "first"), first);
	ck_assert(record_text_is(kept));
}

START_TEST(three_dots_stand_for_all_beyond_so_many)
{
	fill(8);
}
END_TEST

START_TEST(three_dots_stand_for_all_beyond_so_many_bytes)
{
	fill(TEXT_SIZE - 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_text_is_kept_once,
		a_long_text_is_cut_off_between_characters,
		threads_that_come_at_once_get_the_same,
		three_dots_stand_for_all_beyond_so_many,
		three_dots_stand_for_all_beyond_so_many_bytes,
		NULL,
	};

	return tests_run("record texts", tests);
}
