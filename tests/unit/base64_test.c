/* Bytes as text, and back. */
#include <string.h>

#include "common/base64.h"
#include "draw.h"
#include "run.h"

/* RFC 4648, section 10, but for one. */
static const struct {
	const char *bytes, *text;
} known[] = {{"", ""},
	     {"f", "Zg=="},
	     {"Ma", "TWE="},
	     {"foo", "Zm9v"},
	     {"foob", "Zm9vYg=="},
	     {"fooba", "Zm9vYmE="},
	     {"foobar", "Zm9vYmFy"}};

START_TEST(known_bytes_have_their_text)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		char *text = base64_write((const unsigned char *)known[i].bytes,
					  strlen(known[i].bytes));
		unsigned char *bytes;
		size_t size;

		ck_assert_str_eq(text, known[i].text);
		ck_assert(base64_read(text, &bytes, &size));
		ck_assert_uint_eq(size, strlen(known[i].bytes));
		ck_assert_mem_eq(bytes, known[i].bytes, size);
		free(bytes);
		free(text);
	}
}
END_TEST

START_TEST(what_is_written_is_read)
{
	uint64_t random = 5;

	for (size_t size = 1; size < 300; size++) {
		unsigned char *bytes = malloc(size), *again;
		size_t read;
		char *text;

		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)draw(&random, 256);
		text = base64_write(bytes, size);
		ck_assert_uint_eq(strlen(text), (size + 2) / 3 * 4);
		ck_assert(base64_read(text, &again, &read));
		ck_assert_uint_eq(read, size);
		ck_assert_mem_eq(bytes, again, size);
		free(bytes);
		free(again);
		free(text);
	}
}
END_TEST

START_TEST(what_is_no_such_text_is_refused)
{
	static const char *const wrong[] = {
		"Z",       "Zg",   "Zg=",      "Zm8",       "Zm9vY",
		"Z===",    "====", "Zg==Zg==", "Zm 9",      "Zm\n9",
		"Zm9\xff", "=Zm9", "Zm=9",     "Zm9vYg=\n", "-_-_"};
	unsigned char *bytes;
	size_t size;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(!base64_read(wrong[i], &bytes, &size), "%s",
			      wrong[i]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {known_bytes_have_their_text,
				      what_is_written_is_read,
				      what_is_no_such_text_is_refused, NULL};

	return tests_run("base64", tests);
}
