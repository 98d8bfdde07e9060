/* Run inside our dlsym, as early in a process, so built without sanitizers. */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "loader.h"

static bool is_cudas(const struct link_map *library)
{
	const char *file = strrchr(library->l_name, '/');

	file = file ? file + 1 : library->l_name;
	return !strncmp(file, "libcuda.so", strlen("libcuda.so")) ||
	       !strncmp(file, "libcudart.so", strlen("libcudart.so"));
}

bool loader_is_apart(void *handle)
{
	/* Not by a reference: glibc moved it to libc in 2.34. */
	__typeof__(&dlinfo) info =
		(__typeof__(&dlinfo))dlsym_behind()(RTLD_DEFAULT, "dlinfo");
	const struct link_map *library;
	Lmid_t scope;

	if (!info || info(handle, RTLD_DI_LMID, &scope) ||
	    scope == LM_ID_BASE || info(handle, RTLD_DI_LINKMAP, &library))
		return false;
	while (library->l_prev)
		library = library->l_prev;
	while (library && !is_cudas(library))
		library = library->l_next;
	return library;
}
