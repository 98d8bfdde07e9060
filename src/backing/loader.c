/* As early in a process as our dlsym, so built without sanitizers. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

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
	dlsym_function *found = atomic_load(&behind);

	for (size_t i = 0; !found && i < 2; i++)
		found = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym",
						 versions[i]);
	if (!found)
		found = dlsym_missing;
	atomic_store(&behind, found);
	return found;
}

static bool is_cudas(const struct link_map *library)
{
	const char *file = strrchr(library->l_name, '/');

	file = file ? file + 1 : library->l_name;
	return !strncmp(file, "libcuda.so", strlen("libcuda.so")) ||
	       !strncmp(file, "libcudart.so", strlen("libcudart.so"));
}

bool loader_is_apart(void *handle)
{
	const struct link_map *library;
	Lmid_t scope;

	if (dlinfo(handle, RTLD_DI_LMID, &scope) || scope == LM_ID_BASE ||
	    dlinfo(handle, RTLD_DI_LINKMAP, &library))
		return false;
	while (library->l_prev)
		library = library->l_prev;
	while (library && !is_cudas(library))
		library = library->l_next;
	return library;
}
