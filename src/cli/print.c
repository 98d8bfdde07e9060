#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/counter_list.h"
#include "common/option.h"
#include "common/plan_figure_list.h"
#include "common/pool_choice.h"
#include "print.h"
#include "common/text.h"

enum unit { BYTES, COUNT };

struct figure {
	const char *name;
	enum unit unit;
	const char *help;
};

static const struct figure counters[] = {
#define COUNTER(name, kind, unit, help) {#name, unit, help},
	COUNTER_LIST
#undef COUNTER
};

static const struct figure plan_figures[] = {
#define FIGURE(name, unit, help) {#name, unit, help},
	PLAN_FIGURE_LIST
#undef FIGURE
};

enum { NAME_SIZE = 64, VALUE_SIZE = 256, LINE_MAX_WIDTH = 79 };

/* Prints what comes before a device's line, as "device 0" or "host". */
static void print_device(const json_t *object)
{
	char text[DEVICE_NAME_SIZE];
	const char *name = field_device(object, text);

	printf("%s%s", strcmp(name, "host") ? "device " : "", name);
}

static void print_word(const json_t *device, const char *key)
{
	char text[POOL_CHOICE_SIZE]; /* the longest of them */

	printf("  %-17s %17s\n", key,
	       field_text(device, key, text, sizeof(text)));
}

static void print_figure(const json_t *object, const struct figure *figure)
{
	char text[TEXT_BYTES_SIZE];
	int64_t value = field_number(object, figure->name);

	printf("  %-17s ", figure->name);
	if (figure->unit == BYTES)
		printf("%17s", text_bytes(value, text));
	else if (value < 0)
		printf("%17s", "?");
	else
		printf("%17" PRIi64, value);
	printf("  %s\n", figure->help);
}

/* Of a pool that plans; NULL for others. */
static void plan_print(const json_t *plan, bool all_figures)
{
	char text[NAME_SIZE];

	if (!json_is_object(plan))
		return;
	printf("  %-17s %17s\n", "plan",
	       field_text(plan, "state", text, sizeof(text)));
	for (size_t i = 0; i < sizeof(plan_figures) / sizeof(*plan_figures);
	     i++)
		if (all_figures || field_number(plan, plan_figures[i].name))
			print_figure(plan, &plan_figures[i]);
}

static const struct figure total = {"total_bytes", BYTES,
				    "of the device, whoever has it"};

static void stat_device(const json_t *device, bool all_figures)
{
	print_device(device);
	putchar('\n');
	print_word(device, "pool");
	print_word(device, "fence");
	print_word(device, "order");
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (all_figures || field_number(device, counters[i].name))
			print_figure(device, &counters[i]);
	if (field_number(device, total.name) >= 0)
		print_figure(device, &total);
	plan_print(json_object_get(device, "plan"), all_figures);
}

/* Prints as many options as fit into each line. Those that are empty or 0 are
 * left out, unless all_figures is set. */
static void print_options(json_t *options, bool all_figures)
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
			column = printf("%s%7s", column ? "\n" : "",
					column ? "" : "options") -
				 (column > 0);
		printf(" %s=%s", name, value);
		column += used;
	}
	if (column)
		putchar('\n');
}

void print_stat(const json_t *answer, bool all_figures)
{
	const json_t *devices = json_object_get(answer, "devices");
	size_t count = field_count(answer, "devices", DEVICE_ALL);
	char title[NAME_SIZE];

	printf("%s, pid %" PRIi64 "\n",
	       field_title(answer, title, sizeof(title)),
	       field_number(answer, "pid"));
	for (size_t i = 0; i < count; i++)
		stat_device(json_array_get(devices, i), all_figures);
	if (!count)
		printf("no device in use yet\n");
	print_options(json_object_get(answer, "options"), all_figures);
}

void print_set(const json_t *answer)
{
	char option[NAME_SIZE], value[VALUE_SIZE];

	printf("%s is %s%s\n",
	       field_text(answer, "option", option, sizeof(option)),
	       json_is_true(json_object_get(answer, "changed")) ? "now " : "",
	       field_text(answer, "value", value, sizeof(value)));
}
