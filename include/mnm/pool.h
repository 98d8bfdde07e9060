/* What a plug-in with pools says of them. */
#ifndef MNM_INCLUDE_POOL_H
#define MNM_INCLUDE_POOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MNM_POOL_VERSION 1

/* What a pool's regions are made of. */
enum mnm_backing {
	MNM_BACKING_NONE,
	MNM_BACKING_DEVICE,
	MNM_BACKING_VIRTUAL,
	MNM_BACKING_MANAGED,
	MNM_BACKING_HOST
};

/* A pool's functions. The first member is `const char *name`. */
struct mnm_pool_ops;

struct mnm_pool_row {
	const struct mnm_pool_ops *ops;
	const char *summary; /* a line for people */
	/* What its regions are made of if the user names nothing; NONE if it
	 * does not place its blocks. */
	enum mnm_backing backing;
};

/* A plug-in is a shared object that exports one symbol, mnm_plugin, of this
 * type. */
struct mnm_plugin {
	uint32_t version; /* MNM_POOL_VERSION */
	uint32_t count;   /* of rows */
	const struct mnm_pool_row *rows;
};

#ifdef __cplusplus
}
#endif

#endif
