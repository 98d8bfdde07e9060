/* Asks cuGetProcAddress for entries as cudart does, and allocates through the
 * ones it gets. Usage: door 1|2 REQUESTS.csv   the version of cuGetProcAddress
 * Prints each answer on a line, then the results of the calls. */
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entries {
	PFN_cuInit_v2000 init;
	PFN_cuDevicePrimaryCtxRetain_v7000 retain;
	PFN_cuCtxSetCurrent_v4000 set;
	PFN_cuMemAlloc_v3020 alloc;
	PFN_cuMemFree_v3020 free;
};

static PFN_cuGetProcAddress_v11030 door_v1;
static PFN_cuGetProcAddress_v12000 door_v2;

static CUresult ask(const char *name, void **out, int version,
		    unsigned long long flags)
{
	return door_v2 ? door_v2(name, out, version, flags, NULL)
		       : door_v1(name, out, version, flags);
}

static void keep(struct entries *entries, const char *name, void *found)
{
	if (!strcmp(name, "cuInit"))
		entries->init = (PFN_cuInit_v2000)found;
	if (!strcmp(name, "cuDevicePrimaryCtxRetain"))
		entries->retain = (PFN_cuDevicePrimaryCtxRetain_v7000)found;
	if (!strcmp(name, "cuCtxSetCurrent"))
		entries->set = (PFN_cuCtxSetCurrent_v4000)found;
	if (!strcmp(name, "cuMemAlloc"))
		entries->alloc = (PFN_cuMemAlloc_v3020)found;
	if (!strcmp(name, "cuMemFree"))
		entries->free = (PFN_cuMemFree_v3020)found;
}

/* cudart goes on with the cuGetProcAddress that it gets for the version it
 * uses. */
static void door_switch(const char *name, int version, void *found)
{
	if (strcmp(name, "cuGetProcAddress") || !found)
		return;
	if (door_v2 && version == 12000)
		door_v2 = (PFN_cuGetProcAddress_v12000)found;
	if (door_v1 && version == 11030)
		door_v1 = (PFN_cuGetProcAddress_v11030)found;
}

static void request(struct entries *entries, char *line)
{
	char *rest, *name = line;
	unsigned long long flags;
	void *found = entries;
	CUresult result;
	int version;

	rest = strchr(line, ',');
	*rest++ = '\0';
	version = (int)strtol(rest, &rest, 10);
	flags = strtoull(rest + 1, NULL, 10);
	result = ask(name, &found, version, flags);
	printf("%s %d %llu: %d %s\n", name, version, flags, (int)result,
	       found == entries ? "kept"
	       : found          ? "set"
				: "null");
	if (result || found == entries)
		return;
	door_switch(name, version, found);
	if (!flags)
		keep(entries, name, found);
}

static int requests_read(struct entries *entries, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];

	if (!file)
		return 1;
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#' && strchr(line, ','))
			request(entries, line);
	fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	struct entries entries = {NULL, NULL, NULL, NULL, NULL};
	CUdeviceptr first = 0, second = 0;
	CUcontext context;

	if (!library || argc < 3)
		return 1;
	if (argv[1][0] == '1')
		door_v1 = (PFN_cuGetProcAddress_v11030)dlsym(
			library, "cuGetProcAddress");
	else
		door_v2 = (PFN_cuGetProcAddress_v12000)dlsym(
			library, "cuGetProcAddress_v2");
	if ((!door_v1 && !door_v2) || requests_read(&entries, argv[2]) ||
	    !entries.init)
		return 1;
	printf("init %d\n", entries.init(0));
	printf("retain %d\n", entries.retain(&context, 0));
	printf("set %d\n", entries.set(context));
	printf("alloc %d\n", entries.alloc(&first, 5000));
	printf("free %d\n", entries.free(first));
	printf("alloc %d\n", entries.alloc(&second, 6000));
	printf("free %d\n", entries.free(second));
	return 0;
}
