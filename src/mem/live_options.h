/* The options that can change while the program runs. */
#ifndef MNM_LIVE_OPTIONS_H
#define MNM_LIVE_OPTIONS_H

#include "common/option.h"

/* Puts the value of a row into effect, if the row is LIVE. */
void live_option_apply(const struct option_row *row,
		       const struct config *config);

/* The same for all rows, at the start. */
void live_options_apply(const struct config *config);

#endif
