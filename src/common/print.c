#include <inttypes.h>
#include <string.h>

#include "counter_list.h"
#include "option.h"
#include "print.h"
#include "text.h"

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

enum { NAME_SIZE = 64, VALUE_SIZE = 256, LINE_MAX_WIDTH = 79 };

/* In the unit that the table of figures has. */
static const char *mib_text(const json_t *object, const char *key,
			    char text[NAME_SIZE])
{
	int64_t bytes = field_number(object, key);

	if (bytes < 0)
		return "? MiB";
	snprintf(text, NAME_SIZE, "%.1f MiB", (double)bytes / (1 << 20));
	return text;
}

/* What comes before a device's line, as "device 0" or "host". */
static void print_device(FILE *out, const json_t *object)
{
	char text[DEVICE_NAME_SIZE];
	const char *name = field_device(object, text);

	fprintf(out, "%s%s", strcmp(name, "host") ? "device " : "", name);
}

static void print_word(FILE *out, const json_t *device, const char *key)
{
	char text[NAME_SIZE];

	fprintf(out, "  %-17s %17s\n", key,
		field_text(device, key, text, sizeof(text)));
}

static void print_counter(FILE *out, const json_t *device, size_t i)
{
	char text[NAME_SIZE];
	int64_t value = field_number(device, counters[i].name);

	fprintf(out, "  %-17s ", counters[i].name);
	if (counters[i].unit == BYTES)
		fprintf(out, "%17s", mib_text(device, counters[i].name, text));
	else if (value < 0)
		fprintf(out, "%17s", "?");
	else
		fprintf(out, "%17" PRIi64, value);
	fprintf(out, "  %s\n", counters[i].help);
}

static void stat_device(FILE *out, const json_t *device, bool all_figures)
{
	print_device(out, device);
	fputc('\n', out);
	print_word(out, device, "pool");
	print_word(out, device, "fence");
	print_word(out, device, "order");
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (all_figures || field_number(device, counters[i].name))
			print_counter(out, device, i);
}

/* As many as fit into a line, those without a value left out. */
static void print_options(FILE *out, json_t *options, bool all_figures)
{
	char value[VALUE_SIZE], name[NAME_SIZE];
	int used, column = 0;
	const char *key;
	json_t *each;

	json_object_foreach(options, key, each)
	{
		text_plain(key, name, sizeof(name));
		field_text(options, key, value, sizeof(value));
		if (!all_figures && (!*value || !strcmp(value, "0")))
			continue;
		used = (int)(strlen(name) + strlen(value)) + 2;
		if (!column || column + used > LINE_MAX_WIDTH)
			column = fprintf(out, "%s%7s", column ? "\n" : "",
					 column ? "" : "options") -
				 (column > 0);
		fprintf(out, " %s=%s", name, value);
		column += used;
	}
	if (column)
		fputc('\n', out);
}

void print_stat(FILE *out, const json_t *answer, bool all_figures)
{
	const json_t *devices = json_object_get(answer, "devices");
	size_t count = field_count(answer, "devices", DEVICE_ALL);
	char title[NAME_SIZE];

	fprintf(out, "%s, pid %" PRIi64 "\n",
		field_title(answer, title, sizeof(title)),
		field_number(answer, "pid"));
	for (size_t i = 0; i < count; i++)
		stat_device(out, json_array_get(devices, i), all_figures);
	if (!count)
		fprintf(out, "no device in use yet\n");
	print_options(out, json_object_get(answer, "options"), all_figures);
}

static bool error_printed(FILE *out, const json_t *device)
{
	char error[VALUE_SIZE];

	if (!json_object_get(device, "error"))
		return false;
	fprintf(out, "error: ");
	print_device(out, device);
	fprintf(out, ": %s\n",
		field_text(device, "error", error, sizeof(error)));
	return true;
}

static void swap_device(FILE *out, const json_t *device)
{
	char before[NAME_SIZE], after[NAME_SIZE], idle[NAME_SIZE],
		retired[NAME_SIZE];

	if (error_printed(out, device))
		return;
	print_device(out, device);
	fprintf(out,
		": %s -> %s, %s idle go back, %s live stay with retired "
		"pools\n",
		field_text(device, "before", before, sizeof(before)),
		field_text(device, "after", after, sizeof(after)),
		mib_text(device, "idle_bytes", idle),
		mib_text(device, "retired_bytes", retired));
}

static void trim_device(FILE *out, const json_t *device)
{
	char idle[NAME_SIZE];

	print_device(out, device);
	fprintf(out, ": %s idle go back\n",
		mib_text(device, "idle_bytes", idle));
}

static void devices_each(FILE *out, const json_t *answer,
			 void (*each)(FILE *out, const json_t *device))
{
	const json_t *devices = json_object_get(answer, "devices");
	size_t count = field_count(answer, "devices", DEVICE_ALL);

	for (size_t i = 0; i < count; i++)
		each(out, json_array_get(devices, i));
	if (!count)
		fprintf(out, "no device in use yet\n");
}

void print_swap(FILE *out, const json_t *answer, bool all_figures)
{
	(void)all_figures;
	devices_each(out, answer, swap_device);
}

void print_trim(FILE *out, const json_t *answer, bool all_figures)
{
	(void)all_figures;
	devices_each(out, answer, trim_device);
}

void print_set(FILE *out, const json_t *answer, bool all_figures)
{
	char option[NAME_SIZE], value[VALUE_SIZE];

	(void)all_figures;
	fprintf(out, "%s is %s%s\n",
		field_text(answer, "option", option, sizeof(option)),
		json_is_true(json_object_get(answer, "changed")) ? "now " : "",
		field_text(answer, "value", value, sizeof(value)));
}

static void print_pairs(FILE *out, const json_t *list, const char *left,
			const char *right)
{
	char text[VALUE_SIZE];
	const json_t *row;
	size_t i, length, width = 0;

	json_array_foreach(list, i, row)
	{
		length = strlen(field_text(row, left, text, sizeof(text)));
		width = length > width ? length : width;
	}
	json_array_foreach(list, i, row)
	{
		fprintf(out, "%-*s  ", (int)width,
			field_text(row, left, text, sizeof(text)));
		fprintf(out, "%s\n",
			field_text(row, right, text, sizeof(text)));
	}
}

void print_pools(FILE *out, const json_t *answer, bool all_figures)
{
	(void)all_figures;
	print_pairs(out, json_object_get(answer, "pools"), "name", "summary");
}

void print_help(FILE *out, const json_t *answer, bool all_figures)
{
	(void)all_figures;
	print_pairs(out, json_object_get(answer, "commands"), "usage",
		    "summary");
}
