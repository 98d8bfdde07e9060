/* A plan in a file: what is written is read, and nothing else is. */
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "plan/plan_file.h"
#include "plan_problems.h"
#include "run.h"

enum {
	SEEDS = 60,
	REQUESTS = 24,
	LAPS = 3,
	UNIT = PLAN_FILE_UNIT,
	FLIPS = 4000,
};

static struct plan_file file, again;
static struct plan_buffer buffers[REQUESTS * LAPS];
static struct cycle_request requests[REQUESTS];
static struct beginning_kept kept[REQUESTS];
static unsigned char *bytes;
static size_t size;

/* Draws a plan of an iteration with some requests that have no place. */
static void file_draw(uint64_t seed)
{
	const struct plan_options options = {.seconds = 0.01, .seed = seed};
	struct cycle *cycle = &file.cycle;
	uint64_t random = seed, at = 0;
	size_t per_lap = 0;

	file = (struct plan_file){.device = (uint32_t)draw(&random, 9)};
	cycle->requests = requests;
	cycle->laps = 1 + (uint32_t)draw(&random, LAPS);
	cycle->count = 2 + draw(&random, REQUESTS - 1);
	for (size_t i = 0; i < cycle->count; i++) {
		uint64_t life = 1 + draw(&random, cycle->count);
		uint64_t bytes_asked = UNIT * (1 + draw(&random, 100000));

		at += draw(&random, 4) ? 0 : draw(&random, 5);
		requests[i] = (struct cycle_request){
			.token = history_token(bytes_asked, i % 5 ? 0 : 255),
			.at = (uint32_t)at,
			.size = bytes_asked,
			.place = CYCLE_NONE,
		};
		if (!i || draw(&random, 8)) {
			buffers[per_lap] = (struct plan_buffer){at, at + life,
								bytes_asked, 0};
			requests[i].place = (uint32_t)per_lap++;
		}
		at++;
	}
	cycle->length = at + draw(&random, 3);
	cycle->per_lap = per_lap;
	for (size_t i = per_lap; i < per_lap * cycle->laps; i++) {
		buffers[i] = buffers[i - per_lap];
		buffers[i].lower += cycle->length;
		buffers[i].upper += cycle->length;
	}
	cycle->problem = (struct plan_problem){buffers, per_lap * cycle->laps,
					       cycle->laps * cycle->length};
	ck_assert_int_eq(plan_solve(&cycle->problem, &options, &file.plan),
			 PLAN_DONE);
	file.least = (uint32_t)draw(&random, cycle->count);
	if (!draw(&random, 3))
		return;
	file.beginning = (struct beginning){
		.known = true,
		.slot = (uint32_t)draw(&random, cycle->count),
		.requests = 1 + draw(&random, 1000),
		.sum = beginning_add(seed, 3),
		.kept = kept,
		.kept_count = draw(&random, REQUESTS),
	};
	for (size_t i = 0; i < file.beginning.kept_count; i++)
		kept[i] = (struct beginning_kept){
			file.beginning.requests + 3 * i, UNIT * (1 + i)};
}

static void file_write(uint64_t seed)
{
	file_draw(seed);
	bytes = plan_file_write(&file, &size);
	ck_assert_ptr_nonnull(bytes);
}

static void file_end(void)
{
	free(bytes);
	plan_release(&file.plan);
}

static void beginnings_compare(const struct beginning *one,
			       const struct beginning *other)
{
	ck_assert(one->known == other->known);
	ck_assert_uint_eq(one->slot, other->slot);
	ck_assert_uint_eq(one->requests, other->requests);
	ck_assert_uint_eq(one->sum, other->sum);
	ck_assert_uint_eq(one->kept_count, other->kept_count);
	for (size_t i = 0; i < one->kept_count; i++) {
		ck_assert_uint_eq(one->kept[i].request, other->kept[i].request);
		ck_assert_uint_eq(one->kept[i].size, other->kept[i].size);
	}
}

static void files_compare(void)
{
	const struct cycle *one = &file.cycle, *other = &again.cycle;

	ck_assert_uint_eq(file.device, again.device);
	ck_assert_uint_eq(file.least, again.least);
	ck_assert_uint_eq(file.plan.peak, again.plan.peak);
	ck_assert_uint_eq(file.plan.bound, again.plan.bound);
	ck_assert_uint_eq(one->length, other->length);
	ck_assert_uint_eq(one->laps, other->laps);
	ck_assert_uint_eq(one->count, other->count);
	ck_assert_uint_eq(one->per_lap, other->per_lap);
	ck_assert_uint_eq(one->problem.count, other->problem.count);
	ck_assert_uint_eq(one->problem.period, other->problem.period);
	for (size_t i = 0; i < one->count; i++) {
		ck_assert_uint_eq(one->requests[i].token,
				  other->requests[i].token);
		ck_assert_uint_eq(one->requests[i].at, other->requests[i].at);
		ck_assert_uint_eq(one->requests[i].size,
				  other->requests[i].size);
		ck_assert_uint_eq(one->requests[i].place,
				  other->requests[i].place);
	}
	for (size_t i = 0; i < one->problem.count; i++) {
		const struct plan_buffer *a = &one->problem.buffers[i],
					 *b = &other->problem.buffers[i];

		ck_assert_uint_eq(a->lower, b->lower);
		ck_assert_uint_eq(a->upper, b->upper);
		ck_assert_uint_eq(a->size, b->size);
		ck_assert_uint_eq(file.plan.offsets[i], again.plan.offsets[i]);
	}
	beginnings_compare(&file.beginning, &again.beginning);
}

START_TEST(what_is_written_is_read)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		file_write(seed);
		ck_assert_pstr_eq(plan_file_read(&again, bytes, size), NULL);
		files_compare();
		plan_file_release(&again);
		file_end();
	}
}
END_TEST

START_TEST(what_is_cut_off_anywhere_is_refused)
{
	for (uint64_t seed = 1; seed <= SEEDS / 6; seed++) {
		file_write(seed);
		for (size_t length = 0; length < size; length++) {
			/* So that a read past the end is seen. */
			unsigned char *part = malloc(length ? length : 1);

			memcpy(part, bytes, length);
			ck_assert_ptr_nonnull(
				plan_file_read(&again, part, length));
			free(part);
		}
		file_end();
	}
}
END_TEST

static void head_set(unsigned char *at, size_t length)
{
	uint64_t sum =
		plan_file_sum(at + PLAN_FILE_HEAD, length - PLAN_FILE_HEAD);

	for (int i = 0; i < 4; i++)
		at[12 + i] =
			(unsigned char)((length - PLAN_FILE_HEAD) >> 8 * i);
	for (int i = 0; i < 8; i++)
		at[16 + i] = (unsigned char)(sum >> 8 * i);
}

START_TEST(what_is_cut_off_and_summed_up_anew_is_refused)
{
	for (uint64_t seed = 1; seed <= SEEDS / 6; seed++) {
		file_write(seed);
		for (size_t length = PLAN_FILE_HEAD; length < size; length++) {
			unsigned char *part = malloc(length);

			memcpy(part, bytes, length);
			head_set(part, length);
			ck_assert_ptr_nonnull(
				plan_file_read(&again, part, length));
			free(part);
		}
		file_end();
	}
}
END_TEST

START_TEST(a_bit_that_is_another_is_noticed)
{
	for (uint64_t seed = 1; seed <= SEEDS / 6; seed++) {
		file_write(seed);
		for (size_t bit = 0; bit < 8 * size; bit++) {
			bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
			ck_assert_ptr_nonnull(
				plan_file_read(&again, bytes, size));
			bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		file_end();
	}
}
END_TEST

/* Whatever was read may be followed. */
static void read_check(void)
{
	const struct cycle *cycle = &again.cycle;
	const struct beginning *begin = &again.beginning;

	ck_assert(offsets_are_valid(&cycle->problem, again.plan.offsets));
	ck_assert_uint_le(cycle->count, cycle->length);
	ck_assert_uint_lt(again.least, cycle->count);
	ck_assert_uint_lt(begin->slot, cycle->count);
	for (size_t i = 0; i < cycle->count; i++) {
		ck_assert_uint_lt(cycle->requests[i].at, cycle->length);
		ck_assert(!i ||
			  cycle->requests[i].at > cycle->requests[i - 1].at);
	}
	for (size_t i = 0; i < cycle->problem.count; i++) {
		ck_assert_uint_eq(again.plan.offsets[i] % UNIT, 0);
		ck_assert_uint_le(again.plan.offsets[i] +
					  cycle->problem.buffers[i].size,
				  again.plan.peak);
	}
	for (size_t i = 1; i < begin->kept_count; i++)
		ck_assert_uint_gt(begin->kept[i].request,
				  begin->kept[i - 1].request);
}

START_TEST(bits_that_are_others_leave_a_plan_or_none)
{
	uint64_t random = 99;
	size_t read = 0;

	for (uint64_t seed = 1; seed <= SEEDS / 3; seed++) {
		file_write(seed);
		for (int i = 0; i < FLIPS; i++) {
			size_t bit = 8 * PLAN_FILE_HEAD +
				     draw(&random, 8 * (size - PLAN_FILE_HEAD));

			bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
			head_set(bytes, size);
			if (!plan_file_read(&again, bytes, size)) {
				read++;
				read_check();
				plan_file_release(&again);
			}
			/* Sometimes more than one. */
			if (draw(&random, 4))
				bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		file_end();
	}
	ck_assert_uint_gt(read, 20);
}
END_TEST

/* Two buffers, of which the second is asked for while the first lives, and one
 * that the program keeps. */
static const uint64_t small[] = {
	/* device, length, count, laps, least, bound, peak */
	0, 4, 2, 1, 0, 3, 3,
	/* gap, size, stream, life, offset */
	0, 1, 0, 2, 0, /* from 7 on */
	0, 2, 3, 1, 1, /* from 12 on */
	/* slot, requests, sum, kept; gap, size */
	2, 5, 77, 1, 0, 4, /* from 17 on */
};

enum { SMALL = sizeof(small) / sizeof(*small) };

static const unsigned char head[] = {'m', 'n', 'm', ' ', 'p', 'l',
				     'a', 'n', 1,   0,   0,   0};

static const char *numbers_read(const uint64_t *numbers, size_t count)
{
	static unsigned char text[PLAN_FILE_MOST];
	unsigned char *at = text + PLAN_FILE_HEAD;
	const char *wrong;

	memcpy(text, head, sizeof(head));
	for (size_t i = 0; i < count; i++) {
		uint64_t number = numbers[i];

		for (; number > 0x7f; number >>= 7)
			*at++ = (unsigned char)(number | 0x80);
		*at++ = (unsigned char)number;
	}
	head_set(text, (size_t)(at - text));
	wrong = plan_file_read(&again, text, (size_t)(at - text));
	if (!wrong)
		plan_file_release(&again);
	return wrong;
}

#define UNITS(bytes) ((bytes) / UNIT)

static const struct {
	unsigned int number;
	uint64_t value;
	const char *wrong;
} rows[] = {
	{0, (uint64_t)1 << 32, "its figures are wrong"},
	{1, 0, "its iteration is too long"},
	{1, PLAN_FILE_REQUESTS + 1, "its iteration is too long"},
	{1, 1, "it has not as many requests as it says"},
	{2, 0, "it has not as many requests as it says"},
	{2, 5, "it has not as many requests as it says"},
	{3, 0, "it has too many laps"},
	{3, CYCLE_LAPS + 1, "it has too many laps"},
	{4, 2, "its iteration does not begin in it"},
	{5, 2, "its lower bound can't be true"},
	{5, 4, "its lower bound can't be true"},
	{6, 2, "its peak is another one than it says"},
	{6, 4, "its peak is another one than it says"},
	{6, UNITS(PLAN_FILE_PEAK) + 1, "it is larger than any device"},
	{7, 3, "a request comes after its iteration"},
	{7, 4, "a request comes after its iteration"},
	{8, 0, "a size is out of its bounds"},
	{8, UNITS(PLAN_FILE_PEAK) + 1, "a size is out of its bounds"},
	{9, PLAN_FILE_STREAMS, "a stream is out of its bounds"},
	{10, 5, "a buffer lives for longer than its laps"},
	{11, UNITS(PLAN_FILE_PEAK) + 1, "an address is out of its bounds"},
	{11, 1, "buffers that live at the same time overlap"},
	{11, 2, "buffers that live at the same time overlap"},
	{16, 0, "buffers that live at the same time overlap"},
	{15, 4, "buffers that live at the same time overlap"},
	{17, 3, "its program does not begin in it"},
	{18, (uint64_t)1 << 31, "its program begins too early or too late"},
	{18, 0, "its program begins too early or too late"},
	{20, 2, "it keeps not as many buffers as it says"},
	{20, 0, "it is longer than it says"},
	{21, (uint64_t)1 << 31, "it keeps a buffer that comes too late"},
	{22, 0, "what it keeps has a size out of its bounds"},
	{22, UNITS(PLAN_FILE_PEAK) + 1,
	 "what it keeps has a size out of its bounds"},
};

START_TEST(each_thing_that_is_wrong_is_said)
{
	ck_assert_pstr_eq(numbers_read(small, SMALL), NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t numbers[SMALL];

		memcpy(numbers, small, sizeof(small));
		numbers[rows[i].number] = rows[i].value;
		if (rows[i].number == 15) /* it would live on, and meet it */
			numbers[16] = 0;
		ck_assert_pstr_eq(numbers_read(numbers, SMALL), rows[i].wrong);
	}
}
END_TEST

START_TEST(a_plan_without_a_buffer_is_none)
{
	static const uint64_t numbers[] = {0, 4, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0};

	ck_assert_pstr_eq(numbers_read(numbers, 12), "it has no buffer");
}
END_TEST

START_TEST(a_plan_with_few_bytes_takes_little_memory)
{
	uint64_t numbers[] = {
		0, PLAN_FILE_REQUESTS, PLAN_FILE_SLOTS, 4, 0, 3, 3, 0, 1, 0, 2,
		0};

	ck_assert_pstr_eq(numbers_read(numbers, 12),
			  "it has not as many requests as it says");
	numbers[2] = 1;
	numbers[3] = (uint64_t)1 << 62;
	ck_assert_pstr_eq(numbers_read(numbers, 12), "it has too many laps");
}
END_TEST

/* In bytes there may be more requests than slots. */
START_TEST(a_plan_with_many_slots_is_refused)
{
	static uint64_t numbers[7 + 4 * (PLAN_FILE_SLOTS / CYCLE_LAPS + 1) + 1];
	const uint64_t count = PLAN_FILE_SLOTS / CYCLE_LAPS + 1;

	memcpy(numbers, (uint64_t[]){0, count, count, CYCLE_LAPS, 0, 0, 0},
	       7 * sizeof(*numbers));
	for (size_t i = 0; i < count; i++)
		numbers[7 + 4 * i + 1] = 1;
	ck_assert_pstr_eq(numbers_read(numbers, 7 + 4 * count + 1),
			  "it has too many laps");
	numbers[3]--;
	ck_assert_pstr_eq(numbers_read(numbers, 7 + 4 * count + 1),
			  "it has no buffer");
}
END_TEST

/* The file, and zeros after it, of that size in all. */
static const char *read_as(size_t length)
{
	unsigned char *part = calloc(1, length);
	const char *wrong;

	memcpy(part, bytes, length < size ? length : size);
	wrong = plan_file_read(&again, part, length);
	free(part);
	return wrong;
}

START_TEST(the_head_is_looked_at)
{
	file_write(1);
	bytes[3] ^= 1;
	ck_assert_pstr_eq(read_as(size), "it is no plan");
	bytes[3] ^= 1;
	bytes[8] = PLAN_FILE_VERSION + 1;
	ck_assert_pstr_eq(read_as(size),
			  "another version of mnm has written it");
	bytes[8] = PLAN_FILE_VERSION;
	ck_assert_pstr_eq(read_as(size - 1), "it is cut off");
	ck_assert_pstr_eq(read_as(10), "it is cut off");
	ck_assert_pstr_eq(read_as(size + 1), "something follows after its end");
	ck_assert_pstr_eq(read_as(PLAN_FILE_MOST + 1),
			  "it is too large for a plan");
	bytes[size - 1] ^= 1;
	ck_assert_pstr_eq(
		read_as(size),
		"its checksum is wrong, so it was changed or damaged");
	file_end();
}
END_TEST

static void write_refuses(void)
{
	ck_assert_ptr_null(plan_file_write(&file, &size));
}

START_TEST(what_a_file_cannot_hold_is_not_written)
{
	file_draw(7);
	file.plan.offsets[0]++;
	write_refuses();
	file.plan.offsets[0]--;
	requests[1].token ^= 1;
	write_refuses();
	requests[1].token ^= 1;
	file.plan.peak += PLAN_FILE_PEAK;
	write_refuses();
	file.plan.peak -= PLAN_FILE_PEAK;
	requests[1].size++;
	requests[1].token = history_token(requests[1].size, 0);
	write_refuses();
	plan_release(&file.plan);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		what_is_written_is_read,
		what_is_cut_off_anywhere_is_refused,
		what_is_cut_off_and_summed_up_anew_is_refused,
		a_bit_that_is_another_is_noticed,
		bits_that_are_others_leave_a_plan_or_none,
		each_thing_that_is_wrong_is_said,
		a_plan_without_a_buffer_is_none,
		a_plan_with_few_bytes_takes_little_memory,
		a_plan_with_many_slots_is_refused,
		the_head_is_looked_at,
		what_a_file_cannot_hold_is_not_written,
		NULL,
	};

	return tests_run("plan_file", tests);
}
