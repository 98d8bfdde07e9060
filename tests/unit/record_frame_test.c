/* A frame of a recording: what is written is read, and nothing else is. */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "record_events.h"

enum {
	SEEDS = 200,
	MOST = 300, /* events of a frame that is drawn */
	SMALL = 6,
	FLIPS = 6000,
	GARBAGE = 6000,
	GARBAGE_MOST = 400, /* bytes */
};

static struct frame_writer *writer;
static struct mnm_record_event *events;
static struct frame_head head;
static struct frame frame;

static void open_writer(void)
{
	writer = frame_writer_open();
	events = calloc(FRAME_EVENTS, sizeof(*events));
	ck_assert_ptr_nonnull(writer);
	ck_assert_ptr_nonnull(events);
}

static void close_writer(void)
{
	frame_writer_close(writer);
	free(events);
}

static const struct bytes *written(size_t count, uint64_t dropped)
{
	const struct bytes *bytes = frame_write(writer, events, count, dropped);

	ck_assert_ptr_nonnull(bytes);
	ck_assert(frame_head_read(bytes->at, &head));
	ck_assert_uint_eq(bytes->size, FRAME_HEAD + (uint64_t)head.stored);
	return bytes;
}

static void comes_back(size_t count, uint64_t dropped)
{
	const struct bytes *bytes = written(count, dropped);

	ck_assert_pstr_eq(frame_read(&frame, &head, bytes->at + FRAME_HEAD),
			  NULL);
	ck_assert_uint_eq(frame.count, count);
	ck_assert_uint_eq(frame.dropped, dropped);
	for (size_t i = 0; i < count; i++)
		event_compare(&events[i], &frame.events[i]);
	frame_release(&frame);
}

START_TEST(events_of_all_kinds_come_back)
{
	open_writer();
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t random = seed;
		size_t count = draw(&random, MOST);

		events_draw(events, count, seed);
		comes_back(count, draw(&random, 2) ? 0 : UINT64_MAX - seed);
	}
	close_writer();
}
END_TEST

START_TEST(a_frame_may_be_empty)
{
	open_writer();
	comes_back(0, 0);
	comes_back(0, 77);
	close_writer();
}
END_TEST

/* Each of them has an origin of its own. */
START_TEST(a_frame_may_be_full)
{
	open_writer();
	events_draw(events, FRAME_EVENTS, 5);
	comes_back(FRAME_EVENTS, 0);
	close_writer();
}
END_TEST

START_TEST(extreme_values_come_back)
{
	static const uint64_t values[] = {0,     1, 127, 128, UINT64_C(1) << 47,
					  LOW_48};
	const size_t count = sizeof(values) / sizeof(*values);
	size_t used = 0;

	open_writer();
	for (size_t i = 0; i < count * count; i++) {
		events[used++] = (struct mnm_record_event){
			.kind = MNM_RECORD_ALLOC,
			.time = i % 2 ? UINT64_MAX - i : i,
			.address = values[i % count],
			.size = values[i / count],
			.span = values[i % count],
			.site = i % 3 ? UINT64_MAX : 0,
			.thread = UINT32_MAX,
			.stream = UINT32_MAX,
			.flags = UINT8_MAX,
			.device = MNM_RECORD_NOWHERE,
			.pool = UINT8_MAX,
		};
	}
	for (size_t i = 0; i < count; i++)
		events[used++] = (struct mnm_record_event){
			.kind = MNM_RECORD_FAILED,
			.size = i % 2 ? UINT64_MAX : values[i],
		};
	comes_back(used, UINT64_MAX);
	close_writer();
}
END_TEST

START_TEST(times_may_go_back)
{
	open_writer();
	for (size_t i = 0; i < MOST; i++)
		events[i] = (struct mnm_record_event){
			.kind = MNM_RECORD_MARK,
			.time = UINT64_C(1) << (MOST - i) % 64,
		};
	comes_back(MOST, 0);
	close_writer();
}
END_TEST

static void event_at(size_t at, enum mnm_record_kind kind, uint64_t address)
{
	events[at] =
		(struct mnm_record_event){.kind = kind, .address = address};
}

START_TEST(a_free_finds_the_last_request_of_its_address)
{
	static const struct {
		enum mnm_record_kind kind;
		uint64_t address;
	} rows[] = {
		{MNM_RECORD_FREE, 0x1000}, /* nobody has asked for it */
		{MNM_RECORD_ALLOC, 0x1000}, {MNM_RECORD_ALLOC, 0x2000},
		{MNM_RECORD_ALLOC, 0x1000}, /* though it was not freed */
		{MNM_RECORD_FREE, 0x1000},  {MNM_RECORD_FREE, 0x1000},
		{MNM_RECORD_FREE, 0x3000},  {MNM_RECORD_LIVE, 0},
		{MNM_RECORD_FREE, 0},       {MNM_RECORD_FREE, 0x2000},
	};
	const size_t count = sizeof(rows) / sizeof(*rows);

	open_writer();
	for (size_t i = 0; i < count; i++)
		event_at(i, rows[i].kind, rows[i].address);
	comes_back(count, 0);
	close_writer();
}
END_TEST

/* Nothing of a frame is needed for the next one. */
START_TEST(a_frame_is_read_without_those_before_it)
{
	open_writer();
	event_at(0, MNM_RECORD_ALLOC, 0x1000);
	comes_back(1, 0);
	event_at(0, MNM_RECORD_FREE, 0x1000);
	comes_back(1, 0);
	close_writer();
}
END_TEST

static void texts_set(size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		events[i] = (struct mnm_record_event){.kind = MNM_RECORD_PUSH,
						      .text = text};
}

START_TEST(a_long_text_comes_back)
{
	char *text = malloc(1 << 20);

	open_writer();
	memset(text, 'x', 1 << 20);
	text[(1 << 20) - 1] = '\0';
	texts_set(3, text);
	comes_back(3, 0);
	free(text);
	close_writer();
}
END_TEST

/* Reads as many bytes as the head says, of a copy, so that a read past them is
 * seen. What is missing is 0. */
static const char *read_of(const uint8_t *stored, size_t size)
{
	uint8_t *part = calloc(1, head.stored + (size_t)!head.stored);
	const char *wrong;

	ck_assert_ptr_nonnull(part);
	if (size)
		memcpy(part, stored, size < head.stored ? size : head.stored);
	wrong = frame_read(&frame, &head, part);
	free(part);
	if (wrong) {
		ck_assert_ptr_null(frame.events);
		ck_assert_uint_eq(frame.count, 0);
	}
	return wrong;
}

/* A bit of zstd's head has no meaning, so the frame may still be the same. */
static void refused_or_equal(const uint8_t *bytes, size_t size)
{
	if (!frame_head_read(bytes, &head) ||
	    read_of(bytes + FRAME_HEAD, size - FRAME_HEAD))
		return;
	ck_assert_uint_eq(frame.count, SMALL);
	for (size_t i = 0; i < SMALL; i++)
		event_compare(&events[i], &frame.events[i]);
	frame_release(&frame);
}

START_TEST(a_byte_that_is_another_is_noticed_or_says_the_same)
{
	const struct bytes *whole;
	uint8_t *bytes;

	open_writer();
	events_draw(events, SMALL, 3);
	whole = written(SMALL, 0);
	bytes = malloc(whole->size);
	memcpy(bytes, whole->at, whole->size);
	for (size_t i = 0; i < whole->size; i++)
		for (int other = 1; other < 256; other++) {
			bytes[i] ^= (uint8_t)other;
			refused_or_equal(bytes, whole->size);
			bytes[i] ^= (uint8_t)other;
		}
	free(bytes);
	close_writer();
}
END_TEST

START_TEST(each_byte_of_the_head_is_looked_at)
{
	uint8_t bytes[FRAME_HEAD];

	open_writer();
	memcpy(bytes, written(0, 0)->at, FRAME_HEAD);
	for (size_t i = 0; i < FRAME_HEAD; i++) {
		if (i >= 4 && i < 12)
			continue; /* its sizes */
		bytes[i] ^= 1;
		ck_assert(!frame_head_read(bytes, &head));
		bytes[i] ^= 1;
	}
	bytes[7] = bytes[11] = FRAME_MOST >> 24;
	bytes[4] = bytes[5] = bytes[6] = 0;
	bytes[8] = bytes[9] = bytes[10] = 0;
	ck_assert(frame_head_read(bytes, &head));
	bytes[4] = 1;
	ck_assert(!frame_head_read(bytes, &head));
	bytes[4] = 0;
	bytes[8] = 1;
	ck_assert(!frame_head_read(bytes, &head));
	close_writer();
}
END_TEST

START_TEST(what_is_cut_off_anywhere_is_refused)
{
	const struct bytes *whole;
	size_t size;

	open_writer();
	events_draw(events, MOST, 9);
	whole = written(MOST, 0);
	size = head.stored;
	for (head.stored = 0; head.stored < size; head.stored++)
		ck_assert_ptr_nonnull(
			read_of(whole->at + FRAME_HEAD, head.stored));
	/* As it is in a file that was not written to its end. */
	head.stored = (uint32_t)size;
	for (size_t part = 0; part < size - 4; part += 7)
		ck_assert_ptr_nonnull(read_of(whole->at + FRAME_HEAD, part));
	close_writer();
}
END_TEST

/* Reads a right frame of zstd with these bytes in it. */
static const char *raw_read(const uint8_t *raw, size_t size)
{
	size_t room = ZSTD_compressBound(size);
	uint8_t *stored = malloc(room);
	const char *wrong;

	size_t length = ZSTD_compress(stored, room, raw, size, 1);

	ck_assert(!ZSTD_isError(length));
	head = (struct frame_head){(uint32_t)length, (uint32_t)size};
	wrong = read_of(stored, length);
	free(stored);
	return wrong;
}

/* Whatever was read may be looked at. */
static void read_check(void)
{
	ck_assert_uint_le(frame.count, FRAME_EVENTS);
	for (size_t i = 0; i < frame.count; i++) {
		const struct mnm_record_event *event = &frame.events[i];

		ck_assert_uint_lt(event->kind, MNM_RECORD_KINDS);
		ck_assert(!event->text == !kind_has_text(event->kind));
		if (event->text)
			ck_assert_uint_lt(strlen(event->text), head.size);
	}
	frame_release(&frame);
}

/* The bytes of a frame before they are compressed, from malloc. */
static uint8_t *raw_of(size_t count, uint64_t seed)
{
	const struct bytes *whole;
	uint8_t *raw;

	events_draw(events, count, seed);
	whole = written(count, 0);
	raw = malloc(head.size);
	ck_assert_uint_eq(ZSTD_decompress(raw, head.size,
					  whole->at + FRAME_HEAD, head.stored),
			  head.size);
	return raw;
}

START_TEST(bits_that_are_others_inside_leave_events_or_none)
{
	uint64_t random = 99;
	size_t read = 0, refused = 0;

	open_writer();
	for (uint64_t seed = 1; seed <= SEEDS / 10; seed++) {
		uint8_t *raw = raw_of(1 + draw(&random, 30), seed);
		size_t size = head.size;

		for (int i = 0; i < FLIPS / (SEEDS / 10); i++) {
			size_t bit = draw(&random, 8 * size);

			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
			if (raw_read(raw, size)) {
				refused++;
			} else {
				read++;
				read_check();
			}
			/* Sometimes more than one. */
			if (draw(&random, 4))
				raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		free(raw);
	}
	ck_assert_uint_gt(read, 20);
	ck_assert_uint_gt(refused, 20);
	close_writer();
}
END_TEST

START_TEST(what_is_cut_off_inside_is_refused)
{
	uint8_t *raw;
	size_t size;

	open_writer();
	raw = raw_of(30, 4);
	size = head.size;
	for (size_t length = 0; length < size; length++)
		ck_assert_ptr_nonnull(raw_read(raw, length));
	free(raw);
	close_writer();
}
END_TEST

START_TEST(garbage_in_a_right_frame_is_read_without_harm)
{
	uint8_t raw[GARBAGE_MOST];
	uint64_t random = 7;

	for (int i = 0; i < GARBAGE; i++) {
		size_t size = draw(&random, GARBAGE_MOST);

		/* Small numbers pass more of the checks. */
		for (size_t at = 0; at < size; at++)
			raw[at] = (uint8_t)draw(&random, i % 2 ? 256 : 4);
		if (!raw_read(raw, size))
			read_check();
	}
}
END_TEST

/* Numbers that say that there is more than there is. */
START_TEST(counts_that_are_too_large_are_refused)
{
	static const uint8_t many[] = {0xff, 0xff, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0xff, 0x01};
	uint8_t raw[16] = {0};
	size_t size;

	for (int at = 0; at < 3; at++) {
		memset(raw, 0, sizeof(raw));
		memcpy(raw + at, many, sizeof(many));
		size = (size_t)at + sizeof(many) + (size_t)(2 - at);
		ck_assert_ptr_nonnull(raw_read(raw, size));
	}
	memset(raw, 0xff, sizeof(raw)); /* a number without an end */
	ck_assert_ptr_nonnull(raw_read(raw, sizeof(raw)));
}
END_TEST

START_TEST(a_frame_without_memory_for_what_it_says_is_refused)
{
	const struct bytes *whole;

	open_writer();
	whole = written(0, 0);
	head.size = FRAME_MOST;
	ck_assert_pstr_eq(frame_read(&frame, &head, whole->at + FRAME_HEAD),
			  "its bytes are damaged");
	head.size = 0;
	ck_assert_pstr_eq(frame_read(&frame, &head, whole->at + FRAME_HEAD),
			  "its bytes are damaged");
	close_writer();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		events_of_all_kinds_come_back,
		a_frame_may_be_empty,
		a_frame_may_be_full,
		extreme_values_come_back,
		times_may_go_back,
		a_free_finds_the_last_request_of_its_address,
		a_frame_is_read_without_those_before_it,
		a_long_text_comes_back,
		a_byte_that_is_another_is_noticed_or_says_the_same,
		each_byte_of_the_head_is_looked_at,
		what_is_cut_off_anywhere_is_refused,
		bits_that_are_others_inside_leave_events_or_none,
		what_is_cut_off_inside_is_refused,
		garbage_in_a_right_frame_is_read_without_harm,
		counts_that_are_too_large_are_refused,
		a_frame_without_memory_for_what_it_says_is_refused,
		NULL,
	};

	return tests_run("record_frame", tests);
}
