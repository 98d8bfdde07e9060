/* A shared object that is no plug-in. */
#include "plugin.h"

EXPORTED int mnm_plugins;
