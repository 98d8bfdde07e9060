/* As early in a process as our dlsym, so built without sanitizers. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "loader.h"

static void *dlsym_missing(void *handle, const char *symbol)
{
	(void)handle;
	(void)symbol;
	return NULL;
}

dlsym_function *dlsym_behind(void)
{
	/* Where glibc first had dlsym: libc 2.34, libdl before. */
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5"};
	static dlsym_function *_Atomic behind;
	dlsym_function *found = atomic_load(&behind), *next;

	if (found)
		return found;

	for (size_t i = 0; !found && i < 2; i++)
		found = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym",
						 versions[i]);
	if (!found)
		found = dlsym_missing;
	/* A preloaded library's has no version. */
	next = (dlsym_function *)found(RTLD_NEXT, "dlsym");
	if (next)
		found = next;
	atomic_store(&behind, found);
	return found;
}
