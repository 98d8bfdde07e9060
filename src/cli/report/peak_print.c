#include "peak_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"
#include "holders.h"
#include "stacks.h"

enum { SHOWN = 15, WIDTH_MOST = 24, RANGES_AT = 30, FUNCTIONS_AT = 55 };

double peak_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Cuts a text that begins in that column, if lines have to be short. */
static char *cut(const struct report *report, char *text, size_t column)
{
	return report->narrow ? text_cut(text, REPORT_COLUMNS - column) : text;
}

static void holders_print(const struct report *report,
			  const struct device_summary *device,
			  struct named_holder *named, size_t count,
			  const char *title)
{
	size_t shown;
	char bytes[TEXT_BYTES_SIZE];
	uint64_t rest = 0, blocks = 0;

	shown = count <= SHOWN ? count : SHOWN - 1;
	printf("  %10s %5s %8s  %-*s %s\n", "live then", "", "blocks",
	       WIDTH_MOST, title, "in");
	for (size_t i = 0; i < count; i++) {
		if (i >= shown) {
			rest += named[i].bytes;
			blocks += named[i].blocks;
			continue;
		}
		printf("  %10s %4.0f%% %8" PRIu64 "  %-*s %s\n",
		       text_bytes((int64_t)named[i].bytes, bytes),
		       peak_percent(named[i].bytes, device->peak),
		       named[i].blocks, WIDTH_MOST,
		       cut(report, named[i].file, REPORT_COLUMNS - WIDTH_MOST),
		       cut(report, named[i].function, FUNCTIONS_AT));
	}
	if (blocks)
		printf("  %10s %4.0f%% %8" PRIu64 "  by %zu others\n",
		       text_bytes((int64_t)rest, bytes),
		       peak_percent(rest, device->peak), blocks, count - shown);
}

/* In which ranges of the program its holders were asked for. */
static void ranges_print(const struct report *report,
			 const struct device_summary *device)
{
	char bytes[TEXT_BYTES_SIZE], path[RANGE_NAME_SIZE];
	const struct holders *ranges = &device->ranges;

	if (!report->summary.path_count)
		return;
	printf("  %10s %5s %8s  %s\n", "live then", "", "blocks",
	       "asked for in");
	for (size_t i = 0; i < ranges->count && i < SHOWN; i++)
		printf("  %10s %4.0f%% %8" PRIu64 "  %s\n",
		       text_bytes((int64_t)ranges->at[i].bytes, bytes),
		       peak_percent(ranges->at[i].bytes, device->peak),
		       ranges->at[i].blocks,
		       cut(report,
			   report_range(report, ranges->at[i].key, path),
			   RANGES_AT));
	if (ranges->count > SHOWN)
		printf("  and %zu others\n", ranges->count - SHOWN);
}

void peak_print(const struct report *report,
		const struct device_summary *device)
{
	size_t count = 0;
	struct named_holder *named =
		holders_name(device, report->symbols, &count);

	holders_print(report, device, named, count, "asked for by");
	free(named);
	if (report->summary.stack_count) {
		named = stacks_name(&report->summary, device, report->symbols,
				    &count);
		holders_print(report, device, named, count, "by their stacks");
		free(named);
	}
	ranges_print(report, device);
	if (report->stacks && report->summary.stack_count)
		stacks_print(&report->summary, device, report->symbols);
}
