#include "live_options.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "heap/garbage.h"
#include "heap/limit.h"
#include "heap/swap.h"
#include "borrow.h"
#include "order/fence.h"
#include "record/stacks.h"

/* The options as at the start, with what was set since; under lock, as the
 * control socket, the program and the thread that writes the file of option
 * stat_file all look. */
static struct config now;
static bool begun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void live_fence(const struct config *config)
{
	fence_level_set(config->fence);
}

static void live_garbage_threshold(const struct config *config)
{
	garbage_threshold_set(config->garbage_threshold);
}

static void live_oversubscribe(const struct config *config)
{
	borrow_limit_set(config->oversubscribe);
}

static void live_quarantine(const struct config *config)
{
	fence_quarantine_set(config->quarantine);
}

#define LIVE_LIMIT(field, limit) \
	static void live_##field(const struct config *config) \
	{ \
		limit_set(limit, config->field); \
	}
LIVE_LIMIT(pool_limit, LIMIT_POOL)
LIVE_LIMIT(hard_limit, LIMIT_HARD)
LIVE_LIMIT(host_limit, LIMIT_HOST)
#undef LIVE_LIMIT
static void live_record_stacks(const struct config *config)
{
	record_stacks_set(config->record_stacks);
}

static void live_idle_limit(const struct config *config)
{
	devices_limit(&config->idle_limit);
}

/* Puts the value of a row into effect, if the row is LIVE. */
static void live_option_apply(const struct option_row *row,
			      const struct config *config)
{
#define APPLY_LIVE(field)  live_##field(config)
#define APPLY_START(field) (void)0
#define OPTION(field, type, when, initial, range, help) \
	if (!strcmp(row->name, #field)) \
		APPLY_##when(field);
	OPTION_LIST
#undef OPTION
}

void live_options_apply(const struct config *config)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		live_option_apply(row, config);
}

/* Under lock. */
static void begin(void)
{
	if (!begun)
		now = *config_current();
	begun = true;
}

void live_options_get(struct config *config)
{
	pthread_mutex_lock(&lock);
	begin();
	*config = now;
	pthread_mutex_unlock(&lock);
}

const struct option_row *live_option_find(const char *name, char *error,
					  size_t size)
{
	const struct option_row *row = option_find(name);
	int used;

	if (row)
		return row;
	used = snprintf(error, size, "unknown option '%.40s'; known:", name);
	option_names(error, size, (size_t)used);
	return NULL;
}

static bool is_live(const struct option_row *row, char *error, size_t size)
{
	int used;

	if (row->when == OPTION_LIVE)
		return true;
	used = snprintf(error, size,
			"option '%.40s' can't be set while the program runs; "
			"those that can:",
			row->name);
	option_names_live(error, size, (size_t)used);
	return false;
}

/* Under lock: of two that set options, neither undoes what the other did. */
static bool set_locked(const struct option_row *row, const char *value,
		       struct config *config, char error[OPTION_ERROR_SIZE])
{
	begin();
	*config = now;
	if (!config_set(config, row->name, value, error) ||
	    !config_check(config, error))
		return false;
	live_option_apply(row, config);
	now = *config;
	return true;
}

bool live_option_set(const char *name, const char *value, struct config *config,
		     char *error, size_t size)
{
	const struct option_row *row = live_option_find(name, error, size);
	char wrong[OPTION_ERROR_SIZE];
	bool done;

	if (!row || !is_live(row, error, size))
		return false;
	pthread_mutex_lock(&lock);
	done = set_locked(row, value, config, wrong);
	pthread_mutex_unlock(&lock);
	if (!done)
		snprintf(error, size, "%s", wrong);
	return done;
}
