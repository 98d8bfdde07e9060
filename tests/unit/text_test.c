#include "run.h"
#include "common/text.h"

static void plain(const char *from, const char *expected)
{
	char text[16];

	ck_assert_str_eq(text_plain(from, text, sizeof(text)), expected);
}

START_TEST(what_a_terminal_would_obey_becomes_a_question_mark)
{
	char same[] = "a\033b";

	plain("plain ~", "plain ~");
	plain(NULL, "");
	plain("\033[2J", "?[2J");
	plain("a\tb\nc\177", "a?b?c?");
	plain("\302\233m", "?m"); /* U+009B begins a control sequence */
	plain("\233m", "?m");
	/* NOLINTBEGIN(misc-misleading-bidirectional): what is cut */
	plain("x\342\200\256y", "x?y"); /* U+202E turns the line around */
	plain("\303\251t\303\251", "?t?");
	plain("\377\300\200", "??");
	plain("\303", "?");
	plain("\342\200", "?");
	plain("0123456789abcdefg", "0123456789abcde");
	plain("01234567890123\342\200\256y", "01234567890123?");
	/* NOLINTEND(misc-misleading-bidirectional) */
	ck_assert_str_eq(text_plain(same, same, sizeof(same)), "a?b");
}
END_TEST

#define TITLE(expected, ...) \
	do { \
		const char *const words[] = {__VA_ARGS__}; \
		char text[32]; \
\
		ck_assert_str_eq(text_title(words, \
					    sizeof(words) / sizeof(*words), \
					    text, sizeof(text)), \
				 expected); \
	} while (0)

START_TEST(a_python_job_is_called_by_its_script)
{
	TITLE("train", "/home/me/train", "-v");
	TITLE("train.py", "python3", "train.py", "--epochs", "3");
	TITLE("train.py", "/usr/bin/python3.11", "-u", "/a/b/train.py");
	TITLE("train.py", "python", "-W", "ignore", "-Xdev", "-uB", "train.py");
	TITLE("torch.distributed.run", "python3", "-um",
	      "torch.distributed.run", "train.py");
	TITLE("pdb", "pypy3", "-mpdb", "train.py");
	TITLE("torchrun", "/usr/bin/python3", "/usr/local/bin/torchrun");
	TITLE("python3", "python3", "-c", "import torch");
	TITLE("python3", "python3", "-ic", "import torch");
	TITLE("python3", "python3");
	TITLE("python3", "python3", "-");
	TITLE("python3", "python3", "-W");
	TITLE("x.py", "python3", "--check-hash-based-pycs", "never", "x.py");
	TITLE("pythonic", "pythonic", "train.py");
	TITLE("a?b.py", "python3", "a\033b.py");
	TITLE("", "");
}
END_TEST

static void bytes(int64_t value, const char *expected)
{
	char text[TEXT_BYTES_SIZE];

	ck_assert_str_eq(text_bytes(value, text), expected);
	ck_assert_uint_le(strlen(text), 8);
}

START_TEST(bytes_are_told_in_eight_characters)
{
	bytes(0, "0 B");
	bytes(999, "999 B");
	bytes(1000, "0.98 KiB");
	bytes(1024, "1.00 KiB");
	bytes(10240 - 1, "10.0 KiB");
	bytes(102400 - 1, "100 KiB");
	bytes(1023 * 1024, "1.00 MiB");
	bytes((int64_t)3 << 29, "1.50 GiB");
	bytes((int64_t)139 << 30, "139 GiB");
	bytes(INT64_MAX, "8.00 EiB");
	bytes(-1, "?");
	bytes(INT64_MIN, "?");
	for (int64_t value = 1; value > 0 && value < INT64_MAX / 3;
	     value += value / 7 + 1) {
		char text[TEXT_BYTES_SIZE];

		ck_assert_uint_le(strlen(text_bytes(value, text)), 8);
	}
}
END_TEST

START_TEST(a_text_that_is_cut_ends_with_dots)
{
	char text[] = "abcdefgh";

	ck_assert_str_eq(text_cut(text, 9), "abcdefgh");
	ck_assert_str_eq(text_cut(text, 8), "abcdefgh");
	ck_assert_str_eq(text_cut(text, 7), "abcd...");
	ck_assert_str_eq(text_cut(text, 3), "...");
}
END_TEST

int main(void)
{
	static const TTest *tests[5];
	size_t n = 0;

	tests[n++] = what_a_terminal_would_obey_becomes_a_question_mark;
	tests[n++] = a_python_job_is_called_by_its_script;
	tests[n++] = bytes_are_told_in_eight_characters;
	tests[n++] = a_text_that_is_cut_ends_with_dots;
	return tests_run("text", tests);
}
