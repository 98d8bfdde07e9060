/* The call by which memory is exported. It is looked up by its name, so that
 * the program's file does not show that it may make the call: such a program is
 * served by another pool where memory has no handle. */
#ifndef MNM_TESTS_HANDLE_GET_H
#define MNM_TESTS_HANDLE_GET_H

#include <dlfcn.h>

#include <cuda.h>

static inline CUresult handle_get(CUipcMemHandle *handle, CUdeviceptr addr)
{
	CUresult (*get)(CUipcMemHandle * handle, CUdeviceptr ptr);

	*(void **)&get = dlsym(RTLD_DEFAULT, "cuIpcGetMemHandle");
	return get(handle, addr);
}

#endif
