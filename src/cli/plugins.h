/* The plug-ins of MNM_POOL_PLUGINS, for the commands that name pools. */
#ifndef MNM_CLI_PLUGINS_H
#define MNM_CLI_PLUGINS_H

#include "common/plugin.h"

/* Opens the plug-ins and adds their pools, once. Returns NULL if there are
 * none, or if the variable is not right. */
const struct plugins *plugins_use(void);

/* Prints on stderr which of them are refused, or what is wrong with the
 * variable; the name of the command comes first. */
void plugins_print(const char *command);

#endif
