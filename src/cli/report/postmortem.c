#include "postmortem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "cli/output.h"
#include "cli/print.h"
#include "common/file_stat.h"
#include "common/text.h"

enum {
	VERSION = 1,
	NAME_SIZE = 256,
	BYTES_MOST = 1 << 20, /* of a file that is read */
	ROWS_MOST = 64,       /* of a table */
};

bool postmortem_is(const char *path)
{
	struct stat st;
	char first = 0;
	int fd;

	if (file_stat(path, &st, 0) || !S_ISREG(st.st_mode) ||
	    st.st_size > BYTES_MOST)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, &first, 1) != 1)
		first = 0;
	close(fd);
	return first == '{';
}

static const char *bytes_of(const json_t *object, const char *key,
			    char text[TEXT_BYTES_SIZE])
{
	return text_bytes(field_number(object, key), text);
}

static void asked_print(const json_t *told)
{
	char program[NAME_SIZE], pool[NAME_SIZE], device[DEVICE_NAME_SIZE];
	char bytes[TEXT_BYTES_SIZE], when[64] = "?";
	int64_t asked = field_number(told, "asked");
	time_t seconds = (time_t)field_number(told, "time");
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	printf("%s, pid %" PRId64 ", %s\n  ",
	       field_text(told, "program", program, sizeof(program)),
	       field_number(told, "pid"), when);
	if (asked)
		printf("%s", text_bytes(asked, bytes));
	else
		printf("a call");
	printf(" on device %s, pool %s, was refused by %s\n",
	       field_device(told, device),
	       field_text(told, "pool", pool, sizeof(pool)),
	       strcmp(field_text(told, "refused_by", program, sizeof(program)),
		      "hard_limit")
		       ? "the driver"
		       : "the hard limit");
}

static void line_print(const char *name, int64_t bytes, const char *more)
{
	char text[TEXT_BYTES_SIZE];

	if (bytes >= 0)
		printf("  %-26s %10s%s\n", name, text_bytes(bytes, text), more);
}

static void device_print(const json_t *told)
{
	const json_t *figures = json_object_get(told, "figures");
	const json_t *live = json_object_get(told, "live");
	int64_t all = field_number(figures, "device_bytes");
	int64_t reserved = field_number(figures, "reserved_bytes");
	char blocks[64];

	snprintf(blocks, sizeof(blocks), " in %" PRId64 " blocks",
		 field_number(live, "blocks"));
	putchar('\n');
	if (field_number(told, "total") > 0)
		line_print("the device has", field_number(told, "total"), "");
	line_print("free, says the driver", field_number(told, "free"), "");
	if (field_number(told, "hard_limit") > 0)
		line_print("hard limit", field_number(told, "hard_limit"), "");
	line_print("taken for pools", reserved, "");
	if (all >= reserved && reserved >= 0)
		line_print("taken for what is not pooled", all - reserved, "");
	line_print("live in pools", field_number(live, "bytes"), blocks);
	line_print("which take", field_number(live, "span"), "");
	line_print("idle", field_number(figures, "idle_bytes"), "");
	line_print("largest idle block",
		   field_number(told, "largest_idle_block"), "");
	line_print("most that was live", field_number(figures, "live_peak"),
		   "");
}

static void sizes_print(const json_t *told)
{
	const json_t *live = json_object_get(told, "live");
	size_t count = field_count(live, "sizes", ROWS_MOST);

	if (count)
		printf("\n  %10s  %8s  %10s  %10s\n", "sizes up to", "blocks",
		       "live", "largest");
	for (size_t i = 0; i < count; i++) {
		const json_t *row =
			json_array_get(json_object_get(live, "sizes"), i);
		char size[TEXT_BYTES_SIZE], bytes[TEXT_BYTES_SIZE];
		char largest[TEXT_BYTES_SIZE];

		printf("  %11s  %8" PRId64 "  %10s  %10s\n",
		       bytes_of(row, "up_to", size),
		       field_number(row, "blocks"),
		       bytes_of(row, "bytes", bytes),
		       bytes_of(row, "largest", largest));
	}
}

static void pools_print(const json_t *told)
{
	size_t count = field_count(told, "pools", ROWS_MOST);

	if (count)
		printf("\n  with the request, an estimate:\n");
	for (size_t i = 0; i < count; i++) {
		const json_t *row =
			json_array_get(json_object_get(told, "pools"), i);
		const json_t *fits = json_object_get(row, "fits");
		char name[NAME_SIZE], bytes[TEXT_BYTES_SIZE];

		printf("  %-16s needs %10s%s\n",
		       field_text(row, "pool", name, sizeof(name)),
		       bytes_of(row, "bytes", bytes),
		       json_is_true(fits)    ? ", which is there"
		       : json_is_false(fits) ? ", which is not there"
					     : "");
	}
}

static void told_print(const json_t *told)
{
	char recording[NAME_SIZE];

	asked_print(told);
	device_print(told);
	sizes_print(told);
	pools_print(told);
	if (json_is_string(json_object_get(told, "recording")))
		printf("\n  who held what: mnm report %s\n",
		       field_text(told, "recording", recording,
				  sizeof(recording)));
}

int postmortem_report(const struct arguments *arguments)
{
	json_error_t error;
	json_t *told = json_load_file(arguments->recording, 0, &error);
	int64_t version = field_number(told, "mnm_postmortem");
	int status = EXIT_DONE;

	if (!told)
		status = failure("%s:%d: it is no JSON", arguments->recording,
				 error.line);
	else if (arguments->page)
		status = failure("%s: it is no recording, and has no page",
				 arguments->recording);
	else if (version < 0)
		status = failure("%s: it is no recording and no post-mortem",
				 arguments->recording);
	else if (version != VERSION)
		status = failure("%s: it has another version than 1",
				 arguments->recording);
	else if (arguments->json)
		json_print(told);
	else
		told_print(told);
	json_decref(told);
	return status;
}
