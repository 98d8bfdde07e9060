/* What mnm report says, for programs. */
#include "report.h"

#include "holders.h"
#include "stacks.h"

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

static json_t *ranges_json(const struct report *report,
			   const struct device_summary *device)
{
	const struct holders *ranges = &device->ranges;
	json_t *list = json_array();
	char path[RANGE_NAME_SIZE];

	for (size_t i = 0; report->summary.path_count && i < ranges->count; i++)
		json_array_append_new(
			list,
			json_pack(
				"{s:I,s:I,s:s}", "bytes",
				(json_int_t)ranges->at[i].bytes, "blocks",
				(json_int_t)ranges->at[i].blocks, "range",
				report_range(report, ranges->at[i].key, path)));
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

void report_peak_put(json_t *json, const struct report *report,
		     const struct device_summary *device)
{
	json_object_set_new(json, "holders", holders_json(report, device));
	json_object_set_new(json, "ranges", ranges_json(report, device));
	json_object_set_new(
		json, "stacks",
		stacks_json(&report->summary, device, report->symbols));
}

static json_t *device_json(const struct report *report, unsigned int number,
			   bool holders)
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
	if (holders)
		report_peak_put(json, report, device);
	return json;
}

/* What failed before there was a device; NULL: nothing. */
static json_t *nowhere_json(const struct report *report)
{
	const struct device_summary *nowhere =
		&report->summary.devices[MNM_RECORD_NOWHERE];

	return nowhere->failed && report->device < 0
		       ? json_pack("{s:I,s:o}", "failed",
				   (json_int_t)nowhere->failed, "failures",
				   failures_json(report, nowhere))
		       : NULL;
}

json_t *report_json(const struct report *report, bool holders)
{
	json_t *devices = json_array();

	for (unsigned int i = 0; i <= UINT8_MAX; i++)
		if (report_shows(report, i))
			json_array_append_new(devices,
					      device_json(report, i, holders));
	return json_pack("{s:O?,s:b,s:I,s:I,s:I,s:I,s:I,s:b,s:o,s:o?}",
			 "program", report->program, "later", report->later,
			 "begin", (json_int_t)report->summary.begin, "events",
			 (json_int_t)report->summary.events, "dropped",
			 (json_int_t)report->summary.dropped, "nanoseconds",
			 (json_int_t)report->summary.end, "iterations",
			 (json_int_t)report_iterations(report),
			 "iterations_found", report->repetition.count > 0,
			 "devices", devices, "nowhere", nowhere_json(report));
}
