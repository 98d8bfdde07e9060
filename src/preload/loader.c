/* Runs as early in a process as our dlsym does, so it is built without
 * sanitizers. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "loader.h"
#include "elf_symbol.h"

/* The first version of glibc on this architecture. */
#ifdef __x86_64__
#define GLIBC_FIRST "GLIBC_2.2.5"
#else
#define GLIBC_FIRST "GLIBC_2.17"
#endif

static void *dlsym_missing(void *handle, const char *symbol)
{
	(void)handle;
	(void)symbol;
	return NULL;
}

/* Finds a symbol in whichever scope it is. libc is there from the start, and so
 * is libdl, unless the caller of our dlsym has brought it along. The libdl and
 * libpthread of glibc 2.34 or later are empty. */
static void *glibc_symbol(const char *symbol)
{
	static const char *const parts[] = {"libc.so", "libdl.so",
					    "libpthread.so"};
	void *found = NULL;

	for (size_t i = 0; !found && i < 3; i++)
		found = elf_symbol(parts[i], symbol);
	return found;
}

/* If libdl was loaded for a plug-in alone, RTLD_NEXT finds no dlsym behind
 * ours. */
static dlsym_function *dlsym_find(void)
{
	/* The versions in which glibc has dlsym: libc's since 2.34, libdl's
	 * before. */
	static const char *const versions[] = {"GLIBC_2.34", GLIBC_FIRST};
	__typeof__(&dlvsym) versioned = glibc_symbol("dlvsym");
	void *found = NULL, *next;

	for (size_t i = 0; versioned && !found && i < 2; i++)
		found = versioned(RTLD_NEXT, "dlsym", versions[i]);
	if (!found)
		found = glibc_symbol("dlsym");
	if (!found)
		return NULL;
	/* The dlsym of a preloaded library has no version, so it was passed
	 * over. */
	next = ((dlsym_function *)found)(RTLD_NEXT, "dlsym");
	return (dlsym_function *)(next ? next : found);
}

dlsym_function *dlsym_behind(void)
{
	static dlsym_function *_Atomic behind;
	dlsym_function *found = atomic_load(&behind);

	if (!found) {
		found = dlsym_find();
		atomic_store(&behind, found);
	}
	return found ? found : dlsym_missing;
}

void *loader_function(const char *symbol)
{
	void *found = dlsym_behind()(RTLD_DEFAULT, symbol);

	return found ? found : glibc_symbol(symbol);
}

void *loader_open(const char *path, int flags)
{
	__typeof__(&dlopen) found = loader_function("dlopen");

	return found ? found(path, flags) : NULL;
}

void loader_close(void *handle)
{
	__typeof__(&dlclose) found = loader_function("dlclose");

	if (found)
		found(handle);
}

void loader_error_clear(void)
{
	__typeof__(&dlerror) found = loader_function("dlerror");

	if (found)
		found();
}

int loader_address(const void *address, Dl_info *info)
{
	__typeof__(&dladdr) found = loader_function("dladdr");

	return found ? found(address, info) : 0;
}
