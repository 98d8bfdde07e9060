/* own_modules CALL FILE: loads device code of a file by that call, and prints
 * what its kernel `plus` and its variable `base` make of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#include <fatbinary_section.h>

#define TRY(call) try_call(call, #call)

enum { COUNT = 64 };

static void try_call(CUresult res, const char *call)
{
	const char *name = NULL;

	if (!res)
		return;
	cuGetErrorName(res, &name);
	printf("%s: %s\n", call, name);
	exit(1);
}

static void *contents(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *all = calloc(1, 1 << 20);

	if (!file || !all || fread(all, 1, (1 << 20) - 1, file) == 0)
		exit(2);
	fclose(file);
	return all;
}

struct code {
	CUfunction plus;
	CUdeviceptr base;
};

static struct code of_module(CUmodule module)
{
	struct code code;
	size_t size;

	TRY(cuModuleGetFunction(&code.plus, module, "plus"));
	TRY(cuModuleGetGlobal(&code.base, &size, module, "base"));
	printf("%zu bytes, ", size);
	return code;
}

static struct code of_library(CUlibrary library)
{
	struct code code;
	CUkernel kernel;
	size_t size;

	TRY(cuLibraryGetKernel(&kernel, library, "plus"));
	TRY(cuKernelGetFunction(&code.plus, kernel));
	TRY(cuLibraryGetGlobal(&code.base, &size, library, "base"));
	printf("%zu bytes, ", size);
	return code;
}

static struct code load(const char *call, const char *path)
{
	__fatBinC_Wrapper_t wrapper = {FATBINC_MAGIC, FATBINC_VERSION, NULL,
				       NULL};
	CUlibrary library;
	CUmodule module;
	void *image = contents(path);

	wrapper.data = image;
	if (!strcmp(call, "file")) {
		TRY(cuModuleLoad(&module, path));
	} else if (!strcmp(call, "data")) {
		TRY(cuModuleLoadData(&module, image));
	} else if (!strcmp(call, "wrapper")) {
		TRY(cuModuleLoadFatBinary(&module, &wrapper));
	} else if (!strcmp(call, "library")) {
		TRY(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL,
				      NULL, 0));
		memset(image, 0, 1 << 20); /* the driver has a copy */
		free(image);
		return of_library(library);
	} else {
		TRY(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL,
					  NULL, 0));
		free(image);
		return of_library(library);
	}
	memset(image, 0, 1 << 20);
	free(image);
	return of_module(module);
}

int main(int argc, char **argv)
{
	struct {
		CUdeviceptr to;
		char more;
		long long number;
	} args = {0, 5, 7000000000};
	size_t size = sizeof(args), offset, bytes;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &args,
			 CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			 CU_LAUNCH_PARAM_END};
	long long values[COUNT];
	struct code code;
	CUcontext ctx;
	int base;

	if (argc != 3)
		return 2;
	TRY(cuInit(0));
	TRY(cuDevicePrimaryCtxRetain(&ctx, 0));
	TRY(cuCtxSetCurrent(ctx));
	code = load(argv[1], argv[2]);
	TRY(cuMemAlloc(&args.to, sizeof(values)));
	TRY(cuFuncGetParamInfo(code.plus, 2, &offset, &bytes));
	printf("%zu at %zu, ", bytes, offset);
	TRY(cuMemcpyDtoH(&base, code.base, sizeof(base)));
	printf("base %d, ", base);
	TRY(cuLaunchKernel(code.plus, 1, 1, 1, COUNT, 1, 1, 0, NULL, NULL,
			   extra));
	TRY(cuMemcpyDtoH(values, args.to, sizeof(values)));
	printf("%lld %lld\n", values[0], values[COUNT - 1]);
	return 0;
}
