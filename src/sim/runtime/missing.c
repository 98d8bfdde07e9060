#include "missing.h"

#include <dlfcn.h>

#include "runtime.h"

int runtime_missing(const char *name)
{
	void (*tell)(const char *) = NULL;

	if (!driver_open())
		*(void **)&tell = dlsym(driver_library, "sim_missing");
	if (tell)
		tell(name);
	return runtime_result(cudaErrorNotSupported);
}
