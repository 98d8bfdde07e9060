/* The loader, past our own dlsym. */
#ifndef MNM_LOADER_H
#define MNM_LOADER_H

#include <stdbool.h>

typedef void *dlsym_function(void *handle, const char *symbol);

/* The dlsym behind ours: libc's, or that of the next preloaded library. */
dlsym_function *dlsym_behind(void);

/* Whether a library was opened by dlmopen, apart from ours, and CUDA with it:
 * none of its calls can reach us. handle is one of dlopen's. */
bool loader_is_apart(void *handle);

#endif
