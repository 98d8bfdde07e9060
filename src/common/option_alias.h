/* Variables of MXNet's that set options of ours, so that a job which was tuned
 * for MXNet's pools finds the same ones here. An option's own variable counts
 * more. A row each in option_alias.c. */
#ifndef MNM_OPTION_ALIAS_H
#define MNM_OPTION_ALIAS_H

#include "option.h"

struct option_alias {
	const char *variable; /* in the environment */
	const char *option;   /* of option_list.h */
};

/* All rows; the last has a NULL variable. */
extern const struct option_alias option_aliases[];

/* What an alias does. */
enum alias_effect {
	ALIAS_UNSET,  /* nothing: it is not in the environment */
	ALIAS_SETS,   /* it sets the option */
	ALIAS_YIELDS, /* nothing: the option's own variable is there, too */
	ALIAS_WRONG,  /* nothing: its value is not allowed */
};

/* Puts an alias into effect. If its value is wrong, error holds one line that
 * says so, as with config_set. */
enum alias_effect alias_apply(const struct option_alias *alias,
			      struct config *config,
			      char error[OPTION_ERROR_SIZE]);

#endif
