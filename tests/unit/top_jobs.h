/* Programs for `mnm top` to show, without processes. */
#ifndef MNM_TEST_TOP_JOBS_H
#define MNM_TEST_TOP_JOBS_H

#include <stdio.h>
#include <string.h>

#include "cli/job.h"
#include "cli/top/table.h"

/* A job that has answered at that time, with these devices. */
static inline struct job answered(int pid, const char *program, int64_t ms,
				  const char *devices)
{
	struct job job = {.pid = pid, .folder = -1, .fd = -1};

	job.answered_ms = ms;
	job.answer = json_object();
	json_object_set_new(job.answer, "arguments", json_pack("[s]", program));
	json_object_set_new(job.answer, "devices",
			    json_loads(devices, 0, NULL));
	return job;
}

static inline struct job silent(int pid)
{
	return (struct job){
		.pid = pid, .state = JOB_SILENT, .folder = -1, .fd = -1};
}

/* The figures of a device as an answer has them. */
static inline const char *device(const char *name, int reserved, int allocs)
{
	static char texts[8][512];
	static int next;
	char *text = texts[next++ % 8];

	snprintf(
		text, sizeof(*texts),
		"[{\"device\":%s,\"pool\":\"page_unit_pool\",\"live_bytes\":%d,"
		"\"reserved_bytes\":%d,\"device_bytes\":%d,\"idle_bytes\":100,"
		"\"reserved_peak\":%d,\"allocs\":%d,\"hits\":%d,"
		"\"driver_allocs\":%d,\"driver_frees\":%d,\"fences\":%d}]",
		name, reserved / 2, reserved, reserved, 2 * reserved, allocs,
		allocs / 2, allocs / 10, allocs / 10, allocs / 4);
	return text;
}

/* Shows a look in which these jobs were found. */
static inline void look(struct table *table, struct job *jobs, int count)
{
	const struct jobs all = {.list = jobs, .count = count};
	struct rows rows;

	rows_read(&rows, &all);
	table_update(table, &rows);
	for (int i = 0; i < count; i++)
		json_decref(jobs[i].answer);
}

/* The pids that are shown, in their order. */
static inline const char *pids(const struct table *table)
{
	static char text[256];
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < table->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%d", i ? " " : "",
					 table_row(table, i)->pid);
	return text;
}

static inline const char *shown(const struct table *table, int index,
				enum column column)
{
	static char text[ROW_COMMAND_SIZE];

	column_text(column, table_row(table, index), text, sizeof(text));
	return text;
}

/* Three programs; the one in the middle has the most. */
static inline void three(struct job *jobs)
{
	jobs[0] = answered(10, "alpha", 1000, device("0", 2000, 10));
	jobs[1] = answered(20, "beta", 1000, device("0", 9000, 30));
	jobs[2] = answered(30, "gamma", 1000, device("1", 5000, 20));
}

#endif
