#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include <driver_types.h>

struct entry {
	const char *name;
	int version, per_thread; /* as asked for; 0 if there is no such form */
	size_t offset;           /* of its pointer in struct driver */
};

struct driver driver_legacy, driver_per_thread;
PFN_cuGetProcAddress_v12000 driver_find;
void *driver_library;

bool driver_ready;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int opened; /* the result of opening */

#define ENTRY_ROW(name, version, per_thread) \
	{"cu" #name, version, per_thread, offsetof(struct driver, name)},
static const struct entry entries[] = {DRIVER_ENTRIES(ENTRY_ROW)};
#undef ENTRY_ROW

static void **entry_slot(struct driver *driver, const struct entry *entry)
{
	return (void **)(void *)((char *)driver + entry->offset);
}

/* Fills both tables. Fails at the first entry that the driver lacks. */
static int entries_load(void)
{
	size_t count = sizeof(entries) / sizeof(entries[0]);

	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		void **legacy = entry_slot(&driver_legacy, entry);
		void **own = entry_slot(&driver_per_thread, entry);

		if (driver_find(entry->name, legacy, entry->version,
				CU_GET_PROC_ADDRESS_DEFAULT, NULL) ||
		    !*legacy)
			return cudaErrorInsufficientDriver;
		*own = *legacy;
		if (!entry->per_thread)
			continue;
		if (driver_find(entry->name, own, entry->per_thread,
				CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
				NULL) ||
		    !*own)
			return cudaErrorInsufficientDriver;
	}
	return 0;
}

/* Makes the first requests, in the order of NVIDIA's runtime. The third one
 * asks for a form of cuGetProcAddress that nothing uses. */
static int door_open(PFN_cuInit_v2000 *init)
{
	void *unused = NULL;
	void *found = NULL;

	driver_library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!driver_library)
		return cudaErrorInsufficientDriver;
	*(void **)&driver_find = dlsym(driver_library, "cuGetProcAddress_v2");
	if (!driver_find)
		return cudaErrorInsufficientDriver;
	driver_find("", &unused, 0, CU_GET_PROC_ADDRESS_DEFAULT, NULL);
	driver_find("cuInit", &found, 2000, CU_GET_PROC_ADDRESS_DEFAULT, NULL);
	*(void **)init = found;
	driver_find("cuGetProcAddress", &unused, 11030,
		    CU_GET_PROC_ADDRESS_DEFAULT, NULL);
	found = NULL;
	driver_find("cuGetProcAddress", &found, 12000,
		    CU_GET_PROC_ADDRESS_DEFAULT, NULL);
	if (!found || !*init)
		return cudaErrorInsufficientDriver;
	*(void **)&driver_find = found;
	return 0;
}

static void driver_load(void)
{
	PFN_cuInit_v2000 init = NULL;
	int version = 0;

	opened = door_open(&init);
	if (!opened)
		opened = entries_load();
	if (!opened)
		opened = init(0);
	if (!opened)
		opened = driver_legacy.DriverGetVersion(&version);
	if (!opened && version < CUDA_VERSION)
		opened = cudaErrorInsufficientDriver;
	__atomic_store_n(&driver_ready, !opened, __ATOMIC_RELEASE);
}

int driver_start(void)
{
	pthread_once(&once, driver_load);
	return opened;
}
