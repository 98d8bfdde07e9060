/* Makes a record of what threads note (ring.h). For one thread at a time, which
 * calls recorder_tick again and again; it makes no CUDA call. */
#ifndef MNM_RECORDER_H
#define MNM_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mnm/record.h"

enum {
	RECORDER_TICK_MS = 20, /* no more between two ticks, while it runs */
};

struct recorder_plan {
	const char *path;  /* absolute */
	uint64_t most;     /* bytes of the file; 1 MiB at least */
	const char *about; /* the program: a JSON object in one line */
	/* Calls `each` for every block that lives. Is called once record_on is
	 * set, and whenever a part of the file begins. */
	void (*live)(void (*each)(const struct mnm_record_event *event));
};

/* What came of it. */
struct recorder_figures {
	uint64_t events, dropped, bytes; /* without the files of code */
	int error; /* an errno: it has ended because of that; 0: none */
};

/* Threads make notes from now on, before there is a file. To be called before
 * there is a second thread; recorder_begin or recorder_forget follows. */
void recorder_expect(void);

/* Begins; returns 0 or an errno. EBUSY: another process writes that file. To be
 * called while none is made. */
int recorder_begin(const struct recorder_plan *plan);

bool recorder_runs(void);

/* Writes what has been noted, in a frame whenever there is enough for one or a
 * second is over. */
void recorder_tick(void);

/* Writes the rest, and ends. Does nothing if none is made. */
void recorder_end(void);

/* Of the record that is made, or was made last. */
struct recorder_figures recorder_figures(void);
const char *recorder_path(void);

/* In any thread. How long it has been made, in nanoseconds, as its events have
 * their times; and the number that its parts share. */
uint64_t recorder_now(void);
uint64_t recorder_id(void);

/* In a forked child: the parent makes the record. */
void recorder_forget(void);

#endif
