/* The loader, past our own dlsym. */
#ifndef MNM_LOADER_H
#define MNM_LOADER_H

typedef void *dlsym_function(void *handle, const char *symbol);

/* The dlsym behind ours: libc's, or that of the next preloaded library. */
dlsym_function *dlsym_behind(void);

#endif
