/* mnm export: writes a recording as something else. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "cli/cli.h"
#include "cli/plan/replacement.h"
#include "cli/progress.h"
#include "cli/report/summary.h"
#include "common/option.h"
#include "export.h"

enum {
	LOOK_EACH = 1 << 14, /* events, and it is looked for signals */
	SHOW_AFTER_MS = 1000,
	SHOW_EACH_MS = 200,
};

void export_more(void)
{
	printf("\nFormats:\n");
	for (const struct export_format *row = export_formats; row->name; row++)
		printf("  %-8s %s\n", row->name, row->help);
}

static const struct export_format *format_find(const char *name)
{
	const struct export_format *row = export_formats;

	if (!name)
		return row;
	while (row->name && strcmp(row->name, name))
		row++;
	if (row->name)
		return row;
	error_print("mnm: --format '%s'; allowed:", name);
	for (row = export_formats; row->name; row++)
		fprintf(stderr, " %s", row->name);
	fputc('\n', stderr);
	return NULL;
}

/* Reads the recording's head, which is returned. */
static json_t *about_read(struct export *export)
{
	json_t *head = json_loads(mnm_record_about(export->record), 0, NULL);
	const json_t *program = json_object_get(head, "program");

	export->source = json_object_get(program, "source");
	export->pid = (int)json_integer_value(json_object_get(program, "pid"));
	export->began = json_number_value(json_object_get(program, "began"));
	return head;
}

/* Whether the export is about the event. The first device that memory is of is
 * chosen where only one can be. */
static bool is_meant(struct export *export, const struct export_format *format,
		     const struct mnm_record_event *event)
{
	bool block = event->kind <= MNM_RECORD_FREE;

	if (format->one_device && export->device < 0 && block &&
	    event->device < MNM_RECORD_HOST) {
		export->device = event->device;
		export->chosen = true;
	}
	if (export->chosen && block && export_comes(event) &&
	    event->device < MNM_RECORD_HOST)
		export->others += event->device != export->device;
	if (event->device == MNM_RECORD_NOWHERE)
		return true;
	if (format->one_device && export->device < 0)
		return false;
	return export->device < 0 || event->device == export->device;
}

/* An event, with the block that it frees or takes the place of, if that is one
 * that the export is about: it has the block's device then, as a free may be
 * made while another one is current. */
static void event_write(struct export *export,
			const struct export_format *format,
			const struct mnm_record_event *event)
{
	const struct live_block *block = live_blocks_over(&export->live, event);
	struct mnm_record_event told = *event;

	if (block && format != export_formats) {
		told.kind = MNM_RECORD_FREE;
		told.device = block->event.device;
		format->event(export, &told, block);
		told = *event;
	}
	block = NULL;
	if (event->kind == MNM_RECORD_FREE)
		block = live_blocks_turn(&export->live, event);
	if (block)
		told.device = block->event.device;
	if (!is_meant(export, format, &told))
		return;
	export->ended = open_ranges_turn(&export->ranges, &told);
	if (event->kind != MNM_RECORD_FREE)
		block = live_blocks_turn(&export->live, event);
	format->event(export, &told, block);
}

/* Shows now and then how far it has come: some formats read a recording several
 * times, and it may still grow. */
static void progress_show(struct export *export)
{
	if (!export->show_ms || progress_ms() < export->show_ms)
		return;
	fprintf(stderr, "\r\033[K%.1f million events read",
		(double)export->events / 1e6);
	fflush(stderr);
	export->shown = true;
	export->show_ms = progress_ms() + SHOW_EACH_MS;
}

bool export_goes_on(struct export *export)
{
	if (++export->events % LOOK_EACH)
		return true;
	progress_show(export);
	export->stopped = export->replacement &&
			  replacement_is_stopped(export->replacement);
	return !export->stopped && !ferror(export->to);
}

static void events_write(struct export *export,
			 const struct export_format *format,
			 struct mnm_record *record)
{
	const struct mnm_record_event *event;

	while (export_goes_on(export) && (event = mnm_record_next(record)))
		event_write(export, format, event);
}

static void progress_end(struct export *export)
{
	if (export->shown)
		progress_clear();
	export->shown = false;
}

bool export_end_tell(struct export *export, const struct mnm_record *record)
{
	uint64_t dropped = mnm_record_dropped(record);

	progress_end(export);
	if (dropped)
		failure("%" PRIu64 " events are missing: the program made more "
			"than could be written",
			dropped);
	if (mnm_record_error(record))
		failure("what follows is lost: %s", mnm_record_error(record));
	return !mnm_record_error(record);
}

static bool export_write(struct export *export,
			 const struct export_format *format,
			 struct mnm_record *record)
{
	if (format->write)
		return format->write(export, record);
	format->begin(export);
	events_write(export, format, record);
	if (format->end)
		format->end(export);
	progress_end(export);
	if (export->others)
		failure("%" PRIu64 " requests of other devices are left out; "
			"--device chooses one",
			export->others);
	return export_end_tell(export, record);
}

/* Writes into the file that is named, or to stdout. */
static bool export_to(const char *path, struct export *export,
		      const struct export_format *format,
		      struct mnm_record *record)
{
	struct replacement replacement;
	bool whole;

	export->to = path ? replacement_begin(&replacement, path) : stdout;
	if (!export->to)
		return false;
	export->replacement = path ? &replacement : NULL;
	if (progress_obeys() && !isatty(fileno(export->to)))
		export->show_ms = progress_ms() + SHOW_AFTER_MS;
	whole = export_write(export, format, record);
	progress_end(export);
	export->stopped |= path && replacement_is_stopped(&replacement);
	if (path && export->stopped)
		replacement_drop(&replacement); /* and the signal ends this */
	else if (path && !replacement_end(&replacement))
		return false;
	return whole && !export->stopped;
}

/* A device that was asked for and is not there is a mistake. What can't be read
 * is told later. */
static bool device_is_there(const struct export *export)
{
	const struct mnm_record_event *event = NULL;
	struct mnm_record *record;
	char error[4352], text[DEVICE_TEXT_SIZE];

	if (export->device < 0)
		return true;
	record = mnm_record_open(export->path, error, sizeof(error));
	while (record && (event = mnm_record_next(record)) &&
	       event->device != export->device)
		;
	mnm_record_close(record);
	if (record && !event)
		failure("%s: there is nothing of %s in it", export->path,
			device_text((unsigned int)export->device, text));
	return !record || event;
}

int export_run(const struct command *command, const struct arguments *arguments)
{
	const struct export_format *format = format_find(arguments->format);
	struct export export = {.device = -1};
	const char *output =
		arguments->output ? arguments->output : arguments->output_word;
	struct mnm_record *record;
	char error[4352];
	json_t *head;
	bool whole;

	if (!format)
		return EXIT_USAGE;
	if (device_read(command, arguments, &export.device))
		return EXIT_USAGE;
	export.path = arguments->recording;
	if ((output && !replacement_possible(output, export.path)) ||
	    !device_is_there(&export))
		return EXIT_FAILED;
	record = mnm_record_open(export.path, error, sizeof(error));
	if (!record)
		return failure("%s", error);
	export.record = record;
	head = about_read(&export);
	export.symbols = symbols_open();
	whole = export.symbols ? export_to(output, &export, format, record)
			       : !failure("no memory");
	if (!head)
		whole = !head_damaged(export.path);
	if (export.symbols)
		symbols_changed_tell(export.symbols);
	symbols_close(export.symbols);
	json_decref(head);
	live_blocks_close(&export.live);
	open_ranges_close(&export.ranges);
	mnm_record_close(record);
	return whole ? EXIT_DONE : EXIT_FAILED;
}
