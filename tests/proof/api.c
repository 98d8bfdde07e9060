#include "api.h"

#include <dlfcn.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *table_find(void *library, const char *name, int version,
			cuuint64_t flags)
{
	__typeof__(cuGetProcAddress_v2) *find;
	void *found = NULL;

	find = (__typeof__(find))dlsym(library, "cuGetProcAddress_v2");
	if (!find || find(name, &found, version, flags, NULL))
		return NULL;
	return found;
}

static void *entry_find(void *library, enum door door, const char *symbol,
			const char *name, int version, bool twin)
{
	if (door == DOOR_EXPORTS)
		return dlsym(library, symbol);
	if (door == DOOR_TABLE)
		return table_find(library, name, version,
				  CU_GET_PROC_ADDRESS_DEFAULT);
	/* The per-thread forms are as old as CUDA 7. */
	if (twin && version < 7000)
		version = 7000;
	return table_find(library, name, version,
			  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
}

/* mnm registers for membarrier(2) at its first block. In a process with several
 * threads the kernel takes 10 ms or more for that, in one with a single thread
 * no time. So it is done here, before there are threads. */
static void barriers_register(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
}

/* The old driver lacks this entry. Programs for that driver do without it. */
#define NEW_ENTRY "cuGreenCtxStreamCreate"

bool api_open(struct api *api, enum door door)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	bool complete = true;

	barriers_register();
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
#define API(entry, name, version, twin) \
	api->entry = (__typeof__(api->entry))entry_find(library, door, #entry, \
							name, version, twin); \
	if (!api->entry && strcmp(#entry, NEW_ENTRY)) { \
		fprintf(stderr, "no %s\n", #entry); \
		complete = false; \
	}
	API_LIST
#undef API
	api->sim_own = (__typeof__(api->sim_own))dlsym(library, "sim_own");
	api->sim_own_device =
		(__typeof__(api->sim_own))dlsym(library, "sim_own_device");
	api->sim_disown =
		(__typeof__(api->sim_disown))dlsym(library, "sim_disown");
	api->sim_violations = (__typeof__(api->sim_violations))dlsym(
		library, "sim_violations");
	return complete;
}
