/* NVTX's headers. Their functions open the tool that NVTX injects, and
 * libmnm.so refers neither to dlopen nor to dlsym (preload/loader.h). To be
 * included last.
 */
#ifndef MNM_NVTX_H
#define MNM_NVTX_H

#if __has_include(<nvtx3/nvToolsExtMem.h>)

#include "preload/loader.h"

#define dlopen(path, flags) loader_open(path, flags)
#define dlsym(handle, name) dlsym_behind()(handle, name)
#define dlclose(handle)     ((void)(handle))

#include <nvtx3/nvToolsExtMem.h>

#define HAS_NVTX

#endif

#endif
