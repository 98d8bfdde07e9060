#include "postmortem_held.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "common/text.h"

enum { CALLS_MOST = 64, FILES_MOST = 64, ERROR_SIZE = 4352 };

static void code_read(struct symbols *symbols, const json_t *told)
{
	size_t count = field_count(told, "files", FILES_MOST);

	for (size_t i = 0; i < count; i++) {
		const json_t *file =
			json_array_get(json_object_get(told, "files"), i);
		const char *path =
			json_string_value(json_object_get(file, "path"));
		const char *build =
			json_string_value(json_object_get(file, "build"));
		int64_t address = field_number(file, "address");
		int64_t size = field_number(file, "size");
		int64_t offset = field_number(file, "offset");

		if (!path || address < 0 || size < 0 || offset < 0 ||
		    !symbols_add(symbols, (uint64_t)address, (uint64_t)size,
				 (uint64_t)offset, path))
			continue;
		if (build)
			symbols_build(symbols, (uint64_t)address, build);
	}
}

/* Returns false if it names no recording, or not its moment, as files of older
 * versions. */
static bool moment_of(struct moment *moment, const json_t *told)
{
	const json_t *device = json_object_get(told, "device");
	int64_t time = field_number(told, "recording_time");
	int64_t thread = field_number(told, "thread");
	int64_t asked = field_number(told, "asked");
	const char *host = json_string_value(device);
	json_int_t number = json_integer_value(device);

	if (time < 0 || thread < 0 || asked < 0 ||
	    !json_is_string(json_object_get(told, "recording")) ||
	    !(host ? !strcmp(host, "host")
		   : json_is_integer(device) && number >= 0 &&
			      number < MNM_RECORD_HOST))
		return false;
	moment->time = (uint64_t)time;
	moment->thread = (uint32_t)thread;
	moment->asked = (uint64_t)asked;
	moment->device = host ? MNM_RECORD_HOST : (unsigned int)number;
	field_text(told, "recording_id", moment->id, sizeof(moment->id));
	return true;
}

/* The path is said beside it. */
static const char *without_path(const char *why, const char *path)
{
	size_t length = strlen(path);

	return !strncmp(why, path, length) && !strncmp(why + length, ": ", 2)
		       ? why + length + 2
		       : why;
}

static void recording_read(struct postmortem_held *held, const json_t *told)
{
	const char *path =
		json_string_value(json_object_get(told, "recording"));
	struct report *report = &held->report;
	char why[ERROR_SIZE];

	held->device = &report->summary.devices[held->moment.device];
	held->known = moment_read(&held->moment, path, &report->summary,
				  report->symbols, why, sizeof(why));
	if (!held->known)
		text_plain(without_path(why, path), held->why,
			   sizeof(held->why));
}

bool postmortem_held_open(struct postmortem_held *held, const json_t *told,
			  bool stacks)
{
	*held = (struct postmortem_held){
		.report = {.stacks = stacks, .narrow = true}};
	held->calls = symbols_open();
	held->report.symbols = symbols_open();
	if (!held->calls || !held->report.symbols)
		return false;
	code_read(held->calls, told);
	held->call_count = field_count(told, "stack", CALLS_MOST);
	if (moment_of(&held->moment, told))
		recording_read(held, told);
	return true;
}

void postmortem_held_close(struct postmortem_held *held)
{
	symbols_close(held->calls);
	symbols_close(held->report.symbols);
	summary_release(&held->report.summary);
}

/* In place of a function: a place in its file. */
static void offset_name(const json_t *told, uint64_t site,
			char function[HOLDER_NAME_SIZE])
{
	size_t count = field_count(told, "files", FILES_MOST);
	int64_t address = -1, size = 0;
	const json_t *file = NULL;

	for (size_t i = 0; i < count; i++) {
		file = json_array_get(json_object_get(told, "files"), i);
		address = field_number(file, "address");
		size = field_number(file, "size");
		if (address >= 0 && size >= 0 && site > (uint64_t)address &&
		    site - (uint64_t)address <= (uint64_t)size)
			break;
	}
	snprintf(function, HOLDER_NAME_SIZE, "+%#" PRIx64,
		 site - (uint64_t)address +
			 (uint64_t)field_number(file, "offset"));
}

void postmortem_call(const struct postmortem_held *held, const json_t *told,
		     size_t number, char file[HOLDER_NAME_SIZE],
		     char function[HOLDER_NAME_SIZE])
{
	const json_t *call =
		json_array_get(json_object_get(told, "stack"), number);
	json_int_t address = json_integer_value(call);
	uint64_t site = address > 0 ? (uint64_t)address : 0;

	symbols_find(held->calls, site, file, function, HOLDER_NAME_SIZE);
	if (!*file)
		site_names(held->calls, site, file, function);
	else if (!*function)
		offset_name(told, site, function);
}

static json_t *held_json(const struct postmortem_held *held)
{
	const struct report *report = &held->report;
	const struct moment *moment = &held->moment;
	json_t *json = json_pack("{s:I,s:I,s:I,s:s}", "live",
				 (json_int_t)held->device->peak, "dropped",
				 (json_int_t)moment->dropped, "iteration_peak",
				 (json_int_t)moment->iteration_peak,
				 "open_ranges", moment->ranges);

	if (moment->served)
		json_object_set_new(json, "served_after",
				    json_integer((json_int_t)(moment->served -
							      moment->time)));
	report_peak_put(json, report, held->device);
	return json;
}

void postmortem_held_add(const struct postmortem_held *held, json_t *told)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
	json_t *calls = json_array();

	for (size_t i = 0; i < held->call_count; i++) {
		postmortem_call(held, told, i, file, function);
		json_array_append_new(calls,
				      json_pack("{s:s,s:s}", "file", file,
						"function", function));
	}
	json_object_set_new(told, "calls", calls);
	if (held->known)
		json_object_set_new(told, "held", held_json(held));
}
