/* The options that the environment gives this process. */
#ifndef MNM_CONFIG_H
#define MNM_CONFIG_H

#include "common/option.h"

/* Reads the options, once. Returns false if this process is not served. */
bool config_once(void);

/* Valid after config_once. */
const struct config *config_current(void);

#endif
