/* A moment of a recording: what lived on a device then, and in what the program
 * was. */
#ifndef MNM_REPORT_MOMENT_H
#define MNM_REPORT_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/export/open_ranges.h"
#include "summary.h"
#include "symbols.h"

struct moment {
	uint64_t time;   /* nanoseconds since the recording began */
	uint32_t thread; /* that has asked for memory then */
	uint64_t asked;  /* bytes; 0: unknown */
	unsigned int device;
	char id[17]; /* of the recording */

	/* What moment_read finds: */
	char ranges[RANGES_PATH_SIZE]; /* of the thread, or "" */
	uint64_t iterations;           /* that had begun */
	uint64_t iteration_peak; /* most live in the last whole one, or 0 */
	uint64_t served;         /* when the thread got as much; 0: never */
	uint64_t dropped;        /* events that are missing */
};

/* Reads the recording in that file: the peak of the device's summary becomes
 * what lived at the moment, and `symbols` has its code. Returns false, and says
 * why in a line of at most error_size bytes, if it can't be read or is another
 * one. */
bool moment_read(struct moment *moment, const char *path,
		 struct summary *summary, struct symbols *symbols, char *error,
		 size_t error_size);

#endif
