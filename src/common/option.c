#include <ctype.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"
#include "option_list.h"
#include "plugin.h"
#include "pool_choice.h"
#include "pool_list.h"

enum {
	PAGE_MIN = 512,
	PAGE_MAX = 2 << 20,
	PERCENT_MAX = 10000,
	CLASSES_MAX = 64,
	CUTOFF_MIN = 20,
	CUTOFF_MAX = 34
};

/* clang-format off */
const struct option_row option_rows[] = {
#define OPTION(field, type, when, initial, range, help) \
	{#field, OPTION_##type, OPTION_##when, initial, range, help},
	OPTION_LIST
#undef OPTION
	{NULL, OPTION_TEXT, OPTION_START, NULL, NULL, NULL},
};
/* clang-format on */

const char *const level_names[] = {"none", "error", "warn",
				   "info", "debug", NULL};

const char *const fence_names[] = {"fence", "sync", "none", NULL};

void option_variable(const struct option_row *row, char *text, size_t size)
{
	int length = snprintf(text, size, "MNM_%s", row->name);

	for (int i = 0; i < length && (size_t)i < size; i++)
		text[i] = (char)toupper((unsigned char)text[i]);
}

bool file_size_parse(const char *text, size_t *bytes)
{
	size_t size;

	if (!size_parse(text, &size) || size < FILE_SIZE_MIN)
		return false;
	*bytes = size;
	return true;
}

static bool page_parse(const char *text, size_t *page)
{
	size_t size;

	if (!size_parse(text, &size) || size < PAGE_MIN || size > PAGE_MAX ||
	    (size & (size - 1)))
		return false;
	*page = size;
	return true;
}

static bool classes_parse(const char *text, size_t *classes)
{
	size_t digits = strspn(text, "0123456789"), value;

	if (!strcmp(text, "linear")) {
		*classes = 0;
		return true;
	}
	if (!digits || text[digits] || !size_parse(text, &value) || !value ||
	    value > CLASSES_MAX || (value & (value - 1)))
		return false;
	*classes = value;
	return true;
}

int device_parse(const char *text)
{
	char *end;
	long ordinal = strtol(text, &end, 10);

	if (!strcmp(text, "host"))
		return DEVICE_HOST;
	return isdigit((unsigned char)*text) && !*end && ordinal < DEVICE_MAX
		       ? (int)ordinal
		       : -1;
}

/* Whether the backing that is named, if any, is one for the device. A bare
 * NAME@host can only be for pinned memory. Returns what is wrong, or NULL. */
static const char *backing_check(int *device, int choice, const char *name)
{
	bool host = pool_choice_backing(choice) == MNM_BACKING_HOST;

	if (host && *device == DEVICE_ALL)
		*device = DEVICE_HOST;
	if (host && *device != DEVICE_HOST)
		return "only pinned memory has the backing host";
	if (!host && *device == DEVICE_HOST && strchr(name, '@'))
		return "pinned memory has no backing but host";
	return NULL;
}

/* Reads one of "NAME", "0:NAME", "host:NAME", whose name may have @BACKING. For
 * the first, *device is DEVICE_ALL, or that of pinned memory. Returns what is
 * wrong, or NULL. */
static const char *pool_parse(char *item, int *device, int *choice)
{
	char *colon = strchr(item, ':');
	const char *name = colon ? colon + 1 : item, *bad;

	*device = DEVICE_ALL;
	if (colon) {
		*colon = '\0';
		*device = device_parse(item);
		if (*device < 0)
			return "device is not 0 to 63 or host";
	}
	*choice = pool_choice_find(name, &bad);
	return *choice < 0 ? bad : backing_check(device, *choice, name);
}

bool pools_parse(const char *text, int pool[DEVICE_ALL], const char **bad)
{
	char copy[1024], *rest = copy, *item;
	int chosen[DEVICE_ALL + 1]; /* the last is for all that are not named */
	int device, row;

	*bad = "too long";
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return false;
	memset(chosen, -1, sizeof(chosen));
	while ((item = strsep(&rest, ","))) {
		*bad = pool_parse(item, &device, &row);
		if (!*bad && chosen[device] >= 0)
			*bad = device == DEVICE_ALL
				       ? "two pools without a device"
				       : "the same device is named twice";
		if (*bad)
			return false;
		chosen[device] = row;
	}
	for (int i = 0; i < DEVICE_ALL; i++) {
		row = chosen[i] < 0 ? chosen[DEVICE_ALL] : chosen[i];
		pool[i] = row < 0 ? pool[i] : row;
	}
	return true;
}

static bool size_or_auto_parse(const char *text, size_t *size)
{
	if (strcmp(text, "auto"))
		return size_parse(text, size);
	*size = SIZE_AUTO;
	return true;
}

static bool size_or_word_parse(const char *text, size_t *size)
{
	if (strcmp(text, "off"))
		return size_or_auto_parse(text, size);
	*size = 0;
	return true;
}

/* The index of a word in a list that ends with NULL, or -1. */
static int word_find(const char *const *words, const char *text)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	return -1;
}

static bool level_parse(const char *text, enum log_level *level)
{
	int found = word_find(level_names, text);

	if (found >= 0)
		*level = (enum log_level)found;
	return found >= 0;
}

static bool fence_parse(const char *text, enum fence_level *level)
{
	int found = word_find(fence_names, text);

	if (found >= 0)
		*level = (enum fence_level)found;
	return found >= 0;
}

/* Reads a whole number. */
static bool number_parse(const char *text, unsigned int least,
			 unsigned int most, unsigned int *number)
{
	size_t value;

	if (strspn(text, "0123456789") != strlen(text) ||
	    !size_parse(text, &value) || value < least || value > most)
		return false;
	*number = (unsigned int)value;
	return true;
}

static bool idle_parse(const char *text, struct idle_limit *limit)
{
	size_t digits = strspn(text, "0123456789");
	struct idle_limit found = {IDLE_BYTES, 0};

	if (!strcmp(text, "auto"))
		found.kind = IDLE_AUTO;
	else if (!strcmp(text, "off"))
		found.kind = IDLE_OFF;
	else if (digits && !strcmp(text + digits, "%"))
		found = (struct idle_limit){IDLE_PERCENT,
					    strtoull(text, NULL, 10)};
	else if (!size_parse(text, &found.number))
		return false;
	if (found.kind == IDLE_PERCENT && found.number > PERCENT_MAX)
		return false;
	*limit = found;
	return true;
}

static bool info_parse(const char *text, bool *real)
{
	static const char *const names[] = {"pool", "real", NULL};
	int found = word_find(names, text);

	if (found >= 0)
		*real = found;
	return found >= 0;
}

static bool flag_parse(const char *text, bool *flag)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return false;
	*flag = *text == '1';
	return true;
}

static bool text_parse(const char *text, char *field, size_t size,
		       const char **bad)
{
	*bad = "too long";
	if (strlen(text) >= size)
		return false;
	memcpy(field, text, strlen(text) + 1);
	return true;
}

static bool path_parse(const char *text, char *field, size_t size,
		       const char **bad)
{
	return (!*text || *text == '/') && text_parse(text, field, size, bad);
}

static bool plugins_parse(const char *text, char *field, size_t size,
			  const char **bad)
{
	*bad = "a path is not absolute";
	return (!*text || plugin_paths_valid(text)) &&
	       text_parse(text, field, size, bad);
}

const char *option_ranges(const char *value)
{
	static const char prefix[] = "nvtx:";
	size_t length = sizeof(prefix) - 1;

	return strncmp(value, prefix, length) ? NULL : value + length;
}

static bool iteration_parse(const char *text, char *field, size_t size,
			    const char **bad)
{
	const char *ranges = option_ranges(text);
	regex_t names;

	if (*text && !ranges)
		return false;
	*bad = "no regular expression";
	if (ranges &&
	    (!*ranges || regcomp(&names, ranges, REG_EXTENDED | REG_NOSUB)))
		return false;
	if (ranges)
		regfree(&names);
	return text_parse(text, field, size, bad);
}

/* Stores a value in the row's field. *why is set if the parser can say more. */
static bool row_set(struct config *config, const struct option_row *row,
		    const char *value, const char **why)
{
	/* A row's type names its parser; the field's own type must fit it. */
#define PARSE_TEXT(f)    text_parse(value, config->f, sizeof(config->f), why)
#define PARSE_PATH(f)    path_parse(value, config->f, sizeof(config->f), why)
#define PARSE_PLUGINS(f) plugins_parse(value, config->f, sizeof(config->f), why)
#define PARSE_ITERATION(f) \
	iteration_parse(value, config->f, sizeof(config->f), why)
#define PARSE_SIZE(f)         size_parse(value, &config->f)
#define PARSE_FILE_SIZE(f)    file_size_parse(value, &config->f)
#define PARSE_PAGE(f)         page_parse(value, &config->f)
#define PARSE_CLASSES(f)      classes_parse(value, &config->f)
#define PARSE_CUTOFF(f)       number_parse(value, CUTOFF_MIN, CUTOFF_MAX, &config->f)
#define PARSE_PERCENT(f)      number_parse(value, 0, 100, &config->f)
#define PARSE_SIZE_OR_AUTO(f) size_or_auto_parse(value, &config->f)
#define PARSE_SIZE_OR_WORD(f) size_or_word_parse(value, &config->f)
#define PARSE_FENCE(f)        fence_parse(value, &config->f)
#define PARSE_FLAG(f)         flag_parse(value, &config->f)
#define PARSE_IDLE(f)         idle_parse(value, &config->f)
#define PARSE_TIME(f)         number_parse(value, 0, INT_MAX, &config->f)
#define PARSE_INFO(f)         info_parse(value, &config->f)
#define PARSE_LEVEL(f)        level_parse(value, &config->f)
#define PARSE_POOLS(f)        pools_parse(value, config->f, why)
#define OPTION(field, type, when, initial, range, help) \
	if (!strcmp(row->name, #field)) \
		return PARSE_##type(field);
	OPTION_LIST
#undef OPTION
	return false;
}

bool config_set(struct config *config, const char *name, const char *value,
		char error[OPTION_ERROR_SIZE])
{
	const struct option_row *row = option_find(name);
	const char *why = "not allowed";
	char names[POOL_NAMES_SIZE];
	int used;

	if (row && row_set(config, row, value, &why))
		return true;
	if (!row) {
		used = snprintf(error, OPTION_ERROR_SIZE,
				"unknown option '%.40s'; known:", name);
		option_names(error, OPTION_ERROR_SIZE, (size_t)used);
		return false;
	}
	used = snprintf(error, OPTION_ERROR_SIZE,
			"%s: '%.60s': %s; allowed: %s", name, value, why,
			row->range);
	if (row->type == OPTION_POOLS && used < OPTION_ERROR_SIZE) {
		pool_names(names, sizeof(names));
		snprintf(error + used, OPTION_ERROR_SIZE - (size_t)used,
			 "; pools: %s", names);
	}
	return false;
}

void config_init(struct config *config)
{
	char error[OPTION_ERROR_SIZE];

	memset(config, 0, sizeof(*config));
	for (const struct option_row *row = option_rows; row->name; row++)
		config_set(config, row->name, row->initial, error);
}

bool config_check(const struct config *config, char error[OPTION_ERROR_SIZE])
{
	if (config->fence != REUSE_NONE || config->force)
		return true;
	snprintf(error, OPTION_ERROR_SIZE,
		 "fence: 'none': lets running work be overwritten; allowed: "
		 "fence, sync, and none with force=1 (MNM_FORCE=1)");
	return false;
}

bool config_read(struct config *config, char error[OPTION_ERROR_SIZE])
{
	char variable[64];
	const char *value;

	for (const struct option_row *row = option_rows; row->name; row++) {
		option_variable(row, variable, sizeof(variable));
		value = secure_getenv(variable);
		if (value && *value &&
		    !config_set(config, row->name, value, error))
			return false;
	}
	return config_check(config, error);
}
