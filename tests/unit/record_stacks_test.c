/* Stacks are kept once, by numbers, and read again. */
#include <string.h>

#include "record/read_stacks.h"
#include "record/stacks.h"
#include "run.h"

static const uint64_t frames[] = {0x7f0000001234, 0x55aa, UINT64_MAX};

START_TEST(a_stack_is_kept_once)
{
	uint32_t number = record_stack_keep(frames, 3);
	const uint64_t *kept;

	ck_assert_uint_eq(number, 1);
	ck_assert_uint_eq(record_stack_keep(frames, 3), number);
	ck_assert_uint_eq(record_stack_keep(frames, 2), 2);
	ck_assert_uint_eq(record_stack_keep(frames + 1, 2), 3);
	ck_assert_uint_eq(record_stack_at(number, &kept), 3);
	ck_assert(!memcmp(kept, frames, sizeof(frames)));
}
END_TEST

/* Stacks of so many addresses, until there is no room for more. */
static void fill(size_t count, uint32_t most)
{
	uint64_t other[STACK_DEPTH] = {0};
	uint32_t number = 1, last = 0;

	for (uint64_t i = 1; number; i++) {
		other[0] = i;
		number = record_stack_keep(other, count);
		last = number ? number : last;
	}
	ck_assert_uint_eq(last, most);
	other[0] = 1;
	ck_assert_uint_eq(record_stack_keep(other, count), 1);
	other[0] = UINT64_MAX;
	ck_assert_uint_eq(record_stack_keep(other, count), 0);
}

START_TEST(there_are_so_many)
{
	fill(1, STACKS_MOST);
}
END_TEST

START_TEST(there_are_so_many_addresses)
{
	fill(STACK_DEPTH, STACKS_WORDS / (STACK_DEPTH + 1));
}
END_TEST

static struct mnm_record_event stack_of(uint64_t number, const char *text)
{
	return (struct mnm_record_event){
		.kind = MNM_RECORD_STACK, .address = number, .text = text};
}

static struct mnm_record_event request_of(uint64_t number)
{
	return (struct mnm_record_event){.kind = MNM_RECORD_ALLOC,
					 .flags = MNM_RECORD_STACKED,
					 .site = number};
}

START_TEST(what_was_written_is_read)
{
	struct mnm_record_event told, asked = request_of(7);
	struct read_stacks stacks = {0};
	char text[STACK_TEXT_SIZE];
	const uint64_t *read;
	size_t count;

	record_stack_write(record_stack_keep(frames, 3), text);
	told = stack_of(7, text);
	read_stacks_turn(&stacks, &told);
	read_stacks_turn(&stacks, &asked);
	ck_assert_uint_eq(asked.site, frames[0]);
	ck_assert_uint_eq(asked.stack, 7);
	read = read_stacks_at(&stacks, asked.stack, &count);
	ck_assert_uint_eq(count, 3);
	ck_assert(!memcmp(read, frames, sizeof(frames)));
	read_stacks_close(&stacks);
}
END_TEST

START_TEST(a_stack_that_is_not_told_is_none)
{
	static const uint64_t numbers[] = {0,
					   8,
					   70,
					   5000,
					   STACKS_MOST + 1,
					   UINT32_MAX + UINT64_C(8),
					   UINT64_MAX};
	struct mnm_record_event told = stack_of(7, "1 2"), asked;
	struct read_stacks stacks = {0};
	size_t count;

	read_stacks_turn(&stacks, &told);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		asked = request_of(numbers[i]);
		read_stacks_turn(&stacks, &asked);
		ck_assert_uint_eq(asked.site, 0);
		ck_assert_uint_eq(asked.stack, 0);
	}
	ck_assert_ptr_null(read_stacks_at(&stacks, UINT32_MAX, &count));
	ck_assert_uint_eq(count, 0);
	read_stacks_close(&stacks);
}
END_TEST

START_TEST(a_wrong_text_is_a_shorter_stack)
{
	static const struct {
		const char *text;
		size_t count;
	} rows[] = {{"", 0}, {"x", 0}, {"1 x", 1}, {"1  2", 2}, {"1 2", 2}};
	size_t count;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mnm_record_event told = stack_of(1, rows[i].text);
		struct read_stacks stacks = {0};

		read_stacks_turn(&stacks, &told);
		read_stacks_at(&stacks, 1, &count);
		ck_assert_uint_eq(count, rows[i].count);
		read_stacks_close(&stacks);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_stack_is_kept_once,
		there_are_so_many,
		there_are_so_many_addresses,
		what_was_written_is_read,
		a_stack_that_is_not_told_is_none,
		a_wrong_text_is_a_shorter_stack,
		NULL,
	};

	return tests_run("record stacks", tests);
}
