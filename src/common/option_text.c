/* What an option is set to, in the words by which it is set. */
#include <stdio.h>
#include <string.h>

#include "option.h"
#include "option_list.h"
#include "pool_choice.h"

static void size_text(size_t value, char *text, size_t size)
{
	static const char units[] = "KMG";
	int unit = -1;

	while (value && !(value % 1024) && unit < 2) {
		value /= 1024;
		unit++;
	}
	snprintf(text, size, "%zu%.1s", value, unit < 0 ? "" : units + unit);
}

static void classes_text(size_t value, char *text, size_t size)
{
	if (value)
		snprintf(text, size, "%zu", value);
	else
		snprintf(text, size, "linear");
}

static void size_or_auto_text(size_t value, char *text, size_t size)
{
	if (value == SIZE_AUTO)
		snprintf(text, size, "auto");
	else
		size_text(value, text, size);
}

static void size_or_word_text(size_t value, char *text, size_t size)
{
	if (value)
		size_or_auto_text(value, text, size);
	else
		snprintf(text, size, "off");
}

static void idle_text(const struct idle_limit *limit, char *text, size_t size)
{
	if (limit->kind == IDLE_BYTES)
		size_text(limit->number, text, size);
	else if (limit->kind == IDLE_PERCENT)
		snprintf(text, size, "%zu%%", limit->number);
	else
		snprintf(text, size, limit->kind == IDLE_AUTO ? "auto" : "off");
}

/* The choice that most devices have, so that few have to be named beside it. */
static int pool_of_most(const int pool[DEVICE_ALL])
{
	int most = pool[0], most_count = 0;

	for (int i = 0; i < DEVICE_ALL; i++) {
		int count = 0;

		for (int j = 0; j < DEVICE_ALL; j++)
			count += pool[j] == pool[i];
		if (count > most_count) {
			most = pool[i];
			most_count = count;
		}
	}
	return most;
}

/* The name for most devices comes first, then the devices that differ. */
static void pools_text(const int pool[DEVICE_ALL], char *text, size_t size)
{
	int most = pool_of_most(pool);
	size_t used =
		(size_t)snprintf(text, size, "%s", pool_choice_name(most));

	for (int i = 0; i < DEVICE_ALL && used < size; i++) {
		if (pool[i] == most)
			continue;
		if (i == DEVICE_HOST)
			used += (size_t)snprintf(text + used, size - used,
						 ",host:%s",
						 pool_choice_name(pool[i]));
		else
			used += (size_t)snprintf(text + used, size - used,
						 ",%d:%s", i,
						 pool_choice_name(pool[i]));
	}
}

void config_text(const struct config *config, const struct option_row *row,
		 char *text, size_t size)
{
	/* A row's type names its writer here, as it names its parser in
	 * option.c. */
#define TEXT_TEXT(f)         snprintf(text, size, "%s", config->f)
#define TEXT_PATH(f)         snprintf(text, size, "%s", config->f)
#define TEXT_PLUGINS(f)      snprintf(text, size, "%s", config->f)
#define TEXT_ITERATION(f)    snprintf(text, size, "%s", config->f)
#define TEXT_SIZE(f)         size_text(config->f, text, size)
#define TEXT_FILE_SIZE(f)    size_text(config->f, text, size)
#define TEXT_PAGE(f)         size_text(config->f, text, size)
#define TEXT_CLASSES(f)      classes_text(config->f, text, size)
#define TEXT_CUTOFF(f)       snprintf(text, size, "%u", config->f)
#define TEXT_PERCENT(f)      snprintf(text, size, "%u", config->f)
#define TEXT_SIZE_OR_AUTO(f) size_or_auto_text(config->f, text, size)
#define TEXT_SIZE_OR_WORD(f) size_or_word_text(config->f, text, size)
#define TEXT_FENCE(f)        snprintf(text, size, "%s", fence_names[config->f])
#define TEXT_FLAG(f)         snprintf(text, size, "%d", config->f)
#define TEXT_IDLE(f)         idle_text(&config->f, text, size)
#define TEXT_TIME(f)         snprintf(text, size, "%u", config->f)
#define TEXT_INFO(f)         snprintf(text, size, "%s", config->f ? "real" : "pool")
#define TEXT_LEVEL(f)        snprintf(text, size, "%s", level_names[config->f])
#define TEXT_POOLS(f)        pools_text(config->f, text, size)
#define OPTION(field, type, when, initial, range, help) \
	if (!strcmp(row->name, #field)) \
		TEXT_##type(field);
	OPTION_LIST
#undef OPTION
}

const struct option_row *option_find(const char *name)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

void option_names(char *text, size_t size, size_t used)
{
	for (const struct option_row *row = option_rows;
	     row->name && used < size; row++)
		used += (size_t)snprintf(text + used, size - used, " %s",
					 row->name);
}

void option_names_live(char *text, size_t size, size_t used)
{
	const char *gap = " ";

	for (const struct option_row *row = option_rows;
	     row->name && used < size; row++) {
		if (row->when != OPTION_LIVE)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", gap,
					 row->name);
		gap = ", ";
	}
}
