/* mnm report: what a recording says of a program's memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "common/option.h"
#include "common/text.h"
#include "holders.h"
#include "summary.h"
#include "symbols.h"

enum { NAME_SIZE = 256, SHOWN = 15, WIDTH_MOST = 24 };

struct report {
	struct summary summary;
	struct symbols *symbols;
	json_t *program; /* of the recording's head */
	int device;      /* only that; -1: all */
};

static void module_add(void *argument, const struct mnm_record_event *event)
{
	struct report *report = argument;

	if (event->text)
		symbols_add(report->symbols, event->address, event->size,
			    event->span, event->text);
}

static bool is_shown(const struct report *report, unsigned int device)
{
	return report->summary.devices[device].used &&
	       device != MNM_RECORD_NOWHERE &&
	       (report->device < 0 || report->device == (int)device);
}

static const char *device_text(unsigned int device, char text[32])
{
	if (device == MNM_RECORD_HOST)
		return "pinned memory";
	snprintf(text, 32, "device %u", device);
	return text;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void holders_print(const struct report *report,
			  const struct device_summary *device)
{
	size_t count = 0, shown;
	struct named_holder *named =
		holders_name(device, report->symbols, &count);
	char bytes[TEXT_BYTES_SIZE];
	uint64_t rest = 0, blocks = 0;

	shown = count <= SHOWN ? count : SHOWN - 1;
	printf("  %10s %5s %8s  %-*s %s\n", "live then", "", "blocks",
	       WIDTH_MOST, "asked for by", "in");
	for (size_t i = 0; i < count; i++) {
		if (i >= shown) {
			rest += named[i].bytes;
			blocks += named[i].blocks;
			continue;
		}
		printf("  %10s %4.0f%% %8" PRIu64 "  %-*s %s\n",
		       text_bytes((int64_t)named[i].bytes, bytes),
		       percent(named[i].bytes, device->peak), named[i].blocks,
		       WIDTH_MOST, named[i].file, named[i].function);
	}
	if (blocks)
		printf("  %10s %4.0f%% %8" PRIu64 "  by %zu others\n",
		       text_bytes((int64_t)rest, bytes),
		       percent(rest, device->peak), blocks, count - shown);
	free(named);
}

static void failures_print(const struct report *report,
			   const struct device_summary *device)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
	char size[TEXT_BYTES_SIZE], live[TEXT_BYTES_SIZE];
	char span[TEXT_BYTES_SIZE];

	for (size_t i = 0; i < device->failed && i < FAILURES_KEPT; i++) {
		const struct failed_request *request = &device->failures[i];

		site_names(report->symbols, request->site, file, function);
		printf("  failed after %.3f s: %s, beside %s live, which took "
		       "%s; asked for by %s %s\n",
		       (double)request->time * 1e-9,
		       text_bytes((int64_t)request->size, size),
		       text_bytes((int64_t)request->live, live),
		       text_bytes((int64_t)request->span, span), file,
		       function);
	}
	if (device->failed > FAILURES_KEPT)
		printf("  and %" PRIu64 " more failed\n",
		       device->failed - FAILURES_KEPT);
}

static void device_print(const struct report *report, unsigned int number)
{
	const struct device_summary *device = &report->summary.devices[number];
	char name[32], peak[TEXT_BYTES_SIZE], span[TEXT_BYTES_SIZE];

	printf("\n%s: %s live at most, %.3f s after the start; its blocks took "
	       "%s\n",
	       device_text(number, name),
	       text_bytes((int64_t)device->peak, peak),
	       (double)device->peak_time * 1e-9,
	       text_bytes((int64_t)device->peak_span, span));
	printf("  %" PRIu64 " requests, %" PRIu64 " frees, %" PRIu64
	       " failed; the driver was asked in %" PRIu64
	       " (%.1f %%), %" PRIu64 " fences, %" PRIu64 " swaps, %" PRIu64
	       " trims\n",
	       device->requests, device->frees, device->failed, device->driver,
	       percent(device->driver, device->requests + device->frees),
	       device->fences, device->swaps, device->trims);
	failures_print(report, device);
	if (device->peak)
		holders_print(report, device);
}

static void report_print(const struct report *report)
{
	const char *program =
		json_string_value(json_object_get(report->program, "program"));
	const char *host =
		json_string_value(json_object_get(report->program, "host"));
	char name[NAME_SIZE], place[NAME_SIZE];

	printf("%s, pid %lld, on %s: %" PRIu64 " events in %.3f s",
	       text_plain(program, name, sizeof(name)),
	       (long long)json_integer_value(
		       json_object_get(report->program, "pid")),
	       text_plain(host, place, sizeof(place)), report->summary.events,
	       (double)report->summary.end * 1e-9);
	if (report->summary.marks)
		printf(", %" PRIu64 " iterations", report->summary.marks);
	if (report->summary.dropped)
		printf("; %" PRIu64 " are missing", report->summary.dropped);
	putchar('\n');
	for (unsigned int i = 0; i <= UINT8_MAX; i++)
		if (is_shown(report, i))
			device_print(report, i);
}

static json_t *holders_json(const struct report *report,
			    const struct device_summary *device)
{
	size_t count = 0;
	struct named_holder *named =
		holders_name(device, report->symbols, &count);
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			list, json_pack("{s:I,s:I,s:s,s:s}", "bytes",
					(json_int_t)named[i].bytes, "blocks",
					(json_int_t)named[i].blocks, "file",
					named[i].file, "function",
					named[i].function));
	free(named);
	return list;
}

static json_t *failures_json(const struct report *report,
			     const struct device_summary *device)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
	json_t *list = json_array();

	for (size_t i = 0; i < device->failed && i < FAILURES_KEPT; i++) {
		const struct failed_request *request = &device->failures[i];

		site_names(report->symbols, request->site, file, function);
		json_array_append_new(
			list, json_pack("{s:I,s:I,s:I,s:I,s:s,s:s}", "time",
					(json_int_t)request->time, "size",
					(json_int_t)request->size, "live",
					(json_int_t)request->live, "span",
					(json_int_t)request->span, "file", file,
					"function", function));
	}
	return list;
}

static json_t *device_json(const struct report *report, unsigned int number)
{
	const struct device_summary *device = &report->summary.devices[number];
	json_t *json = json_object();

	json_object_set_new(json, "device",
			    number == MNM_RECORD_HOST ? json_string("host")
						      : json_integer(number));
#define FIGURE(name) \
	json_object_set_new(json, #name, \
			    json_integer((json_int_t)device->name));
	FIGURE(requests)
	FIGURE(frees)
	FIGURE(failed)
	FIGURE(driver)
	FIGURE(fences)
	FIGURE(swaps)
	FIGURE(trims)
	FIGURE(peak)
	FIGURE(peak_span)
	FIGURE(peak_time)
#undef FIGURE
	json_object_set_new(json, "failures", failures_json(report, device));
	json_object_set_new(json, "holders", holders_json(report, device));
	return json;
}

static void report_json(const struct report *report)
{
	json_t *devices = json_array(), *json;

	for (unsigned int i = 0; i <= UINT8_MAX; i++)
		if (is_shown(report, i))
			json_array_append_new(devices, device_json(report, i));
	json = json_pack("{s:O?,s:I,s:I,s:I,s:I,s:o}", "program",
			 report->program, "events",
			 (json_int_t)report->summary.events, "dropped",
			 (json_int_t)report->summary.dropped, "nanoseconds",
			 (json_int_t)report->summary.end, "iterations",
			 (json_int_t)report->summary.marks, "devices", devices);
	json_print(json);
	json_decref(json);
}

static json_t *program_read(const char *path)
{
	char error[64];
	struct mnm_record *record = mnm_record_open(path, error, sizeof(error));
	json_t *head, *program;

	if (!record)
		return NULL;
	head = json_loads(mnm_record_about(record), 0, NULL);
	program = json_incref(json_object_get(head, "program"));
	json_decref(head);
	mnm_record_close(record);
	return program;
}

int report_run(const struct command *command, const struct arguments *arguments)
{
	struct report report = {.device = -1};
	char wrong[4352], error[4352];
	int status = EXIT_DONE;

	if (device_read(command, arguments, &report.device))
		return EXIT_USAGE;
	report.symbols = symbols_open();
	if (!report.symbols)
		return failure("no memory");
	if (summary_read(&report.summary, arguments->recording, module_add,
			 &report, wrong, error, sizeof(error))) {
		report.program = program_read(arguments->recording);
		(arguments->json ? report_json : report_print)(&report);
		if (*wrong)
			status = failure("what follows is lost: %s", wrong);
	} else {
		status = failure("%s", error);
	}
	json_decref(report.program);
	summary_release(&report.summary);
	symbols_close(report.symbols);
	return status;
}
