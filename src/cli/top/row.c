#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/job.h"
#include "common/option.h"
#include "common/process.h"
#include "common/text.h"
#include "row.h"

/* A new row, all zero. Returns NULL without memory. */
static struct row *row_add(struct rows *rows)
{
	struct row *grown = realloc(rows->list, (size_t)(rows->count + 1) *
							sizeof(*rows->list));

	if (!grown)
		return NULL;
	rows->list = grown;
	grown += rows->count++;
	memset(grown, 0, sizeof(*grown));
	return grown;
}

void rows_free(struct rows *rows)
{
	free(rows->list);
	memset(rows, 0, sizeof(*rows));
}

/* The file name of a path, as text_title has it. */
static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Writes the program's name, and the words that follow it. For Python, its name
 * is that of a script, which is not the first word. */
static void command_read(const json_t *about, char *text, size_t size)
{
	const json_t *words = json_object_get(about, "arguments");
	size_t count = field_count(about, "arguments", PROCESS_WORDS);
	char plain[ROW_COMMAND_SIZE];
	const char *word;
	bool past = false;
	size_t used;

	field_title(about, text, size);
	used = strlen(text);
	for (size_t i = 0; i < count; i++) {
		word = json_string_value(json_array_get(words, i));
		text_plain(word, plain, sizeof(plain));
		if (past && used + 1 < size)
			used += (size_t)snprintf(text + used, size - used,
						 " %s", plain);
		past = past || (word && !strncmp(last_part(plain), text,
						 sizeof(plain)));
	}
}

/* The limit that the program was given for each device, a hard one rather than
 * a soft one; 0 if it has none. */
static int64_t limit_read(const json_t *answer, const char *device)
{
	static const char *const names[] = {"hard_limit", "pool_limit"};
	const json_t *options = json_object_get(answer, "options");
	const char *text;
	size_t size;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		text = json_string_value(json_object_get(
			options,
			strcmp(device, "host") ? names[i] : "host_limit"));
		if (text && size_parse(text, &size) && size &&
		    size <= INT64_MAX)
			return (int64_t)size;
	}
	return 0;
}

/* -1 if one is not known. */
static int64_t sum(int64_t a, int64_t b)
{
	int64_t both;

	return a < 0 || b < 0 || __builtin_add_overflow(a, b, &both) ? -1
								     : both;
}

/* What is reserved now may be more than its peak, which is that of pools
 * alone. */
static int64_t peak_read(const json_t *device)
{
	int64_t peak = field_number(device, "reserved_peak");
	int64_t now = field_number(device, "device_bytes");

	return peak > now ? peak : now;
}

static double share(int64_t hits, int64_t requests)
{
	return hits < 0 || requests <= 0 || hits > requests
		       ? -1
		       : (double)hits / (double)requests;
}

static void device_read_figures(struct row *row, const json_t *device)
{
	field_text(device, "pool", row->pool, sizeof(row->pool));
	row->live = field_live(device);
	row->reserved = field_number(device, "device_bytes");
	row->idle = field_number(device, "idle_bytes");
	row->peak = peak_read(device);
	row->total = field_number(device, "total_bytes");
	row->requests = field_number(device, "allocs");
	row->hits = field_number(device, "hits");
	row->share = share(row->hits, row->requests);
	row->calls = sum(field_number(device, "driver_allocs"),
			 field_number(device, "driver_frees"));
	row->fences = field_number(device, "fences");
}

static void no_figures(struct row *row)
{
	row->live = row->reserved = row->idle = row->peak = row->total = -1;
	row->requests = row->hits = row->calls = row->fences = -1;
	row->share = -1;
}

/* One device of a job, or the job itself if device is NULL. */
static void row_read(struct row *row, const struct job *job,
		     const json_t *about, const json_t *device)
{
	const json_t *recording = json_object_get(about, "recording");
	char name[DEVICE_NAME_SIZE];

	row->pid = job->pid;
	row->uid = job->uid;
	row->at_ms = job->answered_ms;
	row->waiting = job->state == JOB_LOADED;
	row->missed = !job->answer && job->state != JOB_LOADED;
	row->requests_rate = row->calls_rate = row->fences_rate = -1;
	command_read(about, row->command, sizeof(row->command));
	if (json_is_true(json_object_get(recording, "runs")))
		field_text(recording, "file", row->recording,
			   sizeof(row->recording));
	snprintf(row->device, sizeof(row->device), "%s",
		 device ? field_device(device, name) : "-");
	if (device) {
		row->limit = limit_read(about, row->device);
		device_read_figures(row, device);
		return;
	}
	no_figures(row);
	snprintf(row->pool, sizeof(row->pool), "-");
	snprintf(row->note, sizeof(row->note), "%.*s", ROW_NOTE_SIZE - 1,
		 job->answer ? "no device in use yet" : job_excuse(job));
}

static void job_read(struct rows *rows, const struct job *job)
{
	json_t *about = job_json(job), *devices;
	size_t count = field_count(about, "devices", DEVICE_ALL);
	struct row *row;

	devices = json_object_get(about, "devices");
	for (size_t i = 0; i < count || i == 0; i++) {
		row = row_add(rows);
		if (row)
			row_read(row, job, about, json_array_get(devices, i));
	}
	json_decref(about);
}

void rows_read(struct rows *rows, const struct jobs *jobs)
{
	memset(rows, 0, sizeof(*rows));
	for (int i = 0; i < jobs->count; i++)
		if (jobs->list[i].state != JOB_ENDED)
			job_read(rows, &jobs->list[i]);
}

bool row_is(const struct row *row, const struct row *other)
{
	return row->pid == other->pid && !strcmp(row->device, other->device);
}

bool row_is_silent(const struct row *row)
{
	return row->missed > 1 || (row->missed && !strcmp(row->device, "-"));
}

/* -1 if there is none: a figure is missing, or has fallen, as that of another
 * program with the pid of one that ended. */
static double rate(int64_t before, int64_t now, int64_t ms)
{
	if (before < 0 || now < before || ms <= 0)
		return -1;
	return (double)(now - before) * 1000 / (double)ms;
}

static void row_follow(struct row *row, const struct row *before)
{
	int64_t ms = row->at_ms - before->at_ms;

	row->requests_rate = rate(before->requests, row->requests, ms);
	row->calls_rate = rate(before->calls, row->calls, ms);
	row->fences_rate = rate(before->fences, row->fences, ms);
}

/* Puts the rows that a silent program had before in the place of its one row.
 * The row may have moved when this returns. */
static void silent_follow(struct rows *rows, int index,
			  const struct rows *before)
{
	const struct row silent = rows->list[index];
	struct row *row = &rows->list[index];

	for (int i = 0; i < before->count; i++) {
		if (before->list[i].pid != silent.pid)
			continue;
		if (!row && !(row = row_add(rows)))
			return;
		*row = before->list[i];
		row->missed++;
		if (row_is_silent(row))
			memcpy(row->note, silent.note, sizeof(row->note));
		row = NULL;
	}
}

void rows_follow(struct rows *rows, const struct rows *before)
{
	int count = rows->count;

	for (int i = 0; i < count; i++) {
		if (rows->list[i].missed) {
			silent_follow(rows, i, before);
			continue;
		}
		for (int k = 0; k < before->count; k++)
			if (row_is(&rows->list[i], &before->list[k])) {
				row_follow(&rows->list[i], &before->list[k]);
				break;
			}
	}
}
