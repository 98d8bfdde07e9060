/* A libcuda.so.1 with just enough in it to be asked. Its cuGetProcAddress
 * answers with a function that is none of its exports, as a driver may. */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

enum { NOT_SUPPORTED = 801 };

static int inner(void)
{
	return NOT_SUPPORTED;
}

/* clang-format off */
#define EXPORTED(name) \
	EXPORT int name(void); \
	EXPORT int name(void) { return inner(); }
EXPORTED(cuMemAlloc_v2)
EXPORTED(cuMemFree_v2)
EXPORTED(cuMemGetInfo_v2)
EXPORTED(cuMemFreeAsync)
EXPORTED(cuMemFreeAsync_ptsz)
EXPORTED(cuCtxGetCurrent)
EXPORTED(cuCtxGetDevice)
EXPORTED(cuCtxSynchronize)
EXPORTED(cuCtxPushCurrent_v2)
EXPORTED(cuCtxPopCurrent_v2)
/* clang-format on */

EXPORT int cuGetProcAddress_v2(const char *name, void **out, int version,
			       unsigned long long flags, int *status);

EXPORT int cuGetProcAddress_v2(const char *name, void **out, int version,
			       unsigned long long flags, int *status)
{
	(void)name;
	(void)version;
	(void)flags;
	(void)status;
	*out = (void *)inner;
	return 0;
}
