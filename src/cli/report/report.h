/* What `mnm report` says: as text, as JSON, and as a page. */
#ifndef MNM_REPORT_H
#define MNM_REPORT_H

#include <stdbool.h>

#include <jansson.h>

#include "cli/repetition.h"
#include "summary.h"
#include "symbols.h"

enum { REPORT_COLUMNS = 80 };

struct report {
	struct summary summary;
	struct repetition repetition; /* of a recording without marks */
	struct symbols *symbols;
	json_t *program; /* of the recording's head */
	bool later;      /* its first parts have gone, see --max-size */
	int device;      /* only that; -1: all */
	bool stacks;     /* are shown whole */
	bool narrow;     /* names are cut, so that lines have 80 columns */
	const char *path;
	const char *wrong; /* of the recording's end, or "" */
};

/* Whether the report is to say something of the device. */
bool report_shows(const struct report *report, unsigned int device);

/* How many are marked, or were found. */
uint64_t report_iterations(const struct report *report);

/* The ranges of that number, as JSON or a line takes them. */
enum { RANGE_NAME_SIZE = 256 };
char *report_range(const struct report *report, uint64_t number,
		   char name[RANGE_NAME_SIZE]);

/* Without `holders`, what a page does not show is left out: who held the peaks,
 * which may be of any number. */
json_t *report_json(const struct report *report, bool holders);

/* Adds who held a device's peak: by functions, ranges and stacks. */
void report_peak_put(json_t *json, const struct report *report,
		     const struct device_summary *device);

/* Writes the page there. On failure prints a line and returns false. */
bool page_save(const struct report *report, const char *path);

#endif
