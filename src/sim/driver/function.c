/* Functions of modules and libraries, and queries about them. */
#include <string.h>

#include "code.h"
#include "context.h"
#include "entries.h"
#include "image.h"
#include "kernel.h"
#include "launch.h"
#include "module.h"
#include "world.h"

CUresult sim_cuModuleGetFunction(CUfunction *out, CUmodule handle,
				 const char *name)
{
	struct function *function;
	struct module *module;
	CUresult res = module_find(handle, &module);

	if (!res && (!out || !name))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = module_function(module, name, &function);
	if (!res)
		*out = (CUfunction)function;
	return res;
}

CUresult sim_cuLibraryGetKernel(CUkernel *out, CUlibrary handle,
				const char *name)
{
	struct module *module;
	CUresult res = library_find(handle, &module);

	return res ? res
		   : sim_cuModuleGetFunction((CUfunction *)out,
					     (CUmodule)handle, name);
}

CUresult sim_cuKernelGetFunction(CUfunction *out, CUkernel kernel)
{
	struct function *function;
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (!res)
		res = function_find(kernel, &function);
	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUfunction)function;
	return CUDA_SUCCESS;
}

CUresult sim_cuLibraryGetModule(CUmodule *out, CUlibrary library)
{
	struct module *module;
	struct context *ctx;
	CUresult res = library_find(library, &module);

	if (!res)
		res = context_current(&ctx);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUmodule)module;
	return CUDA_SUCCESS;
}

size_t function_shared(const struct function *function)
{
	return function->shared_limit ? (size_t)function->shared_limit +
						code_shared(function->code)
				      : 49152;
}

/* An estimate, but no more than the program has allowed. */
static int registers_of(const struct code *code)
{
	unsigned most = code->image->max_registers;
	unsigned registers = code->kernel ? code->kernel->registers : 0;

	return (int)(most && registers > most ? most : registers);
}

/* What only the program's own code tells. */
static int code_attribute(const struct code *code, CUfunction_attribute what)
{
	switch (what) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		return (int)code_threads(code);
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		return (int)code_shared(code);
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		return code->kernel ? (int)code->kernel->local_bytes : 0;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
		return code->kernel ? (int)code->kernel->constant_bytes : 0;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		return registers_of(code);
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
		return code->ptx ? (int)ptx_module_version(code->ptx).target
				 : 0;
	default:
		return 0;
	}
}

static CUresult attribute_get(int *value, CUfunction_attribute what,
			      void *handle)
{
	struct function *function;
	CUresult res = function_find(handle, &function);
	int arch = (int)(world.profile.compute_major * 10 +
			 world.profile.compute_minor);

	if (res)
		return res;
	if (!value || what < 0 || what >= CU_FUNC_ATTRIBUTE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*value = function->code ? code_attribute(function->code, what) : 0;
	if (*value)
		return CUDA_SUCCESS;
	if (what == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
		*value = 1024;
	else if (what == CU_FUNC_ATTRIBUTE_NUM_REGS)
		*value = 32;
	else if (what == CU_FUNC_ATTRIBUTE_PTX_VERSION ||
		 what == CU_FUNC_ATTRIBUTE_BINARY_VERSION)
		*value = arch;
	else if (what == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		*value = (int)(function_shared(function) -
			       code_shared(function->code));
	else if (what == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
		*value = function->carveout;
	else if (what == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
		*value = function->clusters_larger;
	else if (what == CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
		*value = function->clusters_policy;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncGetAttribute(int *value, CUfunction_attribute what,
				CUfunction function)
{
	return attribute_get(value, what, function);
}

CUresult sim_cuKernelGetAttribute(int *value, CUfunction_attribute what,
				  CUkernel kernel, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	return res ? res : attribute_get(value, what, kernel);
}

static CUresult attribute_set(void *handle, CUfunction_attribute what,
			      int value)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	if (what == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
		if (value < 0 || (uint64_t)value + code_shared(function->code) >
					 world.profile.shared_bytes)
			return CUDA_ERROR_INVALID_VALUE;
		function->shared_limit = value;
		return CUDA_SUCCESS;
	}
	if (what == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		function->carveout = value;
		return CUDA_SUCCESS;
	}
	if (what == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
		function->clusters_larger = value;
		return CUDA_SUCCESS;
	}
	if (what == CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE &&
	    value >= 0 &&
	    value <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING) {
		function->clusters_policy = value;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuFuncSetAttribute(CUfunction function, CUfunction_attribute what,
				int value)
{
	return attribute_set(function, what, value);
}

CUresult sim_cuKernelSetAttribute(CUfunction_attribute what, int value,
				  CUkernel kernel, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	return res ? res : attribute_set(kernel, what, value);
}

static CUresult cache_set(void *handle, CUfunc_cache config)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	return config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS
						    : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
	return cache_set(function, config);
}

CUresult sim_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config,
				    CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	return res ? res : cache_set(kernel, config);
}

static CUresult name_get(const char **name, void *handle)
{
	struct function *function;
	CUresult res = name && handle ? function_find(handle, &function)
				      : CUDA_ERROR_INVALID_VALUE;

	if (res)
		return res;
	*name = function->kernel->name;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncGetName(const char **name, CUfunction function)
{
	return name_get(name, function);
}

CUresult sim_cuKernelGetName(const char **name, CUkernel kernel)
{
	return name_get(name, kernel);
}

CUresult sim_cuFuncGetModule(CUmodule *out, CUfunction handle)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUmodule)function->module;
	return CUDA_SUCCESS;
}

/* Where the driver would put a parameter in a buffer of them. */
static CUresult param_get(void *handle, size_t index, size_t *offset,
			  size_t *size)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	if (!offset || index >= function->kernel->arg_count)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = launch_arg_place(function->kernel, function->code, index);
	if (size)
		*size = function->kernel->arg_sizes[index];
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncGetParamInfo(CUfunction function, size_t index,
				size_t *offset, size_t *size)
{
	return param_get(function, index, offset, size);
}

CUresult sim_cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
				  size_t *size)
{
	return param_get(kernel, index, offset, size);
}

CUresult sim_cuKernelGetLibrary(CUlibrary *out, CUkernel kernel)
{
	struct function *function;
	CUresult res = function_find(kernel, &function);

	if (!res && function->module->ctx) /* a function, and no kernel */
		res = CUDA_ERROR_INVALID_HANDLE;
	return res ? res
		   : sim_cuFuncGetModule((CUmodule *)out, (CUfunction)kernel);
}

CUresult sim_cuFuncLoad(CUfunction handle)
{
	struct function *function;

	return function_find(handle, &function);
}

CUresult sim_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	if (!state)
		return CUDA_ERROR_INVALID_VALUE;
	*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return CUDA_SUCCESS;
}

CUresult sim_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_LAZY_LOADING;
	return CUDA_SUCCESS;
}

/* The banks are of a fixed size since compute capability 5.0. */
CUresult sim_cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (!res && config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
		res = CUDA_ERROR_INVALID_VALUE;
	return res;
}
