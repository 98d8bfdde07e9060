#include "contender.h"

#include <dlfcn.h>

#include "fail.h"

static void *entry(void *library, const char *path, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		fail(path, dlerror());
	return found;
}

static void streams_open(struct contender *who, void *library, const char *path)
{
	if (!dlsym(library, "bench_stream"))
		return;
	*(void **)&who->stream = entry(library, path, "bench_stream");
	*(void **)&who->alloc_in = entry(library, path, "bench_alloc_in");
	*(void **)&who->free_in = entry(library, path, "bench_free_in");
	*(void **)&who->order = entry(library, path, "bench_order");
}

void contender_open(struct contender *who, const char *path)
{
	const char *(*version)(void);
	int (*open)(void);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		fail("not loaded", dlerror());
	*(void **)&open = entry(library, path, "bench_open");
	*(void **)&version = entry(library, path, "bench_version");
	*(void **)&who->alloc = entry(library, path, "bench_alloc");
	*(void **)&who->free = entry(library, path, "bench_free");
	streams_open(who, library, path);
	*(void **)&who->enter = dlsym(library, "bench_enter");
	*(void **)&who->mallocs = dlsym(RTLD_DEFAULT, "bench_mallocs");
	if (open())
		fail(path, "can't be used here");
	who->version = version();
}
