/* mnm run: sets up the environment in which a program finds the preload, and
 * executes the program. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "common/option.h"
#include "frameworks.h"
#include "install_path.h"
#include "common/pool_list.h"
#include "plugins.h"
#include "preload.h"

enum { DEVICE_LEAST = 2 << 20 }; /* bytes that a simulated device needs */

struct run {
	const struct command *command;
	struct config config; /* only to check values */
	const char *profile;  /* NULL without a simulation */
};

void run_more(void)
{
	char variable[64];

	printf("\nOptions, also read from the environment:\n");
	for (const struct option_row *row = option_rows; row->name; row++) {
		option_variable(row, variable, sizeof(variable));
		printf("  %-17s %s%s%s%s\n"
		       "      %s\n"
		       "      %s\n",
		       row->name, variable, *row->initial ? " [" : "",
		       row->initial, *row->initial ? "]" : "", row->help,
		       row->range);
	}
	printf("\nPools:\n");
	for (const struct pool_row *row = pool_rows; row->name; row++)
		printf("  %-14s %s\n", row->name, row->summary);
	printf("  NAME@BACKING   what its regions are made of: see mnm pools\n"
	       "  Plug-ins bring further pools: mnm pools lists them, too.\n");
	printf("\nFrameworks (docs/frameworks.md):\n");
	frameworks_help();
}

/* Checks a value as the program will, and puts it into the environment. */
static int option_set(struct run *run, const char *name, const char *value)
{
	char error[OPTION_ERROR_SIZE], variable[64];

	if (!config_set(&run->config, name, value, error)) {
		plugins_print("mnm run"); /* the pool may have been one's */
		fprintf(stderr, "mnm run: %s\n", error);
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

static int pair_set(struct run *run, char *pair)
{
	/* NOLINTNEXTLINE(*-core.*): no --set comes without one */
	char *value = strchr(pair, '=');
	int status;

	if (!value)
		return usage_error(run->command, "--set '%s' is not KEY=VALUE",
				   pair);
	*value++ = '\0';
	status = option_set(run, pair, value);
	value[-1] = '=';
	return status;
}

/* Adds a file to the plug-ins of the environment. */
static int plugin_set(struct run *run, const char *file)
{
	const char *before = getenv("MNM_POOL_PLUGINS");
	char folder[PATH_MAX] = "", *joined;
	int status;

	before = before ? before : "";
	if (access(file, R_OK) || (*file != '/' && !getcwd(folder, PATH_MAX)))
		return usage_error(run->command, "--plugin '%s': %s", file,
				   strerror(errno));
	if (strchr(file, ':') || strchr(folder, ':'))
		return usage_error(run->command,
				   "--plugin '%s': its path has a :, which "
				   "separates plug-ins",
				   file);
	if (asprintf(&joined, "%s%s%s%s%s", before, *before ? ":" : "", folder,
		     *folder ? "/" : "", file) < 0)
		return failure("no memory");
	status = option_set(run, "pool_plugins", joined);
	free(joined);
	return status;
}

/* Puts path before what the variable holds. */
static int variable_prepend(const char *name, const char *path)
{
	const char *before = getenv(name);
	char *joined;

	if (asprintf(&joined, "%s%s%s", path, before && *before ? ":" : "",
		     before ? before : "") < 0)
		return EXIT_FAILED;
	setenv(name, joined, 1);
	free(joined);
	return EXIT_DONE;
}

static bool profile_known(const char *profile)
{
	char name[128], path[PATH_MAX];
	size_t bytes;

	snprintf(name, sizeof(name), "sim/profiles/%.100s.profile", profile);
	return size_parse(profile, &bytes) || install_path_find(name, path) ||
	       (strchr(profile, '/') && !access(profile, R_OK));
}

static int simulation_set(const struct run *run)
{
	char path[PATH_MAX], bytes[32];
	const char *profile = run->profile;
	size_t size = DEVICE_LEAST;

	if (size_parse(profile, &size) && size < DEVICE_LEAST) {
		fprintf(stderr,
			"mnm run: a device of '%s' is too small; allowed: 2M "
			"and more\n",
			profile);
		return EXIT_USAGE;
	}
	if (!profile_known(profile)) {
		fprintf(stderr,
			"mnm run: unknown profile '%s'; known: t4, a100, h200, "
			"ideal, bytes such as 8G, or a readable file's path\n",
			run->profile);
		return EXIT_USAGE;
	}
	if (!install_path_find("sim", path))
		return failure("no simulated device beside this program");
	if (strpbrk(path, ":;"))
		return failure("the loader can't find %s, for its : or ;",
			       path);
	if (size_parse(profile, &size)) { /* the device knows fewer spellings */
		snprintf(bytes, sizeof(bytes), "%zu", size);
		profile = bytes;
	}
	setenv("MNM_SIM", profile, 1);
	return variable_prepend("LD_LIBRARY_PATH", path);
}

/* A plug-in may be linked to CUDA. The program finds that in a folder which the
 * loader of this process does not know. */
static void simulation_load(void)
{
	static const char *const files[] = {"sim/libcuda.so.1",
					    "sim/libcudart.so.13"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (install_path_find(files[i], path))
			dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

/* The file's path is made absolute: the program may go to another folder before
 * its first call of CUDA. */
static int record_set(struct run *run, const struct arguments *arguments)
{
	const char *file = arguments->record;
	char folder[PATH_MAX] = "", *path, size[32];
	int status = EXIT_DONE;

	if (arguments->max_size) {
		snprintf(size, sizeof(size), "%zu", arguments->max_size);
		status = option_set(run, "record_size", size);
	}
	if (status || !file)
		return status;
	if (*file != '/' && !getcwd(folder, sizeof(folder)))
		return failure("the present folder: %s", strerror(errno));
	if (asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", file) < 0)
		return failure("no memory");
	status = option_set(run, "record", path);
	free(path);
	return status;
}

/* Checks the options together, as the program will. What allows one of them may
 * come from the environment alone. */
static int settings_check(struct run *run)
{
	const char *force = getenv("MNM_FORCE");
	char error[OPTION_ERROR_SIZE];

	run->config.force = force && !strcmp(force, "1");
	if (config_check(&run->config, error))
		return EXIT_DONE;
	fprintf(stderr, "mnm run: %s\n", error);
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

static int setting_read(struct run *run, const struct setting *setting)
{
	if (!strcmp(setting->option, "plugin"))
		return plugin_set(run, setting->text);
	if (!strcmp(setting->option, "pool"))
		return option_set(run, "pool", setting->text);
	return pair_set(run, setting->text);
}

/* Sets the options in the order given, those of a turn: the last of two
 * counts. */
static int settings_read(struct run *run, const struct arguments *arguments)
{
	const struct setting *settings = arguments->settings;
	int count = arguments->setting_count, status = EXIT_DONE;
	bool pools = false;

	for (int i = 0; i < count; i++)
		pools |= is_pool(&settings[i]);
	for (int turn = TURN_PLUGINS; turn <= TURN_LAST; turn++) {
		if (turn == TURN_LAST && pools && !status && run->profile)
			simulation_load();
		if (turn == TURN_LAST && pools && !status)
			plugins_use();
		for (int i = 0; i < count && !status; i++)
			if ((int)setting_turn(&settings[i]) == turn)
				status = setting_read(run, &settings[i]);
	}
	return status ? status : settings_check(run);
}

/* NVTX looks for the library at a program's first range, which may be before
 * its first call of CUDA: the variable has to be there from the start. */
static void ranges_set(const char *library)
{
	static const char variable[] = "NVTX_INJECTION64_PATH";
	const char *iteration = getenv("MNM_ITERATION");
	const char *tool = getenv(variable);

	if (!iteration || !option_ranges(iteration))
		return;
	if (!tool || !*tool)
		unsetenv(NVTX_BEHIND);
	else if (strcmp(tool, library))
		setenv(NVTX_BEHIND, tool, 1);
	setenv(variable, library, 1);
}

/* The option whose value has been taken for the program, or NULL. */
static const char *option_meant(const char *word,
				const struct arguments *arguments)
{
	if (arguments->sim && profile_known(word))
		return "the simulated device: --sim";
	if (arguments->frameworks && frameworks_known(word))
		return "the frameworks: --frameworks";
	return NULL;
}

/* Returns only if the program can't be started, with the status that a shell
 * returns then. */
static int program_start(char **words, const struct arguments *arguments)
{
	const char *meant;
	int error;

	execvp(*words, words);
	error = errno;
	if (error == ENOENT && strchr(*words, '/') && !access(*words, F_OK)) {
		failure("%s: its interpreter or loader is not there", *words);
		return EXIT_NOT_EXECUTABLE;
	}
	meant = error == ENOENT ? option_meant(*words, arguments) : NULL;
	failure("%s: %s%s%s%s%s%s", *words, strerror(error),
		meant ? " (for " : "", meant ? meant : "", meant ? "=" : "",
		meant ? *words : "", meant ? ")" : "");
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int run_run(const struct command *command, const struct arguments *arguments)
{
	struct run run = {.command = command};
	char library[PATH_MAX], *preload;
	unsigned chosen = 0;
	int status;

	config_init(&run.config);
	if (arguments->sim)
		run.profile = *arguments->sim ? arguments->sim : "t4";
	status = settings_read(&run, arguments);
	if (!status)
		status = record_set(&run, arguments);
	if (!status && arguments->frameworks)
		status = frameworks_choose(arguments->frameworks, &chosen);
	if (!status && run.profile)
		status = simulation_set(&run);
	if (status)
		return status;
	if (!install_path_find("libmnm.so", library))
		return failure("no libmnm.so beside this program");
	if (strpbrk(library, ": \t"))
		return failure("the loader can't preload %s, for its space or "
			       ":; install it elsewhere",
			       library);
	preload = preload_list(library, getenv("LD_PRELOAD"));
	if (!preload)
		return EXIT_FAILED;
	setenv("LD_PRELOAD", preload, 1);
	free(preload);
	frameworks_set(chosen);
	ranges_set(library);
	return program_start(arguments->program, arguments);
}
