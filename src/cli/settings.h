/* What a command line sets of a program's options: --pool, --plugin, --set. */
#ifndef MNM_SETTINGS_H
#define MNM_SETTINGS_H

#include <stdbool.h>

#include "argument.h"
#include "common/option.h"

struct settings {
	const struct command *command;
	struct config config; /* only to check values; see config_init */
	bool simulated;       /* the program will run on a simulated device */
};

/* Checks a value as the program will, and puts it into the environment. Returns
 * EXIT_DONE, or EXIT_USAGE after a line that says what is wrong. */
int settings_option(struct settings *settings, const char *name,
		    const char *value);

/* The same with all that the arguments set. */
int settings_read(struct settings *settings, const struct arguments *arguments);

#endif
