#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "common/text.h"
#include "feed.h"

static double ratio(int64_t a, int64_t b)
{
	return a > 0 && b > 0 ? (double)a / (double)b : 0;
}

static void row_print(const char *pool, const char *device, int64_t live,
		      int64_t reserved, int64_t live_peak, int64_t peak,
		      int64_t calls, const char *note)
{
	char bytes[4][TEXT_BYTES_SIZE];

	printf("%-21s %6s  %8s  %8s  %8s  %8s  %5.3f  %8" PRId64 "%s%s\n", pool,
	       device, text_bytes(live, bytes[0]),
	       text_bytes(reserved, bytes[1]), text_bytes(live_peak, bytes[2]),
	       text_bytes(peak, bytes[3]), ratio(peak, live_peak), calls,
	       *note ? "  " : "", note);
}

/* What the program itself has. */
static void own_print(const struct shadows *shadows)
{
	const json_t *answer = shadows->followed.jobs.list[0].answer, *each;
	char pool[64], text[DEVICE_NAME_SIZE];
	size_t index;

	json_array_foreach(json_object_get(answer, "devices"), index, each)
	{
		const char *device = field_device(each, text);

		if (!strcmp(device, "host"))
			continue;
		row_print(field_text(each, "pool", pool, sizeof(pool)), device,
			  field_number(each, "live_bytes"),
			  field_number(each, "reserved_bytes"),
			  field_number(each, "live_peak"),
			  field_number(each, "reserved_peak"),
			  field_number(each, "driver_allocs") +
				  field_number(each, "driver_frees"),
			  "in use");
	}
}

static void shadow_print(const struct shadows *shadows,
			 const struct shadow *shadow)
{
	const struct player_result *result = shadow->process.result;
	double behind = shadow_behind_seconds(shadows, shadow);
	char note[64] = "", device[16], bytes[TEXT_BYTES_SIZE];

	if (result->state == PLAYER_IS_FULL)
		snprintf(note, sizeof(note), "full: a request of %s",
			 text_bytes((int64_t)result->full_bytes, bytes));
	else if (behind >= 1)
		snprintf(note, sizeof(note), "%.0f s behind", behind);
	for (int i = 0; i < shadows->devices; i++) {
		const struct mnm_stats *stats = &result->devices[i];

		if (!stats->allocs && !stats->failures)
			continue;
		snprintf(device, sizeof(device), "%d", i);
		row_print(shadow->pool, device, (int64_t)stats->live_bytes,
			  (int64_t)stats->reserved_bytes,
			  (int64_t)stats->live_peak,
			  (int64_t)stats->reserved_peak,
			  (int64_t)(stats->driver_allocs + stats->driver_frees),
			  note);
	}
}

void shadows_print(const struct shadows *shadows)
{
	const struct job *job = &shadows->followed.jobs.list[0];
	char title[64];

	printf("pid %d %s, for %.0f s%s\n", job->pid,
	       job_title(job, title, sizeof(title)),
	       (double)(progress_ms() - shadows->begun_ms) / 1000,
	       shadows->lost ? "; some requests were dropped" : "");
	printf("%s%-21s %6s  %8s  %8s  %8s  %8s  %5s  %8s%s\n",
	       highlight(HIGHLIGHT_HEAD), "POOL", "DEVICE", "LIVE", "RESERVED",
	       "LIVE MAX", "RES. MAX", "/LIVE", "DRIVER",
	       highlight(HIGHLIGHT_END));
	own_print(shadows);
	for (size_t i = 0; i < shadows->count; i++)
		shadow_print(shadows, &shadows->list[i]);
}

static json_t *shadow_json(const struct shadows *shadows,
			   const struct shadow *shadow)
{
	const struct player_result *result = shadow->process.result;
	json_t *list = json_array();

	for (int i = 0; i < shadows->devices; i++) {
		const struct mnm_stats *stats = &result->devices[i];

		if (stats->allocs || stats->failures)
			json_array_append_new(
				list,
				json_pack("{s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:I}",
					  "device", i, "live_bytes",
					  (json_int_t)stats->live_bytes,
					  "reserved_bytes",
					  (json_int_t)stats->reserved_bytes,
					  "live_peak",
					  (json_int_t)stats->live_peak,
					  "reserved_peak",
					  (json_int_t)stats->reserved_peak,
					  "driver_allocs",
					  (json_int_t)stats->driver_allocs,
					  "driver_frees",
					  (json_int_t)stats->driver_frees,
					  "allocs", (json_int_t)stats->allocs));
	}
	return json_pack("{s:s,s:b,s:I,s:f,s:o}", "pool", shadow->pool, "fits",
			 result->state != PLAYER_IS_FULL, "behind_steps",
			 (json_int_t)shadow_behind_steps(shadows, shadow),
			 "behind_seconds",
			 shadow_behind_seconds(shadows, shadow), "devices",
			 list);
}

void shadows_print_json(const struct shadows *shadows)
{
	json_t *json = job_json(&shadows->followed.jobs.list[0]);
	json_t *list = json_array();

	for (size_t i = 0; i < shadows->count; i++)
		json_array_append_new(list,
				      shadow_json(shadows, &shadows->list[i]));
	json_object_set_new(json, "shadows", list);
	json_object_set_new(json, "dropped", json_boolean(shadows->lost));
	json_print(json);
	json_decref(json);
}
