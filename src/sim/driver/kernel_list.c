/* Lists of the kernels that a module or a library has: those in its PTX that
 * can run here, or else all host functions. */
#include "code.h"
#include "entries.h"
#include "kernel.h"
#include "module.h"

static bool can_run(const char *name)
{
	return kernel_find(name) ||
	       kernel_mode(KERNELS_INTERPRET | KERNELS_STANDIN);
}

/* Makes the functions of all kernels, which then are the list. */
static CUresult list_make(struct module *module)
{
	const struct sim_kernel *host;
	struct function *function;
	CUresult res = CUDA_SUCCESS;
	const char *name;
	bool named = false;

	for (size_t i = 0; (name = code_name(module->image, i)); i++) {
		named = true;
		if (can_run(name))
			res = module_function(module, name, &function);
		if (res && res != CUDA_ERROR_NOT_FOUND)
			return res;
	}
	for (size_t i = 0; !named && (host = kernel_at(i)); i++) {
		res = module_function(module, host->name, &function);
		if (res)
			return res;
	}
	module->listed = true;
	return CUDA_SUCCESS;
}

static CUresult list_count(unsigned *count, struct module *module)
{
	CUresult res = module->listed ? CUDA_SUCCESS : list_make(module);

	if (!res && !count)
		res = CUDA_ERROR_INVALID_VALUE;
	if (res)
		return res;
	*count = 0;
	for (struct function *f = module->functions; f; f = f->next)
		++*count;
	return CUDA_SUCCESS;
}

static CUresult list_read(void **out, unsigned room, struct module *module)
{
	struct function *function;
	CUresult res = module->listed ? CUDA_SUCCESS : list_make(module);

	if (!res && (!out || !room))
		res = CUDA_ERROR_INVALID_VALUE;
	if (res)
		return res;
	function = module->functions;
	for (unsigned i = 0; i < room && function; i++) {
		out[i] = function;
		function = function->next;
	}
	return CUDA_SUCCESS;
}

CUresult sim_cuModuleGetFunctionCount(unsigned *count, CUmodule handle)
{
	struct module *module;
	CUresult res = module_find(handle, &module);

	return res ? res : list_count(count, module);
}

CUresult sim_cuModuleEnumerateFunctions(CUfunction *out, unsigned room,
					CUmodule handle)
{
	struct module *module;
	CUresult res = module_find(handle, &module);

	return res ? res : list_read((void **)out, room, module);
}

CUresult sim_cuLibraryGetKernelCount(unsigned *count, CUlibrary handle)
{
	struct module *module;
	CUresult res = library_find(handle, &module);

	return res ? res : list_count(count, module);
}

CUresult sim_cuLibraryEnumerateKernels(CUkernel *out, unsigned room,
				       CUlibrary handle)
{
	struct module *module;
	CUresult res = library_find(handle, &module);

	return res ? res : list_read((void **)out, room, module);
}
