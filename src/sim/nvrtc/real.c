#include "real.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char library[] = "libnvrtc.so.13";

static struct nvrtc_real real;
static bool found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define ENTRY_ROW(name, params, args) {"nvrtc" #name, (void **)&real.name},
static const struct {
	const char *name;
	void **slot;
} rows[] = {NVRTC_PASSED(ENTRY_ROW) NVRTC_OWN(ENTRY_ROW){
	"nvrtcGetErrorString", (void **)&real.GetErrorString}};
#undef ENTRY_ROW

/* Opens a library that is not this one. */
static void *file_open(const char *path)
{
	char own[PATH_MAX], other[PATH_MAX];
	Dl_info info;

	if (!realpath(path, other) || !dladdr((const void *)file_open, &info) ||
	    !realpath(info.dli_fname, own) || !strcmp(own, other))
		return NULL;
	return dlopen(other, RTLD_NOW | RTLD_LOCAL);
}

static void *folder_open(const char *folder, size_t length, const char *below)
{
	char path[PATH_MAX];

	return length && snprintf(path, sizeof(path), "%.*s/%s%s", (int)length,
				  folder, below, library) < PATH_MAX
		       ? file_open(path)
		       : NULL;
}

/* build/cuda beside build/sim, where this library is. */
static void *beside_open(void)
{
	char path[PATH_MAX];
	Dl_info info;
	char *slash;

	if (!dladdr((const void *)beside_open, &info) ||
	    !realpath(info.dli_fname, path) || !(slash = strrchr(path, '/')))
		return NULL;
	*slash = '\0';
	return folder_open(path, (size_t)(slash - path), "../cuda/lib64/");
}

static void *list_open(const char *list)
{
	void *opened = NULL;

	while (list && *list && !opened) {
		const char *end = strchrnul(list, ':');

		opened = folder_open(list, (size_t)(end - list), "");
		list = *end ? end + 1 : end;
	}
	return opened;
}

static void *home_open(const char *home)
{
	return home ? folder_open(home, strlen(home), "lib64/") : NULL;
}

/* Packages of Python have it in a folder of their own. */
static int package_open(struct dl_phdr_info *object, size_t size, void *opened)
{
	static const char mark[] = "/site-packages/";
	static const char *const below[] = {"nvidia/cu13/lib/",
					    "nvidia/cuda_nvrtc/lib/"};
	const char *at = strstr(object->dlpi_name, mark);
	void **out = opened;

	(void)size;
	for (int i = 0; at && i < 2 && !*out; i++)
		*out = folder_open(object->dlpi_name,
				   (size_t)(at - object->dlpi_name) +
					   strlen(mark) - 1,
				   below[i]);
	return *out != NULL;
}

static void *real_open(void)
{
	void *opened = home_open(getenv("CUDA_HOME"));

	if (!opened)
		opened = home_open(getenv("CUDA_PATH"));
	if (!opened)
		opened = beside_open();
	if (!opened)
		opened = list_open(getenv("LD_LIBRARY_PATH"));
	if (!opened)
		dl_iterate_phdr(package_open, &opened);
	return opened ? opened : home_open("/usr/local/cuda");
}

static void real_load(void)
{
	void *opened = real_open();

	found = opened;
	for (size_t i = 0; opened && i < sizeof(rows) / sizeof(rows[0]); i++) {
		*rows[i].slot = dlsym(opened, rows[i].name);
		found &= *rows[i].slot != NULL;
	}
	if (!found)
		fprintf(stderr,
			"mnm-sim: no %s in CUDA_HOME, CUDA_PATH, build/cuda, "
			"LD_LIBRARY_PATH or /usr/local/cuda: nothing is "
			"compiled\n",
			library);
}

const struct nvrtc_real *nvrtc_real(void)
{
	pthread_once(&once, real_load);
	return found ? &real : NULL;
}
