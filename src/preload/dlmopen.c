/* Runs inside our dlsym, as early in a process as that does, so it is built
 * without sanitizers. */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "loader.h"
#include "elf_symbol.h"

static bool is_cudas(const struct link_map *library)
{
	return elf_file_named(library->l_name, "libcuda.so") ||
	       elf_file_named(library->l_name, "libcudart.so");
}

bool loader_is_dlmopen(void *handle)
{
	static __typeof__(&dlinfo) _Atomic found;
	__typeof__(&dlinfo) info = found;
	const struct link_map *library;
	Lmid_t scope;

	if (!info)
		found = info = loader_function("dlinfo");
	if (!info || info(handle, RTLD_DI_LMID, &scope) ||
	    scope == LM_ID_BASE || info(handle, RTLD_DI_LINKMAP, &library))
		return false;
	while (library->l_prev)
		library = library->l_prev;
	while (library && !is_cudas(library))
		library = library->l_next;
	return library;
}
