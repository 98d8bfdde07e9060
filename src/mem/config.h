/* What this process was told by its environment. */
#ifndef MNM_CONFIG_H
#define MNM_CONFIG_H

#include "common/option.h"

/* Reads the options, once. False: stay out of the way. */
bool config_once(void);

/* Valid after config_once. */
const struct config *config_current(void);

#endif
