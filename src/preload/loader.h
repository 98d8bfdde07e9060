/* Calls of the loader that bypass our own dlsym.
 *
 * Until version 2.34, glibc kept the functions of <dlfcn.h> in libdl, and
 * pthread_create and others in libpthread. A program may lack those two
 * libraries, or load them late and for a plug-in alone. libmnm.so must not fail
 * to load anywhere, so it refers neither to them nor to their functions: it
 * looks for a function when it is about to call it. */
#ifndef MNM_LOADER_H
#define MNM_LOADER_H

#include <dlfcn.h>
#include <stdbool.h>

typedef void *dlsym_function(void *handle, const char *symbol);

/* The dlsym behind ours: libc's, or that of the next preloaded library. */
dlsym_function *dlsym_behind(void);

/* A function that the process has in libc, libdl or libpthread, or NULL. It is
 * the one that a reference of the program's would find, if any is in scope. */
void *loader_function(const char *symbol);

/* dlopen, dlclose, dlerror and dladdr. In a process that lacks one, it finds
 * nothing. */
void *loader_open(const char *path, int flags);
void loader_close(void *handle);
void loader_error_clear(void);
int loader_address(const void *address, Dl_info *info);

/* Whether a library was opened by dlmopen into a namespace apart from ours,
 * with CUDA in it: none of its calls can reach us. handle is one of
 * dlopen's. */
bool loader_is_dlmopen(void *handle);

/* The file of a preload that takes memory calls as well, and is not asked as it
 * comes after this library; NULL if there is none. */
const char *loader_taker_behind(void);

#endif
