/* How much of a long file is read, for a terminal. */
#include <stdio.h>

#include "cli/progress.h"
#include "import.h"

/* Progress is shown once reading lasts so long, and then so often. */
enum { SHOW_AFTER_MS = 500, SHOW_EACH_MS = 200 };

void import_progress(struct import *import, uint64_t done)
{
	uint64_t now = (uint64_t)progress_ms();

	if (!import->told)
		import->told = now + SHOW_AFTER_MS - SHOW_EACH_MS;
	if (!import->total || now < import->told + SHOW_EACH_MS ||
	    !progress_obeys())
		return;
	import->told = now;
	import->shown = true;
	fprintf(stderr, "\r%3.0f%% is read\033[K",
		100.0 * (double)done / (double)import->total);
	fflush(stderr);
}

void import_progress_end(struct import *import)
{
	if (import->shown)
		progress_clear();
	import->shown = false;
}
