/* Names of NVTX's ranges and domains, in UTF-8, and handles that stand for
 * them. */
#ifndef MNM_NVTX_NAMES_H
#define MNM_NVTX_NAMES_H

#include <stdatomic.h>
#include <stddef.h>

enum {
	NVTX_NAME_SIZE = 512,    /* bytes of a name that are looked at */
	NVTX_HANDLES_MOST = 4096 /* of a tool's, of each kind, a power of two */
};

/* A name of wide characters as UTF-8, cut off if it is long. NULL for NULL. */
const char *nvtx_name_narrow(const wchar_t *wide, char name[NVTX_NAME_SIZE]);

/* The names of handles that a tool has given. */
struct nvtx_handles {
	struct {
		void *_Atomic handle;
		const char *_Atomic name;
	} at[NVTX_HANDLES_MOST];
};

/* A handle of ours, which needs no table; NULL for NULL. */
void *nvtx_handle_own(const char *name);

/* Keeps the name of a tool's handle, as long as there is room. Returns the
 * handle. */
void *nvtx_handle_note(struct nvtx_handles *handles, void *handle,
		       const char *name);

/* NULL: it is not known. */
const char *nvtx_handle_name(struct nvtx_handles *handles, void *handle);

#endif
