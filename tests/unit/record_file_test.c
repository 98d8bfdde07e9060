/* The file of a recording: its parts, its limit, and what it is after a
 * death or on a full disk. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mnm/record.h"
#include "record/record_file.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "record_events.h"

#define ABOUT "{\"pid\":7}"

enum {
	LIMIT = 1 << 20,
	FRAMES = 60,
	EACH = 4000, /* events of a frame */
	WAIT = 10,   /* seconds */
	BURST = RING_NOTES / 2,
	DEADLINE = TEST_SECONDS / 2, /* seconds; only a hang takes so long */
	LIVE = 3,
	BASE = 1 << 20, /* addresses of what lives are below it */
};

static struct frame_writer *writer;
static struct mnm_record_event events[FRAME_EVENTS];
static struct record_file file;
static uint64_t random_state = 1, next_number;

/* A path in the test's folder, which is the present one. */
static const char *path = "file";

static uint64_t size_of(const char *name)
{
	struct stat info;

	return stat(name, &info) ? 0 : (uint64_t)info.st_size;
}

static uint64_t sizes(void)
{
	return size_of("file") + size_of("file.before");
}

static bool is_there(const char *name)
{
	return !access(name, F_OK);
}

/* Events that compress badly, whose times are numbers that go on. */
static const struct bytes *frame_drawn(size_t count)
{
	const struct bytes *frame;

	for (size_t i = 0; i < count; i++) {
		events[i] = (struct mnm_record_event){
			.kind = MNM_RECORD_ALLOC,
			.time = next_number++,
			.address = draw(&random_state, LOW_48),
			.size = draw(&random_state, LOW_48),
		};
		events[i].span = events[i].size;
	}
	if (!writer)
		writer = frame_writer_open();
	frame = frame_write(writer, events, count, 0);
	ck_assert_ptr_nonnull(frame);
	return frame;
}

static void begun(uint64_t most)
{
	ck_assert_int_eq(record_file_open(&file, path, most, ABOUT), 0);
}

static void appended(size_t count)
{
	ck_assert_int_eq(record_file_append(&file, frame_drawn(count)), 0);
}

static struct mnm_record *opened(const char *name)
{
	char error[PATH_MAX + 100] = "";
	struct mnm_record *record = mnm_record_open(name, error, sizeof(error));

	ck_assert_msg(record, "%s", error);
	return record;
}

/* Reads events whose times are numbers up to the newest one. Returns how many
 * there are. */
static uint64_t newest_read(const char *name)
{
	struct mnm_record *record = opened(name);
	const struct mnm_record_event *event;
	uint64_t count = 0, last = 0, wrong = 0;

	while ((event = mnm_record_next(record))) {
		wrong += count && event->time != last + 1;
		last = event->time;
		count++;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_pstr_eq(mnm_record_error(record), NULL);
	mnm_record_close(record);
	ck_assert_uint_eq(last + 1, next_number);
	return count;
}

/* As the recorder does. Returns how many parts were begun. */
static int parts_written(int frames)
{
	int parts = 0;

	for (int i = 0; i < frames; i++) {
		const struct bytes *frame = frame_drawn(EACH);

		if (record_file_is_full(&file, frame->size)) {
			ck_assert_int_eq(record_file_turn(&file), 0);
			parts++;
		}
		ck_assert_int_eq(record_file_append(&file, frame), 0);
		ck_assert_uint_le(sizes(), LIMIT);
	}
	return parts;
}

START_TEST(what_fits_is_in_one_file)
{
	struct mnm_record *record;

	begun(LIMIT);
	appended(100);
	appended(1);
	ck_assert_int_eq(record_file_close(&file), 0);
	ck_assert_uint_eq(newest_read(path), 101);
	ck_assert(!is_there("file.before") && !is_there("file.new"));
	record = opened(path);
	ck_assert_ptr_nonnull(
		strstr(mnm_record_about(record), "\"program\":" ABOUT "}"));
	mnm_record_close(record);
}
END_TEST

START_TEST(a_file_of_no_event_is_a_recording)
{
	struct mnm_record *record;

	begun(LIMIT);
	ck_assert_int_eq(record_file_close(&file), 0);
	record = opened(path);
	ck_assert_ptr_null(mnm_record_next(record));
	ck_assert_pstr_eq(mnm_record_error(record), NULL);
	mnm_record_close(record);
}
END_TEST

START_TEST(a_longer_one_keeps_the_newest_in_its_limit)
{
	uint64_t count;

	begun(LIMIT);
	ck_assert_int_gt(parts_written(FRAMES), 2);
	ck_assert(is_there("file.before"));
	ck_assert_int_eq(record_file_close(&file), 0);
	ck_assert(!is_there("file.before") && !is_there("file.new"));
	ck_assert_uint_le(size_of(path), LIMIT);
	count = newest_read(path);
	ck_assert_uint_lt(count, FRAMES * EACH);
	ck_assert_uint_gt(size_of(path), LIMIT / 4);
}
END_TEST

START_TEST(both_parts_are_read_after_a_death)
{
	uint64_t before, both;

	begun(LIMIT);
	parts_written(FRAMES);
	appended(1);
	both = newest_read(path);
	ck_assert(!rename("file.before", "aside"));
	before = both - newest_read(path);
	ck_assert_uint_ge(before, EACH);
	ck_assert(!rename("aside", "file.before"));
	ck_assert_uint_eq(newest_read(path), both);
}
END_TEST

/* The older part is not one that another recording has left. */
START_TEST(a_part_of_another_recording_is_left_out)
{
	begun(LIMIT);
	parts_written(FRAMES);
	close(file.fd); /* as by a death */
	free(file.about);
	ck_assert(is_there("file.before"));
	begun(LIMIT);
	appended(5);
	ck_assert_uint_eq(newest_read(path), 5);
	ck_assert_int_eq(record_file_close(&file), 0);
	ck_assert_uint_eq(newest_read(path), 5);
}
END_TEST

START_TEST(a_part_that_is_older_than_the_one_before_is_left_out)
{
	uint64_t last;

	begun(LIMIT);
	ck_assert_int_eq(parts_written(FRAMES / 4) > 0, 1);
	ck_assert(!rename("file.before", "aside"));
	do
		appended(EACH);
	while (!record_file_is_full(&file, 0));
	ck_assert_int_eq(record_file_turn(&file), 0);
	appended(3);
	ck_assert_uint_gt(newest_read(path), 3);
	ck_assert(!rename("aside", "file.before"));
	last = newest_read(path);
	ck_assert_uint_eq(last, 3);
}
END_TEST

/* The program was killed as a part began. */
START_TEST(the_part_before_alone_is_read)
{
	begun(LIMIT);
	appended(30);
	ck_assert_int_eq(record_file_turn(&file), 0);
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_uint_eq(newest_read(path), 30);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_uint_eq(newest_read(path), 30);
}
END_TEST

START_TEST(another_writer_of_the_file_is_refused)
{
	struct record_file other;

	begun(LIMIT);
	appended(10);
	ck_assert_int_eq(record_file_open(&other, path, LIMIT, ABOUT), EBUSY);
	ck_assert_int_eq(other.fd, -1);
	appended(10);
	ck_assert_int_eq(record_file_turn(&file), 0);
	ck_assert_int_eq(record_file_open(&other, path, LIMIT, ABOUT), EBUSY);
	appended(10);
	ck_assert_int_eq(record_file_close(&file), 0);
	ck_assert_uint_eq(newest_read(path), 30);
	ck_assert_int_eq(record_file_open(&other, path, LIMIT, ABOUT), 0);
	ck_assert_int_eq(record_file_close(&other), 0);
}
END_TEST

static const struct {
	const char *path;
	int error;
} refused[] = {
	{"none/file", ENOENT},
	{".", EISDIR},
	{"link", ELOOP},
	{"plain/file", ENOTDIR},
};

START_TEST(a_path_that_cannot_be_is_refused)
{
	char longer[PATH_MAX];

	fclose(fopen("plain", "w"));
	ck_assert(!symlink("plain", "link"));
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		ck_assert_int_eq(
			record_file_open(&file, refused[i].path, LIMIT, ABOUT),
			refused[i].error);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(record_file_open(&file, longer, LIMIT, ABOUT),
			 ENAMETOOLONG);
	ck_assert_uint_eq(size_of("plain"), 0);
}
END_TEST

/* Who writes there would wait for a reader, or write what nobody keeps. */
START_TEST(what_is_no_plain_file_is_refused)
{
	ck_assert(!mkfifo("fifo", 0600));
	alarm(WAIT); /* kills what waits for a reader */
	ck_assert_int_ne(record_file_open(&file, "fifo", LIMIT, ABOUT), 0);
	ck_assert_int_ne(record_file_open(&file, "/dev/null", LIMIT, ABOUT), 0);
	ck_assert_int_ne(record_file_open(&file, "/dev/full", LIMIT, ABOUT), 0);
}
END_TEST

/* A limit of the process stands in for the disk. Check writes a file as well,
 * some bytes for each thing that is checked. */
static void disk_set(uint64_t bytes)
{
	struct rlimit limit = {bytes, RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	ck_assert(!setrlimit(RLIMIT_FSIZE, &limit));
}

START_TEST(on_a_full_disk_the_file_ends_with_a_whole_frame)
{
	const struct bytes *frame;
	int written = 0, res;

	begun(64 * (uint64_t)LIMIT);
	disk_set(LIMIT);
	do {
		frame = frame_drawn(EACH);
		res = record_file_append(&file, frame);
		written += !res;
	} while (!res);
	ck_assert_int_eq(res, EFBIG);
	record_file_close(&file);
	next_number -= EACH; /* what was not written */
	ck_assert_uint_eq(newest_read(path), (uint64_t)written * EACH);
}
END_TEST

START_TEST(without_room_to_join_them_both_parts_stay)
{
	uint64_t count;

	begun(LIMIT);
	parts_written(FRAMES);
	appended(EACH);
	count = newest_read(path);
	disk_set(LIMIT / 2);
	ck_assert_int_eq(record_file_close(&file), EFBIG);
	ck_assert(!is_there("file.new"));
	ck_assert_uint_eq(newest_read(path), count);
}
END_TEST

/* What the recorder does with it. */

static int live_calls;
static uint64_t live_count = LIVE;

static void live_each(void (*each)(const struct mnm_record_event *event))
{
	live_calls++;
	for (uint64_t i = 0; i < live_count; i++) {
		const struct mnm_record_event event = {
			.address = live_count == LIVE
					   ? i
					   : draw(&random_state, LOW_48),
			.size = draw(&random_state, LOW_48)};

		each(&event);
	}
}

static struct recorder_plan plan = {
	.most = LIMIT, .about = ABOUT, .live = live_each};

static int begin(void)
{
	static char whole[PATH_MAX];

	ck_assert_ptr_nonnull(realpath(".", whole));
	plan.path = strcat(whole, "/file");
	return recorder_begin(&plan);
}

static void note(void)
{
	record_note(MNM_RECORD_ALLOC, 0, BASE + next_number++,
		    draw(&random_state, LOW_48), draw(&random_state, LOW_48), 0,
		    0, 0, 0);
}

/* Ticks until all notes were taken, which happens soon. */
static void ticked(void)
{
	const struct record_ring *ring = record_ring_own;
	time_t end = time(NULL) + DEADLINE;

	while (recorder_runs() && ring->head != ring->tail) {
		recorder_tick();
		if (time(NULL) >= end)
			ck_abort_msg("the notes are not taken");
	}
}

/* Makes so many notes, as many at once as a ring has room for. */
static void noted(uint64_t count)
{
	for (uint64_t i = 1; i <= count; i++) {
		note();
		if (!(i % BURST))
			ticked();
	}
}

struct seen {
	uint64_t live, notes, first;
};

/* Reads a recording whose notes have addresses that follow on each other, up
 * to the newest one. */
static struct seen seen_in(const char *name)
{
	struct mnm_record *record = opened(name);
	const struct mnm_record_event *event;
	struct seen seen = {0};
	uint64_t next = 0, wrong = 0;

	while ((event = mnm_record_next(record))) {
		if (event->kind == MNM_RECORD_LIVE) {
			seen.live++;
			continue;
		}
		if (!seen.notes++)
			seen.first = next = event->address - BASE;
		wrong += event->kind != MNM_RECORD_ALLOC ||
			 event->address != BASE + next;
		next++;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_pstr_eq(mnm_record_error(record), NULL);
	ck_assert_uint_eq(mnm_record_dropped(record), 0);
	mnm_record_close(record);
	ck_assert_uint_eq(next, next_number);
	return seen;
}

START_TEST(a_recording_has_what_lives_and_what_was_noted)
{
	struct seen seen;

	ck_assert_int_eq(begin(), 0);
	ck_assert(recorder_runs() && record_is_on());
	for (int i = 0; i < 100; i++)
		note();
	recorder_end();
	ck_assert(!recorder_runs() && !record_is_on());
	ck_assert_int_eq(recorder_figures().error, 0);
	ck_assert_uint_eq(recorder_figures().events, LIVE + 100);
	ck_assert_uint_eq(recorder_figures().dropped, 0);
	ck_assert_str_eq(recorder_path(), plan.path);
	seen = seen_in(path);
	ck_assert_uint_eq(seen.live, LIVE);
	ck_assert_uint_eq(seen.notes, 100);
}
END_TEST

START_TEST(times_begin_at_0_and_do_not_go_back)
{
	struct mnm_record *record;
	const struct mnm_record_event *event;
	uint64_t last = 0;

	ck_assert_int_eq(begin(), 0);
	for (int i = 0; i < 1000; i++) {
		note();
		if (!(i % 100))
			recorder_tick();
	}
	recorder_end();
	record = opened(path);
	while ((event = mnm_record_next(record))) {
		ck_assert_uint_ge(event->time, last);
		last = event->time;
	}
	mnm_record_close(record);
}
END_TEST

START_TEST(a_second_recording_replaces_the_first)
{
	ck_assert_int_eq(begin(), 0);
	for (int i = 0; i < 100; i++)
		note();
	recorder_end();
	note(); /* a thread that comes too late */
	next_number = 0;
	ck_assert_int_eq(begin(), 0);
	for (int i = 0; i < 10; i++)
		note();
	recorder_end();
	ck_assert_uint_eq(recorder_figures().events, LIVE + 10);
	ck_assert_uint_eq(seen_in(path).notes, 10);
}
END_TEST

START_TEST(a_recording_that_is_expected_has_what_came_before_its_file)
{
	recorder_expect();
	ck_assert(record_is_on() && !recorder_runs());
	for (int i = 0; i < 10; i++)
		note();
	ck_assert_int_eq(begin(), 0);
	note();
	recorder_end();
	ck_assert_int_eq(live_calls, 0);
	ck_assert_uint_eq(seen_in(path).notes, 11);
}
END_TEST

START_TEST(one_that_never_comes_notes_nothing)
{
	recorder_expect();
	recorder_forget();
	ck_assert(!record_is_on() && !recorder_runs());
	recorder_end();
	recorder_tick();
	ck_assert(!is_there(path));
}
END_TEST

START_TEST(notes_that_were_dropped_are_told)
{
	struct mnm_record *record;
	uint64_t count = 0;

	plan.most = (uint64_t)1 << 30;
	ck_assert_int_eq(begin(), 0);
	for (int i = 0; i < RING_NOTES + 5; i++)
		note();
	recorder_end();
	ck_assert_uint_eq(recorder_figures().dropped, 5);
	record = opened(path);
	while (mnm_record_next(record))
		count++;
	ck_assert_uint_eq(count, LIVE + RING_NOTES);
	ck_assert_uint_eq(mnm_record_dropped(record), 5);
	mnm_record_close(record);
}
END_TEST

START_TEST(a_long_recording_keeps_the_newest_and_each_part_what_lives)
{
	struct seen both;

	plan.most = 8 * LIMIT;
	ck_assert_int_eq(begin(), 0);
	noted(14 * (uint64_t)FRAME_EVENTS);
	recorder_end();
	ck_assert(!is_there("file.before"));
	ck_assert_uint_le(size_of(path), 8 * LIMIT);
	both = seen_in(path);
	ck_assert_uint_gt(both.first, 0);
	ck_assert_uint_eq(both.live, 2 * LIVE);
	ck_assert_int_gt(live_calls, 2);
}
END_TEST

START_TEST(a_part_begins_with_what_lives)
{
	struct mnm_record *record;

	plan.most = 8 * LIMIT;
	ck_assert_int_eq(begin(), 0);
	noted(14 * (uint64_t)FRAME_EVENTS);
	ck_assert(!rename("file.before", "before"));
	record = opened("before");
	for (int i = 0; i < LIVE; i++)
		ck_assert_uint_eq(mnm_record_next(record)->kind,
				  MNM_RECORD_LIVE);
	mnm_record_close(record);
}
END_TEST

/* The last frame is nearly as large as the others. */
START_TEST(frames_that_compress_badly_stay_within_the_limit)
{
	ck_assert_int_eq(begin(), 0);
	noted(5 * (uint64_t)FRAME_EVENTS - 1000);
	recorder_end();
	ck_assert_uint_le(size_of(path), LIMIT);
	seen_in(path);
}
END_TEST

/* More than a part has room for: what lives is told as far as there is. */
START_TEST(many_live_blocks_stay_within_the_limit)
{
	live_count = 3 * FRAME_EVENTS + FRAME_EVENTS / 2;
	ck_assert_int_eq(begin(), 0);
	noted(4 * (uint64_t)FRAME_EVENTS);
	ck_assert_uint_le(sizes(), LIMIT);
	recorder_end();
	ck_assert_uint_le(size_of(path), LIMIT);
}
END_TEST

START_TEST(as_many_live_blocks_as_frames_have_room_for_are_told_once)
{
	live_count = 2 * FRAME_EVENTS;
	ck_assert_int_eq(begin(), 0);
	alarm(WAIT); /* kills what goes on and on */
	noted(FRAME_EVENTS);
	recorder_end();
	ck_assert(!recorder_runs());
}
END_TEST

START_TEST(a_full_disk_ends_the_recording)
{
	struct mnm_record *record;

	plan.most = 64 * (uint64_t)LIMIT;
	ck_assert_int_eq(begin(), 0);
	disk_set(2 * LIMIT);
	noted(6 * (uint64_t)FRAME_EVENTS);
	ck_assert(!recorder_runs() && !record_is_on());
	ck_assert_int_eq(recorder_figures().error, EFBIG);
	record = opened(path);
	while (mnm_record_next(record))
		;
	ck_assert_pstr_eq(mnm_record_error(record), NULL);
	mnm_record_close(record);
	recorder_end();
	ck_assert_int_eq(recorder_figures().error, EFBIG);
}
END_TEST

START_TEST(a_folder_that_vanishes_ends_the_recording)
{
	ck_assert(!mkdir("folder", 0700) && !chdir("folder"));
	ck_assert_int_eq(begin(), 0);
	ck_assert(!unlink("file") && !chdir("..") && !rmdir("folder"));
	noted(6 * (uint64_t)FRAME_EVENTS);
	ck_assert(!recorder_runs());
	ck_assert_int_eq(recorder_figures().error, ENOENT);
}
END_TEST

START_TEST(a_path_that_is_refused_begins_nothing)
{
	begun(LIMIT);
	ck_assert_int_eq(begin(), EBUSY);
	ck_assert(!recorder_runs() && !record_is_on());
	ck_assert_int_eq(record_file_close(&file), 0);
	ck_assert_int_eq(begin(), 0);
	note();
	recorder_end();
	ck_assert_uint_eq(seen_in(path).notes, 1);
}
END_TEST

/* The reader. */

static const struct {
	const char *text, *why;
} texts[] = {
	{"", "it is no recording"},
	{"mnm plan", "it is no recording"},
	{"mnm record", "it is no recording"},
	{"mnm record 2\n{}\n", "it has another version than 1"},
	{"mnm record 1", "it has another version than 1"},
	{"mnm record 1\n", "it breaks off in its second line"},
	{"mnm record 1\n{\"id\":", "it breaks off in its second line"},
};

START_TEST(what_is_no_recording_is_told)
{
	char error[300], expected[300];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		FILE *out = fopen(path, "w");

		fputs(texts[i].text, out);
		fclose(out);
		ck_assert_ptr_null(mnm_record_open(path, error, sizeof(error)));
		snprintf(expected, sizeof(expected), "file: %s", texts[i].why);
		ck_assert_str_eq(error, expected);
	}
	ck_assert_ptr_null(mnm_record_open("none", error, sizeof(error)));
	ck_assert_str_eq(error, "none: No such file or directory");
	ck_assert_ptr_null(mnm_record_open(".", error, sizeof(error)));
	ck_assert_str_eq(error, ".: Is a directory");
	ck_assert_ptr_null(mnm_record_open(path, error, 4));
	ck_assert_str_eq(error, "fil");
}
END_TEST

/* Each event before the frame that is damaged is read. */
START_TEST(what_comes_before_damage_is_read)
{
	uint64_t ends[4], count;

	begun(LIMIT);
	for (int i = 0; i < 4; i++) {
		ends[i] = size_of(path);
		appended(10);
	}
	ck_assert_int_eq(record_file_close(&file), 0);
	for (uint64_t size = size_of(path) - 1; size >= ends[0]; size--) {
		struct mnm_record *record;
		uint64_t whole = 0;
		bool between = false;

		ck_assert(!truncate(path, (off_t)size));
		for (int i = 1; i < 4; i++)
			whole += ends[i] <= size;
		for (int i = 0; i < 4; i++)
			between |= ends[i] == size;
		record = opened(path);
		for (count = 0; mnm_record_next(record); count++)
			;
		ck_assert_uint_eq(count, 10 * whole);
		ck_assert(!mnm_record_error(record) == between);
		ck_assert_ptr_null(mnm_record_next(record));
		mnm_record_close(record);
	}
}
END_TEST

/* Two sizes that a head may claim. */
START_TEST(nothing_comes_after_a_damaged_frame)
{
	struct mnm_record *record;
	uint64_t end;
	FILE *written;

	begun(LIMIT);
	appended(10);
	end = size_of(path);
	appended(10);
	ck_assert_int_eq(record_file_close(&file), 0);
	written = fopen(path, "r+");
	ck_assert(!fseek(written, (long)end + FRAME_HEAD + 5, SEEK_SET));
	ck_assert_int_ge(fputc('x', written), 0);
	ck_assert(!fclose(written));
	record = opened(path);
	for (int i = 0; i < 10; i++)
		ck_assert_ptr_nonnull(mnm_record_next(record));
	for (int i = 0; i < 3; i++)
		ck_assert_ptr_null(mnm_record_next(record));
	ck_assert_ptr_nonnull(mnm_record_error(record));
	mnm_record_close(record);
}
END_TEST

START_TEST(garbage_after_the_head_is_told)
{
	uint64_t random = 3;

	for (int i = 0; i < 300; i++) {
		struct mnm_record *record;
		FILE *out = fopen(path, "w");

		fputs("mnm record 1\n{}\n", out);
		if (i % 2)
			fputs("MNMf", out);
		for (uint64_t j = 1 + draw(&random, 60); j; j--)
			fputc(i % 4 == 1 ? 0 : (int)draw(&random, 256), out);
		fclose(out);
		record = opened(path);
		ck_assert_ptr_null(mnm_record_next(record));
		ck_assert_ptr_nonnull(mnm_record_error(record));
		mnm_record_close(record);
	}
}
END_TEST

START_TEST(pools_have_the_names_that_the_head_gives)
{
	struct mnm_record *record;

	ck_assert_int_eq(
		record_file_open(&file, path, LIMIT,
				 "{\"name\":\"\\\"pools\\\":[\\\"no\\\"]\","
				 "\"pools\":[\"\",\"a\",\"b_pool\"]}"),
		0);
	ck_assert_int_eq(record_file_close(&file), 0);
	record = opened(path);
	ck_assert_str_eq(mnm_record_pool(record, 0), "");
	ck_assert_str_eq(mnm_record_pool(record, 1), "a");
	ck_assert_str_eq(mnm_record_pool(record, 2), "b_pool");
	ck_assert_str_eq(mnm_record_pool(record, 3), "");
	ck_assert_str_eq(mnm_record_pool(record, 1000), "");
	mnm_record_close(record);
}
END_TEST

static struct mnm_record *followed(void)
{
	char error[PATH_MAX + 100] = "";
	struct mnm_record *record =
		mnm_record_follow(path, error, sizeof(error));

	ck_assert_msg(record, "%s", error);
	return record;
}

/* Reads what there is by now, whose times are numbers from *next on. */
static void news_read(struct mnm_record *record, uint64_t *next)
{
	const struct mnm_record_event *event;

	while ((event = mnm_record_next(record)))
		ck_assert_uint_eq(event->time, (*next)++);
	ck_assert_pstr_eq(mnm_record_error(record), NULL);
}

START_TEST(what_is_written_meanwhile_is_followed)
{
	struct mnm_record *record;
	uint64_t next = 0;

	begun(LIMIT);
	record = followed();
	for (int i = 0; i < FRAMES; i++) {
		news_read(record, &next);
		ck_assert_uint_eq(next, next_number);
		parts_written(1);
	}
	ck_assert_uint_gt(file.part, 2);
	ck_assert_int_eq(record_file_close(&file), 0);
	news_read(record, &next);
	ck_assert_uint_eq(next, next_number);
	news_read(record, &next);
	mnm_record_close(record);
}
END_TEST

START_TEST(a_frame_that_is_not_whole_is_waited_for)
{
	struct mnm_record *record;
	uint64_t next = 0, size;
	const struct bytes *frame;

	begun(LIMIT);
	appended(5);
	record = followed();
	frame = frame_drawn(EACH);
	for (size = 1; size < frame->size; size += size) {
		ck_assert_int_eq(pwrite(file.fd, frame->at, size,
					(off_t)file.size) == (ssize_t)size,
				 1);
		news_read(record, &next);
		ck_assert_uint_eq(next, 5);
	}
	ck_assert_int_eq(record_file_append(&file, frame), 0);
	news_read(record, &next);
	ck_assert_uint_eq(next, next_number);
	mnm_record_close(record);
}
END_TEST

START_TEST(who_follows_too_slowly_is_told)
{
	struct mnm_record *record;

	begun(LIMIT);
	appended(5);
	record = followed();
	parts_written(FRAMES);
	for (int i = 0; i < 5; i++)
		ck_assert_ptr_nonnull(mnm_record_next(record));
	while (mnm_record_next(record))
		;
	ck_assert_ptr_nonnull(mnm_record_error(record));
	ck_assert_ptr_nonnull(strstr(mnm_record_error(record), "parts"));
	mnm_record_close(record);
}
END_TEST

START_TEST(another_recording_in_its_place_is_not_followed)
{
	struct mnm_record *record;
	uint64_t next = 0;

	begun(LIMIT);
	appended(5);
	record = followed();
	ck_assert_int_eq(record_file_close(&file), 0);
	ck_assert_int_eq(unlink(path), 0);
	news_read(record, &next);
	begun(LIMIT);
	appended(5);
	news_read(record, &next);
	ck_assert_uint_eq(next, 5);
	mnm_record_close(record);
}
END_TEST

/* Each test is in an empty folder. */
static void folder_enter(void)
{
	char folder[] = "test.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert(!chdir(folder));
}

static int suite_run(const TTest *const *tests)
{
	Suite *suite = suite_create("record_file");
	TCase *tcase = tcase_create("record_file");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, TEST_SECONDS);
	tcase_add_checked_fixture(tcase, folder_enter, NULL);
	for (; *tests; tests++)
		tcase_add_test(tcase, *tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}

static int removed(const char *name, const struct stat *info, int type,
		   struct FTW *walk)
{
	(void)info;
	(void)type;
	(void)walk;
	return remove(name);
}

int main(void)
{
	const TTest *const tests[] = {
		what_fits_is_in_one_file,
		a_file_of_no_event_is_a_recording,
		a_longer_one_keeps_the_newest_in_its_limit,
		both_parts_are_read_after_a_death,
		a_part_of_another_recording_is_left_out,
		a_part_that_is_older_than_the_one_before_is_left_out,
		the_part_before_alone_is_read,
		another_writer_of_the_file_is_refused,
		a_path_that_cannot_be_is_refused,
		what_is_no_plain_file_is_refused,
		on_a_full_disk_the_file_ends_with_a_whole_frame,
		without_room_to_join_them_both_parts_stay,
		a_recording_has_what_lives_and_what_was_noted,
		times_begin_at_0_and_do_not_go_back,
		a_second_recording_replaces_the_first,
		a_recording_that_is_expected_has_what_came_before_its_file,
		one_that_never_comes_notes_nothing,
		notes_that_were_dropped_are_told,
		a_long_recording_keeps_the_newest_and_each_part_what_lives,
		a_part_begins_with_what_lives,
		frames_that_compress_badly_stay_within_the_limit,
		many_live_blocks_stay_within_the_limit,
		as_many_live_blocks_as_frames_have_room_for_are_told_once,
		a_full_disk_ends_the_recording,
		a_folder_that_vanishes_ends_the_recording,
		a_path_that_is_refused_begins_nothing,
		what_is_no_recording_is_told,
		what_comes_before_damage_is_read,
		nothing_comes_after_a_damaged_frame,
		garbage_after_the_head_is_told,
		pools_have_the_names_that_the_head_gives,
		what_is_written_meanwhile_is_followed,
		a_frame_that_is_not_whole_is_waited_for,
		who_follows_too_slowly_is_told,
		another_recording_in_its_place_is_not_followed,
		NULL,
	};

	char folder[] = "/tmp/mnm-record-XXXXXX";
	int failed;

	if (!mkdtemp(folder) || chdir(folder))
		return EXIT_FAILURE;
	failed = suite_run(tests);
	nftw(folder, removed, 8, FTW_DEPTH | FTW_PHYS);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
