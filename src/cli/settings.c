#include "settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "plugins.h"
#include "simulation.h"

/* Checks a value as the program will, and puts it into the environment. */
int settings_option(struct settings *settings, const char *name,
		    const char *value)
{
	char error[OPTION_ERROR_SIZE], variable[64];

	if (!config_set(&settings->config, name, value, error)) {
		snprintf(variable, sizeof(variable), "mnm %s",
			 settings->command->name);
		plugins_print(variable); /* the pool may have been one's */
		error_print("%s: %s", variable, error);
		fputc('\n', stderr);
		return EXIT_USAGE;
	}
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (strcmp(row->name, name))
			continue;
		option_variable(row, variable, sizeof(variable));
		/* NOLINTNEXTLINE(*-core.*): no option comes without it */
		setenv(variable, value, 1);
	}
	return EXIT_DONE;
}

static int pair_set(struct settings *settings, char *pair)
{
	/* NOLINTNEXTLINE(*-core.*): no --set comes without one */
	char *value = strchr(pair, '=');
	int status;

	if (!value)
		return usage_error(settings->command,
				   "--set '%s' is not KEY=VALUE", pair);
	*value++ = '\0';
	status = settings_option(settings, pair, value);
	value[-1] = '=';
	return status;
}

/* Adds a file to the plug-ins of the environment. */
static int plugin_set(struct settings *settings, const char *file)
{
	const char *before = getenv("MNM_POOL_PLUGINS");
	char folder[PATH_MAX] = "", *joined;
	int status;

	before = before ? before : "";
	if (access(file, R_OK) || (*file != '/' && !getcwd(folder, PATH_MAX)))
		return usage_error(settings->command, "--plugin '%s': %s", file,
				   strerror(errno));
	if (strchr(file, ':') || strchr(folder, ':'))
		return usage_error(settings->command,
				   "--plugin '%s': its path has a :, which "
				   "separates plug-ins",
				   file);
	if (asprintf(&joined, "%s%s%s%s%s", before, *before ? ":" : "", folder,
		     *folder ? "/" : "", file) < 0)
		return failure("no memory");
	status = settings_option(settings, "pool_plugins", joined);
	free(joined);
	return status;
}

/* Checks the options together, as the program will. What allows one of them may
 * come from the environment alone. */
static int settings_check(struct settings *settings)
{
	const char *force = getenv("MNM_FORCE");
	char error[OPTION_ERROR_SIZE];

	settings->config.force = force && !strcmp(force, "1");
	if (config_check(&settings->config, error))
		return EXIT_DONE;
	error_print("mnm %s: %s", settings->command->name, error);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static bool names_option(const struct setting *setting, const char *name)
{
	size_t length = strlen(name);

	return !strcmp(setting->option, "set") &&
	       !strncmp(setting->text, name, length) &&
	       setting->text[length] == '=';
}

static bool is_pool(const struct setting *setting)
{
	return !strcmp(setting->option, "pool") ||
	       names_option(setting, "pool");
}

/* When a setting is made: the list of plug-ins, what adds to it, and then the
 * rest, as a pool may be one of theirs. */
enum turn { TURN_PLUGINS, TURN_PLUGIN, TURN_LAST };

static enum turn setting_turn(const struct setting *setting)
{
	if (names_option(setting, "pool_plugins"))
		return TURN_PLUGINS;
	return strcmp(setting->option, "plugin") ? TURN_LAST : TURN_PLUGIN;
}

static int setting_read(struct settings *settings,
			const struct setting *setting)
{
	if (!strcmp(setting->option, "plugin"))
		return plugin_set(settings, setting->text);
	if (!strcmp(setting->option, "pool"))
		return settings_option(settings, "pool", setting->text);
	return pair_set(settings, setting->text);
}

/* Sets the options in the order given, those of a turn: the last of two
 * counts. */
int settings_read(struct settings *settings, const struct arguments *arguments)
{
	const struct setting *list = arguments->settings;
	int count = arguments->setting_count, status = EXIT_DONE;
	bool pools = false;

	for (int i = 0; i < count; i++)
		pools |= is_pool(&list[i]);
	for (int turn = TURN_PLUGINS; turn <= TURN_LAST; turn++) {
		if (turn == TURN_LAST && pools && !status &&
		    settings->simulated)
			simulation_load();
		if (turn == TURN_LAST && pools && !status)
			plugins_use();
		for (int i = 0; i < count && !status; i++)
			if ((int)setting_turn(&list[i]) == turn)
				status = setting_read(settings, &list[i]);
	}
	return status ? status : settings_check(settings);
}
