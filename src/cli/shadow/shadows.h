/* Pools that are played beside a running program. */
#ifndef MNM_SHADOWS_H
#define MNM_SHADOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/export/live_blocks.h"
#include "cli/replay/player_process.h"
#include "cli/replay/script.h"
#include "followed.h"

/* A pool that is played. */
struct shadow {
	const char *pool;
	struct player_process process;
	int steps;      /* the end of a pipe; -1: it plays no more */
	size_t written; /* bytes of the news that are in it, or were */
};

struct shadows {
	struct followed followed;
	struct live_blocks live;
	struct script news;  /* steps that not everybody has been given yet */
	uint64_t news_first; /* how many came before these */
	/* When the program did these, in milliseconds of its recording; and
	 * what this process's clock is ahead of that. */
	double news_begin_ms, news_end_ms, clock_ms;
	bool clock_is_known;
	bool is_at_end; /* the recording has no more by now */
	struct shadow *list;
	size_t count;
	int64_t begun_ms;
	int64_t lost_ms; /* since when it is not recorded; 0: it is */
	int devices;
	bool lost; /* some of the program's requests are not known */
};

/* Prints what each pool and the program itself have: a table, or a line of
 * JSON. */
void shadows_print(const struct shadows *shadows);
void shadows_print_json(const struct shadows *shadows);

#endif
