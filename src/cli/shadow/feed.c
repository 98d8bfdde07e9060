#include "feed.h"

#include <errno.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"

enum { STEPS_MOST = 65536, EVENTS_MOST = 1 << 20 };

static const double ms = 1e6; /* nanoseconds */

void shadow_stop(struct shadow *shadow)
{
	if (shadow->steps >= 0)
		close(shadow->steps);
	shadow->steps = -1;
}

/* Gives it as much of the news as there is room for. A player whose device is
 * full plays no more. Returns whether it has all. */
static bool shadow_feed(struct shadow *shadow, const struct script *news)
{
	const char *from = (const char *)news->steps;
	size_t size = news->count * sizeof(*news->steps);

	while (shadow->steps >= 0 && shadow->written < size) {
		ssize_t wrote = write(shadow->steps, from + shadow->written,
				      size - shadow->written);

		if (wrote > 0)
			shadow->written += (size_t)wrote;
		else if (wrote < 0 && errno == EAGAIN)
			return false;
		else if (wrote < 0 && errno != EINTR)
			shadow_stop(shadow);
	}
	return true;
}

static bool all_feed(struct shadows *shadows)
{
	bool all = true;

	for (size_t i = 0; i < shadows->count; i++)
		all &= shadow_feed(&shadows->list[i], &shadows->news);
	return all;
}

/* Whether a block comes on a device that nobody plays. */
static bool is_elsewhere(const struct shadows *shadows,
			 const struct mnm_record_event *event)
{
	return (event->kind == MNM_RECORD_LIVE ||
		event->kind == MNM_RECORD_ALLOC) &&
	       event->device >= shadows->devices;
}

/* What the program's clock shows, so far as its events tell: they are read some
 * time after they were made. */
static double program_ms(const struct shadows *shadows)
{
	return (double)progress_ms() - shadows->clock_ms;
}

static void clock_look(struct shadows *shadows)
{
	double away = (double)progress_ms() - shadows->news_end_ms;

	if (!shadows->clock_is_known || away < shadows->clock_ms)
		shadows->clock_ms = away;
	shadows->clock_is_known = true;
}

/* Reads what players are to do next. Returns false without memory. */
static bool news_read(struct shadows *shadows)
{
	struct mnm_record *record = shadows->followed.record;
	const struct mnm_record_event *event = NULL;
	bool fits = true;

	shadows->news_first += shadows->news.count;
	shadows->news.count = 0;
	shadows->news_begin_ms = shadows->news_end_ms;
	for (size_t i = 0; i < shadows->count; i++)
		shadows->list[i].written = 0;
	for (int i = 0; fits && shadows->news.count < STEPS_MOST &&
			i < EVENTS_MOST && (event = mnm_record_next(record));
	     i++) {
		if (is_elsewhere(shadows, event))
			continue;
		shadows->news_end_ms = (double)event->time / ms;
		fits = script_event_add(&shadows->news, &shadows->live, event);
	}
	shadows->is_at_end = !event;
	if (shadows->news.count)
		clock_look(shadows);
	shadows->lost = mnm_record_dropped(record);
	return fits;
}

bool news_feed(struct shadows *shadows, bool *more)
{
	struct mnm_record *record = shadows->followed.record;

	*more = false;
	if (!all_feed(shadows))
		return true;
	if (!news_read(shadows))
		return failure("no memory for the program's blocks") ==
		       EXIT_DONE;
	*more = all_feed(shadows) && !shadows->is_at_end;
	if (!mnm_record_error(record))
		return true;
	return failure("its recording can't be followed: %s",
		       mnm_record_error(record)) == EXIT_DONE;
}

bool news_wait(const struct shadows *shadows)
{
	size_t size = shadows->news.count * sizeof(*shadows->news.steps);

	for (size_t i = 0; i < shadows->count; i++)
		if (shadows->list[i].steps >= 0 &&
		    shadows->list[i].written < size)
			return true;
	return !shadows->is_at_end;
}

uint64_t shadow_behind_steps(const struct shadows *shadows,
			     const struct shadow *shadow)
{
	uint64_t read = shadows->news_first + shadows->news.count;
	uint64_t played = shadow->process.result->steps;

	return shadow->steps >= 0 && played < read ? read - played : 0;
}

/* The news came evenly, as far as is known. */
double shadow_behind_seconds(const struct shadows *shadows,
			     const struct shadow *shadow)
{
	uint64_t left = shadow_behind_steps(shadows, shadow);
	double part, at, behind;

	if (!left)
		return 0;
	part = left < shadows->news.count
		       ? (double)left / (double)shadows->news.count
		       : 1;
	at = shadows->news_end_ms -
	     part * (shadows->news_end_ms - shadows->news_begin_ms);
	behind = (program_ms(shadows) - at) / 1000;
	return behind > 0 ? behind : 0;
}
