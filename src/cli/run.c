/* mnm run: sets up the environment in which a program finds the preload, and
 * executes the program. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "common/option.h"
#include "common/pool_list.h"
#include "frameworks.h"
#include "preload.h"
#include "settings.h"
#include "simulation.h"

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

/* Stacks that are to name functions of Python are recorded, unless their option
 * says otherwise. */
static int stacks_set(struct settings *settings,
		      const struct arguments *arguments)
{
	const char *every = arguments->every;
	const char *given = getenv("MNM_RECORD_STACKS");

	if (arguments->python)
		setenv("PYTHONPERFSUPPORT", "1", 1);
	if (arguments->python && !every && (!given || !*given))
		every = "";
	return every ? settings_option(settings, "record_stacks",
				       *every ? every : "1M")
		     : EXIT_DONE;
}

/* The file's path is made absolute: the program may go to another folder before
 * its first call of CUDA. */
static int record_set(struct settings *settings,
		      const struct arguments *arguments)
{
	const char *file = arguments->record;
	char folder[PATH_MAX] = "", *path, size[32];
	int status = EXIT_DONE;

	if (arguments->max_size) {
		snprintf(size, sizeof(size), "%zu", arguments->max_size);
		status = settings_option(settings, "record_size", size);
	}
	if (!status)
		status = stacks_set(settings, arguments);
	if (status || !file)
		return status;
	if (*file != '/' && !getcwd(folder, sizeof(folder)))
		return failure("the present folder: %s", strerror(errno));
	if (asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", file) < 0)
		return failure("no memory");
	status = settings_option(settings, "record", path);
	free(path);
	return status;
}

/* NVTX looks for the library at a program's first range, which may be before
 * its first call of CUDA: the variable has to be there from the start. */
static void ranges_set(const char *library)
{
	static const char variable[] = "NVTX_INJECTION64_PATH";
	const char *iteration = getenv("MNM_ITERATION");
	const char *record = getenv("MNM_RECORD");
	const char *tool = getenv(variable);

	if ((!iteration || !option_ranges(iteration)) && (!record || !*record))
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
	if (arguments->sim && simulation_knows(word))
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
	struct settings settings = {.command = command,
				    .simulated = arguments->sim};
	char library[PATH_MAX];
	unsigned chosen = 0;
	int status;

	config_init(&settings.config);
	status = settings_read(&settings, arguments);
	if (!status)
		status = record_set(&settings, arguments);
	if (!status && arguments->frameworks)
		status = frameworks_choose(arguments->frameworks, &chosen);
	if (!status && arguments->sim)
		status = simulation_set(
			command, *arguments->sim ? arguments->sim : "t4");
	if (!status)
		status = preload_set(library);
	if (status)
		return status;
	frameworks_set(chosen);
	ranges_set(library);
	return program_start(arguments->program, arguments);
}
