#include "postmortem_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/print.h"
#include "common/text.h"
#include "peak_print.h"
#include "postmortem_held.h"

enum {
	NAME_SIZE = 256,
	ROWS_MOST = 512, /* of a table */
	CALLS_SHOWN = 8, /* of a stack that is not to be shown whole */
	FILE_WIDTH = 24, /* columns */
	KIND_WIDTH = 16,
	SERVER_WIDTH = 24,
};

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
		printf("  %-28s %10s%s\n", name, text_bytes(bytes, text), more);
}

/* Older files, and pools without regions, have none. */
static void holes_print(const json_t *holes)
{
	char count[64];

	if (field_number(holes, "regions") <= 0)
		return;
	snprintf(count, sizeof(count), " in %" PRId64 " holes",
		 field_number(holes, "count"));
	line_print("free inside of regions", field_number(holes, "bytes"),
		   count);
	line_print("largest hole", field_number(holes, "largest"), "");
	if (field_number(holes, "whole_pages") > 0)
		line_print("in pages that can move",
			   field_number(holes, "whole_pages"), "");
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
	holes_print(json_object_get(told, "holes"));
	line_print("most that was live", field_number(figures, "live_peak"),
		   "");
}

/* title: what is in the third column. */
static void sizes_print(const json_t *live, const char *title)
{
	size_t count = field_count(live, "sizes", ROWS_MOST);

	if (count)
		printf("\n  %10s  %8s  %10s  %10s\n", "sizes up to", "blocks",
		       title, "largest");
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

static void kinds_print(const json_t *live, const char *server)
{
	size_t count = field_count(live, "kinds", ROWS_MOST);

	for (size_t i = 0; i < count; i++) {
		const json_t *row =
			json_array_get(json_object_get(live, "kinds"), i);
		char kind[NAME_SIZE], pool[NAME_SIZE], bytes[TEXT_BYTES_SIZE];

		field_text(row, "kind", kind, sizeof(kind));
		snprintf(pool, sizeof(pool), "%s", server);
		if (json_object_get(row, "pool"))
			field_text(row, "pool", pool, sizeof(pool));
		printf("  %-*s  %-*s  %8" PRId64 "  %10s\n", KIND_WIDTH,
		       text_cut(kind, KIND_WIDTH), SERVER_WIDTH,
		       text_cut(pool, SERVER_WIDTH),
		       field_number(row, "blocks"),
		       bytes_of(row, "bytes", bytes));
	}
}

static void all_kinds_print(const json_t *told)
{
	const json_t *live = json_object_get(told, "live");
	const json_t *unpooled = json_object_get(told, "unpooled");
	const json_t *pinned = json_object_get(told, "pinned");
	char bytes[TEXT_BYTES_SIZE];

	if (field_count(live, "kinds", 1) + field_count(unpooled, "kinds", 1))
		printf("\n  %-*s  %-*s  %8s  %10s\n", KIND_WIDTH, "kind",
		       SERVER_WIDTH, "served by", "blocks", "live");
	kinds_print(live, "?");
	kinds_print(unpooled, "CUDA");
	if (field_number(pinned, "blocks") > 0)
		printf("  beside %s of pinned memory in %" PRId64 " blocks\n",
		       bytes_of(pinned, "bytes", bytes),
		       field_number(pinned, "blocks"));
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

/* The calls that led to it, the innermost first. */
static void calls_print(const json_t *told, const struct postmortem_held *held)
{
	size_t count = held->call_count, shown = count;
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];

	if (!held->report.stacks && count > CALLS_SHOWN)
		shown = CALLS_SHOWN;
	if (count)
		printf("\n  asked for by\n");
	for (size_t i = 0; i < shown; i++) {
		postmortem_call(held, told, i, file, function);
		printf("    %-*s %s\n", FILE_WIDTH, text_cut(file, FILE_WIDTH),
		       text_cut(function, REPORT_COLUMNS - FILE_WIDTH - 5));
	}
	if (shown < count)
		printf("    and %zu more: --stacks\n", count - shown);
}

/* Where in the job it was. */
static void place_print(const json_t *told, const struct postmortem_held *held)
{
	const json_t *figures = json_object_get(told, "figures");
	int64_t iteration = field_number(figures, "iterations");
	char ranges[RANGES_PATH_SIZE], peak[TEXT_BYTES_SIZE];

	if (held->known && *held->moment.ranges)
		printf("  in the ranges %s\n",
		       text_cut(text_plain(held->moment.ranges, ranges,
					   sizeof(ranges)),
				REPORT_COLUMNS - sizeof("  in the ranges")));
	if (iteration > 0)
		printf("  in iteration %" PRId64, iteration);
	if (iteration > 0 && held->known && held->moment.iteration_peak)
		printf(", after one with %s live at most",
		       text_bytes((int64_t)held->moment.iteration_peak, peak));
	if (iteration > 0)
		putchar('\n');
}

/* Who held what, by the recording. */
static void held_print(const json_t *told, const struct postmortem_held *held)
{
	char path[NAME_SIZE], live[TEXT_BYTES_SIZE];
	const struct moment *moment = &held->moment;

	if (!json_is_string(json_object_get(told, "recording")))
		return;
	field_text(told, "recording", path, sizeof(path));
	if (!held->known) {
		printf("\n  who held what: mnm report %s\n", path);
		if (*held->why)
			printf("  but %s\n", held->why);
		return;
	}
	printf("\n  %s live by the recording\n",
	       text_bytes((int64_t)held->device->peak, live));
	if (moment->dropped)
		printf("  of which %" PRIu64 " events are missing\n",
		       moment->dropped);
	if (held->device->peak)
		peak_print(&held->report, held->device);
	if (moment->served)
		printf("  the same thread got as much %.3f s later\n",
		       (double)(moment->served - moment->time) * 1e-9);
	printf("\n  more of it: mnm report %s\n", path);
}

void postmortem_print(const json_t *told, const struct postmortem_held *held)
{
	asked_print(told);
	place_print(told, held);
	calls_print(told, held);
	device_print(told);
	all_kinds_print(told);
	sizes_print(json_object_get(told, "live"), "pooled");
	sizes_print(json_object_get(told, "unpooled"), "not pooled");
	pools_print(told);
	held_print(told, held);
}
