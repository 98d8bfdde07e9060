/* What this process was told by its environment. */
#ifndef MNM_CONFIG_H
#define MNM_CONFIG_H

#include "option.h"

/* Valid after config_once: see start.h. */
const struct config *config_current(void);

#endif
