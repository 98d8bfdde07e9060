/* mnm report: what a recording says of a program's memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/plan/replacement.h"
#include "common/option.h"
#include "common/text.h"
#include "holders.h"
#include "peak_print.h"
#include "postmortem.h"
#include "repeats.h"
#include "report.h"

enum { NAME_SIZE = 256 };

static void code_note(void *argument, const struct mnm_record_event *event)
{
	struct report *report = argument;

	symbols_note(report->symbols, event);
}

bool report_shows(const struct report *report, unsigned int device)
{
	return report->summary.devices[device].used &&
	       device != MNM_RECORD_NOWHERE &&
	       (report->device < 0 || report->device == (int)device);
}

uint64_t report_iterations(const struct report *report)
{
	return report->summary.marks
		       ? report->summary.marks
		       : repetition_iterations(&report->repetition);
}

char *report_range(const struct report *report, uint64_t number,
		   char name[RANGE_NAME_SIZE])
{
	return text_plain(number ? report->summary.paths[number] : "(no range)",
			  name, RANGE_NAME_SIZE);
}

static void failures_print(const struct report *report,
			   const struct device_summary *device)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
	char size[TEXT_BYTES_SIZE], live[TEXT_BYTES_SIZE];
	char span[TEXT_BYTES_SIZE];
	const struct device_summary *nowhere =
		&report->summary.devices[MNM_RECORD_NOWHERE];

	for (size_t i = 0; i < device->failed && i < FAILURES_KEPT; i++) {
		const struct failed_request *request = &device->failures[i];

		site_names(report->symbols, request->site, file, function);
		printf("  failed after %.3f s: %s",
		       (double)request->time * 1e-9,
		       text_bytes((int64_t)request->size, size));
		if (device != nowhere)
			printf(", beside %s live, which took %s",
			       text_bytes((int64_t)request->live, live),
			       text_bytes((int64_t)request->span, span));
		printf("; asked for by %s %s\n", file, function);
	}
	if (device->failed > FAILURES_KEPT)
		printf("  and %" PRIu64 " more failed\n",
		       device->failed - FAILURES_KEPT);
}

static void device_print(const struct report *report, unsigned int number)
{
	const struct device_summary *device = &report->summary.devices[number];
	char name[DEVICE_TEXT_SIZE], peak[TEXT_BYTES_SIZE],
		span[TEXT_BYTES_SIZE];

	printf("\n%s: %s live at most, %.3f s after the start",
	       device_text(number, name),
	       text_bytes((int64_t)device->peak, peak),
	       (double)device->peak_time * 1e-9);
	if (device->peak_span)
		printf("; its blocks took %s",
		       text_bytes((int64_t)device->peak_span, span));
	putchar('\n');
	printf("  %" PRIu64 " requests, %" PRIu64 " frees, %" PRIu64
	       " failed; the driver was asked in %" PRIu64
	       " (%.1f %%), %" PRIu64 " fences, %" PRIu64 " swaps, %" PRIu64
	       " trims\n",
	       device->requests, device->frees, device->failed, device->driver,
	       peak_percent(device->driver,
			    device->requests + device->frees + device->failed),
	       device->fences, device->swaps, device->trims);
	failures_print(report, device);
	if (device->peak)
		peak_print(report, device);
}

/* Requests that failed before their thread had a device. */
static void nowhere_print(const struct report *report)
{
	const struct device_summary *nowhere =
		&report->summary.devices[MNM_RECORD_NOWHERE];

	if (!nowhere->failed || report->device >= 0)
		return;
	printf("\nno device: %" PRIu64 " requests failed\n", nowhere->failed);
	failures_print(report, nowhere);
}

static void report_print(const struct report *report)
{
	const char *program =
		json_string_value(json_object_get(report->program, "program"));
	const char *host =
		json_string_value(json_object_get(report->program, "host"));
	char name[NAME_SIZE], place[NAME_SIZE];

	printf("%s", text_plain(program ? program : "(unknown program)", name,
				sizeof(name)));
	if (report->program && !json_object_get(report->program, "source"))
		printf(", pid %lld, on %s",
		       (long long)json_integer_value(
			       json_object_get(report->program, "pid")),
		       text_plain(host, place, sizeof(place)));
	printf(": %" PRIu64 " events in %.3f s", report->summary.events,
	       (double)report->summary.end * 1e-9);
	if (report_iterations(report))
		printf(", %" PRIu64 " iterations%s", report_iterations(report),
		       report->repetition.count ? " (found)" : "");
	if (report->later)
		printf("; what came before %.3f s has gone",
		       (double)report->summary.begin * 1e-9);
	if (report->summary.dropped)
		printf("; %" PRIu64 " are missing", report->summary.dropped);
	putchar('\n');
	for (unsigned int i = 0; i <= UINT8_MAX; i++)
		if (report_shows(report, i))
			device_print(report, i);
	nowhere_print(report);
}

static void head_read(struct report *report)
{
	char error[64];
	struct mnm_record *record =
		mnm_record_open(report->path, error, sizeof(error));
	json_t *head;

	if (!record)
		return;
	head = json_loads(mnm_record_about(record), 0, NULL);
	report->program = json_incref(json_object_get(head, "program"));
	report->later = json_integer_value(json_object_get(head, "part")) > 0;
	json_decref(head);
	mnm_record_close(record);
}

/* A device that was asked for and is not there is a mistake. */
static bool device_is_there(const struct report *report)
{
	char text[DEVICE_TEXT_SIZE];

	if (report->device < 0 ||
	    report_shows(report, (unsigned int)report->device))
		return true;
	failure("%s: there is nothing of %s in it", report->path,
		device_text((unsigned int)report->device, text));
	return false;
}

/* Says all that is to be said of it, as it is asked for. */
static bool report_give(const struct report *report,
			const struct arguments *arguments)
{
	json_t *json;

	if (!device_is_there(report) ||
	    (arguments->page && !page_save(report, arguments->page)))
		return false;
	if (arguments->json) {
		json = report_json(report, true);
		json_print(json);
		json_decref(json);
	} else if (!arguments->page) {
		report_print(report);
		if (report->stacks && !report->summary.stack_count)
			failure("%s: no stacks are in it; mnm run --stacks "
				"records them",
				report->path);
	}
	return true;
}

int report_run(const struct command *command, const struct arguments *arguments)
{
	struct report report = {.device = -1,
				.path = arguments->recording,
				.stacks = arguments->stacks};
	char wrong[4352], error[4352];
	int status = EXIT_DONE;

	if (device_read(command, arguments, &report.device))
		return EXIT_USAGE;
	if (postmortem_is(arguments->recording))
		return postmortem_report(arguments, report.device);
	if (arguments->page &&
	    !replacement_possible(arguments->page, report.path))
		return EXIT_FAILED;
	report.symbols = symbols_open();
	if (!report.symbols)
		return failure("no memory");
	if (summary_read(&report.summary, arguments->recording, code_note,
			 &report, wrong, error, sizeof(error))) {
		head_read(&report);
		report.wrong = wrong;
		if (!report.summary.marks)
			repeats_find(&report.repetition, report.path);
		if (!report_give(&report, arguments))
			status = EXIT_FAILED;
		if (!report.program)
			status = head_damaged(report.path);
		if (*wrong)
			status = failure("what follows is lost: %s", wrong);
	} else {
		status = failure("%s", error);
	}
	symbols_changed_tell(report.symbols);
	json_decref(report.program);
	repetition_release(&report.repetition);
	summary_release(&report.summary);
	symbols_close(report.symbols);
	return status;
}
