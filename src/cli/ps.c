#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "ask.h"
#include "cli.h"
#include "pool_list.h"

static double number(const json_t *object, const char *key)
{
	return (double)json_integer_value(json_object_get(object, key));
}

/* A program's name, without what it could do to a terminal. */
static void name_clean(const char *from, char to[21])
{
	size_t i = 0;

	for (; i < 20 && from && from[i]; i++)
		to[i] = (char)(iscntrl((unsigned char)from[i]) ? '?' : from[i]);
	to[i] = '\0';
}

static void ps_device(int pid, const char *program, const json_t *device)
{
	double allocs = number(device, "allocs");
	char name[DEVICE_NAME_SIZE];

	device_name(device, name);
	printf("%8d  %-20s %6s  %-16s %9.1f MiB %9.1f MiB", pid, program, name,
	       json_string_value(json_object_get(device, "pool")),
	       number(device, "live_bytes") / (1 << 20),
	       number(device, "reserved_bytes") / (1 << 20));
	if (allocs > 0)
		printf(" %7.1f %%\n", 100 * number(device, "hits") / allocs);
	else
		printf(" %9s\n", "-");
}

static void ps_program(const json_t *stat)
{
	const json_t *devices = json_object_get(stat, "devices"), *device;
	char program[21];
	int pid = (int)number(stat, "pid");
	size_t i;

	name_clean(json_string_value(json_object_get(stat, "program")),
		   program);
	json_array_foreach(devices, i, device) ps_device(pid, program, device);
	if (!json_array_size(devices))
		printf("%8d  %-20s %6s\n", pid, program, "-");
}

int ps_run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments;
	int status = arguments_read(command, argc, argv, &arguments);
	json_t *all, *stat;
	int *pids, count;
	size_t i;

	if (status)
		return status;
	count = ask_list(&pids);
	if (count < 0)
		return EXIT_FAILED;
	all = json_array();
	for (int k = 0; k < count; k++) {
		stat = ask_json(pids[k], "stat --json");
		if (stat)
			json_array_append_new(all, stat);
	}
	free(pids);
	if (arguments.json) {
		json_dumpf(all, stdout, JSON_COMPACT);
		putchar('\n');
	} else {
		printf("%8s  %-20s %6s  %-16s %13s %13s %9s\n", "PID",
		       "PROGRAM", "DEVICE", "POOL", "LIVE", "RESERVED",
		       "HIT RATE");
		json_array_foreach(all, i, stat) ps_program(stat);
		if (!json_array_size(all))
			failure("no program of yours runs under mnm");
	}
	json_decref(all);
	return EXIT_DONE;
}

int pools_run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments;
	int status = arguments_read(command, argc, argv, &arguments);
	json_t *list;

	if (status)
		return status;
	list = json_array();
	for (const struct pool_row *row = pool_rows; row->name; row++) {
		if (!arguments.json)
			printf("%-16s %s\n", row->name, row->summary);
		json_array_append_new(list,
				      json_pack("{s:s,s:s}", "name", row->name,
						"summary", row->summary));
	}
	if (arguments.json) {
		json_dumpf(list, stdout, JSON_COMPACT);
		putchar('\n');
	}
	json_decref(list);
	return EXIT_DONE;
}
