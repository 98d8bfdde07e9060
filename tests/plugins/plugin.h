/* How the plug-ins of the tests are written. Their pools serve nothing: they
 * have a name, and no functions. */
#ifndef MNM_TEST_PLUGIN_H
#define MNM_TEST_PLUGIN_H

#include "mnm/pool.h"

#define EXPORTED __attribute__((visibility("default")))

/* What a pool's functions begin with, and room for more. */
struct named {
	const char *name;
	const void *none[63];
};

#define ROW(ops, summary, backing) \
	{ \
		(const void *)&(ops), summary, backing \
	}

/* The symbol that is looked for. */
#define PLUGIN(version, count, rows) \
	extern const struct mnm_plugin mnm_plugin; \
	EXPORTED const struct mnm_plugin mnm_plugin = {version, count, rows}

#endif
