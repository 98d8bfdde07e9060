/* Shared by programs that use memory by its value and through textures. */
#ifndef TESTS_PROGRAMS_VALUES_H
#define TESTS_PROGRAMS_VALUES_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check(CUresult res)
{
	if (!res)
		return;
	fprintf(stderr, "CUDA error %d\n", res);
	exit(1);
}

/* A texture object of bytes. */
static inline CUtexObject texture_of(CUdeviceptr memory, size_t bytes)
{
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
	CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER};
	CUtexObject texture;

	resource.res.linear.devPtr = memory;
	resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
	resource.res.linear.numChannels = 1;
	resource.res.linear.sizeInBytes = bytes;
	check(cuTexObjectCreate(&texture, &resource, &how, NULL));
	return texture;
}

/* A kernel that copies what a texture shows. Waits for all work. */
static inline CUfunction show_find(void)
{
	CUfunction function;
	CUmodule module;

	check(cuModuleLoadData(&module, "any"));
	check(cuModuleGetFunction(&function, module, "show"));
	return function;
}

static inline void show(CUfunction function, CUdeviceptr out,
			CUtexObject texture, unsigned count, CUstream stream)
{
	void *args[] = {&out, &texture, &count};

	check(cuLaunchKernel(function, (count + 127) / 128, 1, 1, 128, 1, 1, 0,
			     stream, args, NULL));
}

#endif
