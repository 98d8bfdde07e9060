#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "counter_list.h"
#include "print.h"

enum unit { BYTES, COUNT };

static const struct {
	const char *name;
	enum unit unit;
	const char *help;
} counters[] = {
#define COUNTER(name, unit, help) {#name, unit, help},
	COUNTER_LIST
#undef COUNTER
};

static double mib(const json_t *object, const char *key)
{
	return (double)json_integer_value(json_object_get(object, key)) /
	       (1 << 20);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* What comes before a device's line, as "device 0" or "host". */
static void print_device(FILE *out, const json_t *object)
{
	const json_t *device = json_object_get(object, "device");

	if (json_is_string(device))
		fprintf(out, "%s", json_string_value(device));
	else
		fprintf(out, "device %d", (int)json_integer_value(device));
}

static void stat_device(FILE *out, const json_t *device)
{
	print_device(out, device);
	fputc('\n', out);
	fprintf(out, "  %-17s %17s\n", "pool", text_of(device, "pool"));
	fprintf(out, "  %-17s %17s\n", "fence", text_of(device, "fence"));
	fprintf(out, "  %-17s %17s\n", "order", text_of(device, "order"));
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		if (counters[i].unit == BYTES)
			fprintf(out, "  %-17s %13.1f MiB", counters[i].name,
				mib(device, counters[i].name));
		else
			fprintf(out, "  %-17s %17" PRIi64, counters[i].name,
				(int64_t)json_integer_value(json_object_get(
					device, counters[i].name)));
		fprintf(out, "  %s\n", counters[i].help);
	}
}

void print_stat(FILE *out, const json_t *answer)
{
	const json_t *devices = json_object_get(answer, "devices"), *device;
	size_t i;

	fprintf(out, "%s, pid %" PRIi64 "\n", text_of(answer, "program"),
		(int64_t)json_integer_value(json_object_get(answer, "pid")));
	json_array_foreach(devices, i, device) stat_device(out, device);
	if (!json_array_size(devices))
		fprintf(out, "no device in use yet\n");
}

static bool error_printed(FILE *out, const json_t *device)
{
	const char *error = text_of(device, "error");

	if (!*error)
		return false;
	fprintf(out, "error: ");
	print_device(out, device);
	fprintf(out, ": %s\n", error);
	return true;
}

void print_swap(FILE *out, const json_t *answer)
{
	const json_t *devices = json_object_get(answer, "devices"), *device;
	size_t i;

	json_array_foreach(devices, i, device)
	{
		if (error_printed(out, device))
			continue;
		print_device(out, device);
		fprintf(out,
			": %s -> %s, %.1f MiB idle go back, %.1f MiB live stay "
			"with retired pools\n",
			text_of(device, "before"), text_of(device, "after"),
			mib(device, "idle_bytes"),
			mib(device, "retired_bytes"));
	}
	if (!json_array_size(devices))
		fprintf(out, "no device in use yet\n");
}

void print_trim(FILE *out, const json_t *answer)
{
	const json_t *devices = json_object_get(answer, "devices"), *device;
	size_t i;

	json_array_foreach(devices, i, device)
	{
		print_device(out, device);
		fprintf(out, ": %.1f MiB idle go back\n",
			mib(device, "idle_bytes"));
	}
	if (!json_array_size(devices))
		fprintf(out, "no device in use yet\n");
}

void print_set(FILE *out, const json_t *answer)
{
	fprintf(out, "%s is now %s\n", text_of(answer, "option"),
		text_of(answer, "value"));
}

static void print_pairs(FILE *out, const json_t *list, const char *left,
			const char *right)
{
	const json_t *row;
	size_t i, length, width = 0;

	json_array_foreach(list, i, row)
	{
		length = strlen(text_of(row, left));
		width = length > width ? length : width;
	}
	json_array_foreach(list, i, row)
		fprintf(out, "%-*s  %s\n", (int)width, text_of(row, left),
			text_of(row, right));
}

void print_pools(FILE *out, const json_t *answer)
{
	print_pairs(out, json_object_get(answer, "pools"), "name", "summary");
}

void print_help(FILE *out, const json_t *answer)
{
	print_pairs(out, json_object_get(answer, "commands"), "usage",
		    "summary");
}
