/* What the options are now, and those that can change while the program
 * runs. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "about.h"
#include "mem/config.h"
#include "mem/live_options.h"
#include "request.h"

/* The options as at the start, with what was set since; under lock, as the file
 * of option stat_file is written by another thread than the one that
 * answers. */
static struct config now;
static bool begun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void now_get(struct config *config)
{
	pthread_mutex_lock(&lock);
	if (!begun)
		now = *config_current();
	begun = true;
	*config = now;
	pthread_mutex_unlock(&lock);
}

static void now_set(const struct config *config)
{
	pthread_mutex_lock(&lock);
	now = *config;
	pthread_mutex_unlock(&lock);
}

static json_t *option_json(const struct config *config,
			   const struct option_row *row)
{
	char text[2048];
	json_t *value;

	config_text(config, row, text, sizeof(text));
	value = json_string(text);
	return value ? value : json_string("?"); /* a path need not be UTF-8 */
}

json_t *options_json(void)
{
	json_t *options = json_object();
	struct config config;

	now_get(&config);
	for (const struct option_row *row = option_rows; row->name; row++)
		json_object_set_new(options, row->name,
				    option_json(&config, row));
	return options;
}

static json_t *option_unknown(struct request *request)
{
	int used = snprintf(request->error, ERROR_SIZE,
			    "unknown option '%.40s'; known:", request->option);

	option_names(request->error, ERROR_SIZE, (size_t)used);
	return NULL;
}

static json_t *not_live(struct request *request)
{
	int used = snprintf(request->error, ERROR_SIZE,
			    "option '%.40s' can't be set while the program "
			    "runs; those that can:",
			    request->option);

	option_names_live(request->error, ERROR_SIZE, (size_t)used);
	return NULL;
}

/* Returns false if it fails; request->error is set then. */
static bool live_set(struct request *request, const struct option_row *row,
		     struct config *config)
{
	if (row->when != OPTION_LIVE) {
		not_live(request);
		return false;
	}
	if (!config_set(config, row->name, request->value, request->error) ||
	    !config_check(config, request->error))
		return false;
	live_option_apply(row, config);
	now_set(config);
	return true;
}

json_t *set_run(struct request *request)
{
	const struct option_row *row = option_find(request->option);
	struct config config;
	json_t *answer;

	if (!row)
		return option_unknown(request);
	now_get(&config);
	if (request->value && !live_set(request, row, &config))
		return NULL;
	answer = about_json();
	json_object_set_new(answer, "option", json_string(row->name));
	json_object_set_new(answer, "value", option_json(&config, row));
	json_object_set_new(answer, "changed", json_boolean(request->value));
	return answer;
}
