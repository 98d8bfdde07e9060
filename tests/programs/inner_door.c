/* Asks cuGetProcAddress for each NAME VERSION FLAGS that it is given, and
 * prints the file and the export that each answer belongs to. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int door(const char *name, void **out, int version,
		 unsigned long long flags, int *status);

static void print(void *found)
{
	Dl_info info = {0};

	if (!dladdr(found, &info)) {
		puts("nothing");
		return;
	}
	printf("%s %s\n", strrchr(info.dli_fname, '/') + 1,
	       info.dli_saddr == found ? info.dli_sname : "inner");
}

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	door *ask =
		driver ? (door *)dlsym(driver, "cuGetProcAddress_v2") : NULL;
	void *found;

	if (!ask)
		return 1;
	for (int i = 1; i + 2 < argc; i += 3) {
		found = NULL;
		if (ask(argv[i], &found, atoi(argv[i + 1]),
			strtoull(argv[i + 2], NULL, 0), NULL))
			return 1;
		print(found);
	}
	return 0;
}
