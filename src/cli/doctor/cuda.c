/* How a file brings CUDA. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "elf.h"

/* A name in every runtime's table of error names, and the library that every
 * runtime opens. Both are in the constant data of a program or library that has
 * the runtime inside, even when stripped. This was seen with nvcc 13.0, with
 * cuBLAS, cuSPARSE and NCCL for CUDA 13, and with the simulated runtime. */
static const char runtime_mark[] = "cudaErrorCudartUnloading";
static const char driver_mark[] = "libcuda.so.1";

static bool has_runtime(const char *path)
{
	const char *why;
	struct elf elf;
	bool has;

	if (!elf_open(&elf, path, &why))
		return false;
	has = elf_find(&elf, runtime_mark, sizeof(runtime_mark)) &&
	      elf_find(&elf, driver_mark, sizeof(driver_mark));
	elf_close(&elf);
	return has;
}

bool cuda_check(struct report *report, const char *path)
{
	static const char shared[] = "libcudart.so.", driver[] = "libcuda.so";
	const char *file = strrchr(path, '/');

	file = file ? file + 1 : path;
	if (!strncmp(file, "libmnm.so", strlen("libmnm.so")))
		return false;
	if (!strncmp(file, shared, strlen(shared)))
		report_add(report, LEVEL_OK, "cuda", NULL,
			   "%s: the shared runtime of CUDA %d, in mnm's reach",
			   path, atoi(file + strlen(shared)));
	else if (!strncmp(file, driver, strlen(driver)))
		report_add(report, LEVEL_OK, "cuda", NULL,
			   "%s: the driver, by name; in mnm's reach", path);
	else if (has_runtime(path))
		report_add(report, LEVEL_OK, "cuda", NULL,
			   "%s: a static runtime inside, in mnm's reach", path);
	else
		return false;
	return true;
}
