/* The options that can change while the program runs. */
#ifndef MNM_LIVE_OPTIONS_H
#define MNM_LIVE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/option.h"

/* The options as they are now: those of the start, with what was set since. */
void live_options_get(struct config *config);

/* Sets an option for all that runs, and *config to the options as they are
 * then. Returns false if it can't: error, of that many bytes, says in one line
 * what is wrong and what is allowed, and nothing has changed. */
bool live_option_set(const char *name, const char *value, struct config *config,
		     char *error, size_t size);

/* The row of an option, or NULL; error is set then as above. */
const struct option_row *live_option_find(const char *name, char *error,
					  size_t size);

/* Puts the values of all rows into effect, at the start. */
void live_options_apply(const struct config *config);

#endif
