#include "outcome.h"

#include <inttypes.h>
#include <stdio.h>

#include <jansson.h>

#include "cli/output.h"
#include "common/text.h"

/* Columns: of the pool's name, and of the rest. */
enum { POOL_LEAST = 14, NUMBER_SIZE = 24 };

static const char *const rules[] = {
	[SCALE_GIVEN] = "given",
	[SCALE_COMPARED] = "compared",
	[SCALE_LIFETIME] = "lifetime",
	[SCALE_UNKNOWN] = "unknown",
};

static bool is_used(const struct player_result *result, int device)
{
	return result->devices[device].allocs ||
	       result->devices[device].failures;
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static uint64_t calls(const struct mnm_stats *stats)
{
	return stats->driver_allocs + stats->driver_frees;
}

/* What the file had and the script has not, each in a line. */
static void left_out_print(const struct script *script)
{
	if (script->pinned)
		printf("%" PRIu64 " requests for pinned memory are left out\n",
		       script->pinned);
	if (script->failed)
		printf("%" PRIu64 " requests that failed are left out\n",
		       script->failed);
	if (script->dropped)
		printf("%" PRIu64 " events are not in the recording, which had "
		       "no room for them\n",
		       script->dropped);
}

static void head_print(const struct replay *replay)
{
	const struct script *script = &replay->script;
	char live[TEXT_BYTES_SIZE], path[256], device[256];

	printf("%s: %" PRIu64 " requests, %" PRIu64 " iterations%s",
	       text_plain(replay->path, path, sizeof(path)), script->requests,
	       script_iterations(script),
	       script->marks_are_found ? " (found)" : "");
	for (int i = 0; i < script->devices; i++) {
		struct scale_peak peak = scale_peak(script, i, replay->scale);

		if (!peak.live)
			continue;
		printf("; ");
		if (script->devices > 1)
			printf("device %d: ", i);
		printf("%s live at most", text_bytes((int64_t)peak.live, live));
		if (replay->scales)
			printf(", %.0f %% of it by the batch",
			       100 * ratio(peak.follows, peak.live));
	}
	printf("\nsimulated device: %s",
	       text_plain(replay->device, device, sizeof(device)));
	if (replay->scale != 1)
		printf("; batch times %g", replay->scale);
	printf("\n");
	left_out_print(script);
	putchar('\n');
}

static void fit_text(const struct outcome *outcome, char *text, size_t size)
{
	const struct player_result *result = &outcome->result;
	char bytes[TEXT_BYTES_SIZE];

	if (outcome->searched && outcome->fit >= FIT_MOST)
		snprintf(text, size, "batch times %d or more", FIT_MOST);
	else if (outcome->searched && outcome->fit)
		snprintf(text, size, "batch times %.3g", outcome->fit);
	else if (result->state != PLAYER_IS_FULL)
		snprintf(text, size, "yes");
	else
		snprintf(text, size,
			 "no: request %" PRIu64 " of %s, iteration %" PRIu64,
			 result->full_request,
			 text_bytes((int64_t)result->full_bytes, bytes),
			 result->full_iteration);
}

/* The calls of the driver an iteration, or in the later half of the
 * requests. */
static double calls_later(const struct player_half *half)
{
	return (double)half->driver_calls /
	       (double)(half->iterations ? half->iterations : 1);
}

static void device_print(const struct outcome *outcome, int width, int device)
{
	const struct player_result *result = &outcome->result;
	const struct mnm_stats *stats = &result->devices[device];
	const struct player_half *half = &result->half;
	double parts = half->iterations ? (double)half->iterations : 1;
	char bytes[TEXT_BYTES_SIZE], fit[96];

	fit_text(outcome, fit, sizeof(fit));
	printf("%-*s %6d  %8s  %5.3f  %8" PRIu64, width, outcome->pool, device,
	       text_bytes((int64_t)stats->reserved_peak, bytes),
	       ratio(stats->reserved_peak, stats->live_peak), calls(stats));
	if (result->state == PLAYER_HAS_PLAYED)
		printf("  %9.1f  %9.2f  %8.0f", calls_later(half),
		       (double)half->sim_ns * 1e-6 / parts, half->ns_a_pair);
	else
		printf("  %9s  %9s  %8s", "-", "-", "-");
	printf("  %s\n", fit);
}

void replay_print(const struct replay *replay)
{
	int width = POOL_LEAST;
	bool iterations = replay->script.marks > 1;

	for (size_t i = 0; i < replay->outcome_count; i++) {
		int length = snprintf(NULL, 0, "%s", replay->outcomes[i].pool);

		width = length > width ? length : width;
	}
	head_print(replay);
	printf("%s%-*s %6s  %8s  %5s  %8s  %9s  %9s  %8s  %s%s\n",
	       highlight(HIGHLIGHT_HEAD), width, "POOL", "DEVICE", "RESERVED",
	       "/LIVE", "DRIVER", iterations ? "CALLS/IT" : "LATER",
	       iterations ? "SIM MS/IT" : "SIM MS", "NS/PAIR", "FITS",
	       highlight(HIGHLIGHT_END));
	for (size_t i = 0; i < replay->outcome_count; i++)
		for (int j = 0; j < replay->script.devices; j++)
			if (is_used(&replay->outcomes[i].result, j))
				device_print(&replay->outcomes[i], width, j);
}

static json_t *device_json(const struct mnm_stats *stats, int device)
{
	return json_pack(
		"{s:i,s:I,s:I,s:f,s:I,s:I,s:I,s:I,s:I}", "device", device,
		"reserved_peak", (json_int_t)stats->reserved_peak, "live_peak",
		(json_int_t)stats->live_peak, "ratio",
		ratio(stats->reserved_peak, stats->live_peak), "driver_allocs",
		(json_int_t)stats->driver_allocs, "driver_frees",
		(json_int_t)stats->driver_frees, "allocs",
		(json_int_t)stats->allocs, "hits", (json_int_t)stats->hits,
		"syncs", (json_int_t)stats->syncs);
}

static json_t *full_json(const struct player_result *result)
{
	return json_pack("{s:I,s:I,s:I}", "request",
			 (json_int_t)result->full_request, "iteration",
			 (json_int_t)result->full_iteration, "bytes",
			 (json_int_t)result->full_bytes);
}

static json_t *outcome_json(const struct replay *replay,
			    const struct outcome *outcome)
{
	const struct player_result *result = &outcome->result;
	const struct player_half *half = &result->half;
	bool fits = result->state == PLAYER_HAS_PLAYED;
	json_t *devices = json_array(), *json;

	for (int i = 0; i < replay->script.devices; i++)
		if (is_used(result, i))
			json_array_append_new(
				devices, device_json(&result->devices[i], i));
	json = json_pack("{s:s,s:b,s:o}", "pool", outcome->pool, "fits", fits,
			 "devices", devices);
	if (fits)
		json_object_set_new(
			json, "later",
			json_pack("{s:I,s:I,s:I,s:I,s:f}", "iterations",
				  (json_int_t)half->iterations, "requests",
				  (json_int_t)half->requests, "driver_calls",
				  (json_int_t)half->driver_calls, "sim_ns",
				  (json_int_t)half->sim_ns, "ns_a_pair",
				  half->ns_a_pair));
	else
		json_object_set_new(json, "full", full_json(result));
	if (outcome->searched)
		json_object_set_new(json, "fit", json_real(outcome->fit));
	return json;
}

void replay_print_json(const struct replay *replay)
{
	const struct script *script = &replay->script;
	json_t *outcomes = json_array(), *live = json_array(), *json;
	char path[4096], device[4096];

	for (size_t i = 0; i < replay->outcome_count; i++)
		json_array_append_new(
			outcomes, outcome_json(replay, &replay->outcomes[i]));
	for (int i = 0; i < script->devices; i++) {
		struct scale_peak peak = scale_peak(script, i, replay->scale);

		json_array_append_new(
			live, json_pack("{s:i,s:I,s:I}", "device", i, "live",
					(json_int_t)peak.live, "by_batch",
					(json_int_t)peak.follows));
	}
	json = json_pack(
		"{s:s,s:s,s:f,s:I,s:I,s:b,s:I,s:I,s:I,s:o,s:o}", "file",
		text_plain(replay->path, path, sizeof(path)), "device",
		text_plain(replay->device, device, sizeof(device)), "scale",
		replay->scale, "requests", (json_int_t)script->requests,
		"iterations", (json_int_t)script_iterations(script),
		"iterations_found", script->marks_are_found, "pinned",
		(json_int_t)script->pinned, "failed",
		(json_int_t)script->failed, "dropped",
		(json_int_t)script->dropped, "peaks", live, "pools", outcomes);
	if (replay->scales)
		json_object_set_new(json, "rule",
				    json_string(rules[replay->rule]));
	json_print(json);
	json_decref(json);
}
