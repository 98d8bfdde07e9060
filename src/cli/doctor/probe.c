#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda.h>

#include "../ask.h"
#include "../cli.h"
#include "probe.h"

/* BLOCK and OTHER are in bytes. The runtime is asked for another size:
 * otherwise mnm would serve it what it kept from the driver's requests, and the
 * runtime would do nothing. */
enum { ROUNDS = 4, BLOCK = 1 << 20, OTHER = 3 << 20 };

/* The driver's entries, as asked for by name. */
struct driver {
	void *handle;
	CUresult (*alloc)(CUdeviceptr *ptr, size_t size);
	CUresult (*free)(CUdeviceptr ptr);
	CUresult (*alloc_ordered)(CUdeviceptr *ptr, size_t size, CUstream);
	CUresult (*free_ordered)(CUdeviceptr ptr, CUstream stream);
	CUresult (*init)(unsigned flags);
	CUresult (*version)(int *version);
	CUresult (*device)(CUdevice *device, int ordinal);
	CUresult (*retain)(CUcontext *context, CUdevice device);
	CUresult (*set)(CUcontext context);
	CUresult (*look_up)(const char *name, void **entry, int version,
			    cuuint64_t flags);
};

static void fact(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fact(const char *name, const char *format, ...)
{
	va_list args;

	printf("%s ", name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

static bool is_ours(void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "libmnm.so");
}

static int library_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (!strstr(info->dlpi_name, "libmnm.so"))
		return 0;
	fact("library", "%s", info->dlpi_name);
	return 1;
}

static void driver_facts(struct driver *driver)
{
	struct link_map *map;
	int version = 0;

	if (!dlinfo(driver->handle, RTLD_DI_LINKMAP, &map))
		fact("driver", "%s", map->l_name);
	if (dlsym(driver->handle, "sim_own"))
		fact("simulated", "1");
	if (driver->version && !driver->version(&version))
		fact("driver_version", "%d", version);
}

/* Opens the driver. Entries that it lacks become NULL. */
static bool driver_open(struct driver *driver)
{
	const struct {
		const char *symbol;
		void *field;
	} rows[] = {
		{"cuMemAlloc_v2", &driver->alloc},
		{"cuMemFree_v2", &driver->free},
		{"cuMemAllocAsync", &driver->alloc_ordered},
		{"cuMemFreeAsync", &driver->free_ordered},
		{"cuInit", &driver->init},
		{"cuDriverGetVersion", &driver->version},
		{"cuDeviceGet", &driver->device},
		{"cuDevicePrimaryCtxRetain", &driver->retain},
		{"cuCtxSetCurrent", &driver->set},
		{"cuGetProcAddress", &driver->look_up},
	};
	void *address;

	driver->handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!driver->handle) {
		fact("no_driver", "%s", dlerror());
		return false;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		address = dlsym(driver->handle, rows[i].symbol);
		memcpy(rows[i].field, &address, sizeof(address));
	}
	return true;
}

/* Tries the two ways by which programs and CUDA's runtimes get entries. What
 * cuGetProcAddress answers is used from then on: it is what a runtime would
 * call. */
static void entry_points_try(struct driver *driver)
{
	void *entry = NULL;

	fact("by_dlsym", "%d", is_ours((void *)driver->alloc));
	if (driver->look_up &&
	    !driver->look_up("cuMemAlloc", &entry, 3020, 0) && entry) {
		fact("by_table", "%d", is_ours(entry));
		memcpy(&driver->alloc, &entry, sizeof(entry));
	}
}

static CUresult context_open(const struct driver *driver)
{
	CUcontext context;
	CUdevice device;
	CUresult res;

	if (!driver->init || !driver->device || !driver->retain ||
	    !driver->set || !driver->alloc || !driver->free)
		return CUDA_ERROR_NOT_FOUND;
	res = driver->init(0);
	if (!res)
		res = driver->device(&device, 0);
	if (!res)
		res = driver->retain(&context, device);
	return res ? res : driver->set(context);
}

static void driver_requests(const struct driver *driver)
{
	CUresult res = CUDA_SUCCESS;
	CUdeviceptr ptr;
	int asked = 0;

	for (; asked < ROUNDS && !res; asked++) {
		res = driver->alloc(&ptr, BLOCK);
		if (!res)
			res = driver->free(ptr);
	}
	fact("asked", "%d", asked);
	if (res)
		fact("refused", "%d", res);
}

static void ordered_requests(const struct driver *driver)
{
	CUresult res = CUDA_SUCCESS;
	CUdeviceptr ptr;
	int asked = 0;

	if (!driver->alloc_ordered || !driver->free_ordered)
		return;
	for (; asked < ROUNDS && !res; asked++) {
		res = driver->alloc_ordered(&ptr, BLOCK, NULL);
		if (!res)
			res = driver->free_ordered(ptr, NULL);
	}
	fact("ordered_asked", "%d", asked);
	if (res)
		fact("ordered_error", "%d", res);
}

/* Opens the newest shared runtime that the loader finds here. */
static void *runtime_open(void)
{
	static const char *const names[] = {
		"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
	void *handle = NULL;

	for (size_t i = 0; !handle && i < 3; i++) {
		handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (handle)
			fact("runtime", "%s", names[i]);
	}
	return handle;
}

static void runtime_requests(void)
{
	int (*alloc)(void **ptr, size_t size), (*release)(void *ptr);
	void *handle = runtime_open(), *entry, *ptr;
	int error = 0, asked = 0;

	if (!handle)
		return;
	entry = dlsym(handle, "cudaMalloc");
	memcpy(&alloc, &entry, sizeof(entry));
	fact("by_runtime", "%d", is_ours(entry));
	entry = dlsym(handle, "cudaFree");
	memcpy(&release, &entry, sizeof(entry));
	for (; alloc && release && asked < ROUNDS && !error; asked++) {
		error = alloc(&ptr, OTHER);
		if (!error)
			error = release(ptr);
	}
	if (error)
		fact("runtime_error", "%d", error);
	fact("runtime_asked", "%d", asked - !!error);
}

/* Asks the control socket how many requests were served so far. Tells why it
 * does not answer, and returns -1 then. */
static json_int_t socket_ask(void)
{
	struct jobs jobs;
	json_t *stat, *device;
	json_int_t served = 0;
	size_t i;

	if (jobs_find_one(&jobs, getpid()))
		jobs_ask_stat(&jobs, true, ms_now() + COMMAND_MS);
	stat = jobs.count ? jobs.list[0].answer : NULL;
	json_array_foreach(json_object_get(stat, "devices"), i, device)
		served += json_integer_value(json_object_get(device, "allocs"));
	if (!stat) {
		served = -1;
		fact("no_socket", "%s",
		     jobs.count ? job_excuse(&jobs.list[0]) : "nobody listens");
	}
	jobs_close(&jobs);
	return served;
}

int probe_run(void)
{
	struct driver driver = {0};
	json_int_t served, later;
	CUresult res;

	dl_iterate_phdr(library_visit, NULL);
	if (!driver_open(&driver))
		return EXIT_DONE;
	driver_facts(&driver);
	entry_points_try(&driver);
	res = context_open(&driver);
	if (res) {
		fact("init_error", "%d", res);
		return EXIT_DONE;
	}
	driver_requests(&driver);
	runtime_requests();
	served = socket_ask();
	if (served >= 0) {
		fact("served", "%lld", (long long)served);
		ordered_requests(&driver);
		later = socket_ask();
		if (later >= 0)
			fact("ordered_served", "%lld",
			     (long long)(later - served));
	}
	fact("done", "1");
	return EXIT_DONE;
}
