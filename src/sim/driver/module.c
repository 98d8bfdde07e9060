#include "module.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "code.h"
#include "context.h"
#include "entries.h"
#include "image.h"
#include "jit.h"
#include "kernel.h"
#include "old_launch.h"
#include "symbols.h"
#include "variable.h"
#include "world.h"

enum { FILE_STEP = 1 << 16 };

static struct module *spare_modules;
static struct function *spare_functions;
static struct module *libraries;

static CUresult module_open(struct context *ctx, struct module **list,
			    struct module **out)
{
	struct module *module = spare_modules;

	if (module)
		spare_modules = module->next;
	else
		module = malloc(sizeof(*module));
	if (!module)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*module = (struct module){
		.magic = MODULE_MAGIC, .ctx = ctx, .next = *list};
	if (*list)
		(*list)->prev = module;
	*list = module;
	*out = module;
	return CUDA_SUCCESS;
}

static void module_close(struct module *module)
{
	struct module **list = module->ctx ? &module->ctx->modules : &libraries;

	variables_close(module);
	symbols_free(&module->symbols);
	while (module->functions) {
		struct function *function = module->functions;

		module->functions = function->next;
		function->magic = 0;
		old_launch_close(function);
		function->next = spare_functions;
		spare_functions = function;
	}
	if (module->prev)
		module->prev->next = module->next;
	else
		*list = module->next;
	if (module->next)
		module->next->prev = module->prev;
	image_leave(module->image);
	module->magic = 0;
	module->next = spare_modules;
	spare_modules = module;
}

void module_close_all(struct context *ctx)
{
	while (ctx->modules)
		module_close(ctx->modules);
}

CUresult module_find(void *handle, struct module **out)
{
	struct module *module = handle;

	if (!module || module->magic != MODULE_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = module;
	return CUDA_SUCCESS;
}

CUresult library_find(CUlibrary handle, struct module **out)
{
	CUresult res = module_find(handle, out);

	return !res && (*out)->ctx ? CUDA_ERROR_INVALID_HANDLE : res;
}

CUresult function_find(void *handle, struct function **out)
{
	struct function *function = handle;

	if (!function || function->magic != FUNCTION_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = function;
	return CUDA_SUCCESS;
}

CUresult module_function(struct module *module, const char *name,
			 struct function **out)
{
	const struct sim_kernel *kernel = kernel_find(name);
	const struct code *code = NULL;
	struct function *function;
	CUresult res;

	if (!kernel) {
		res = code_find(module->image, name, &code);
		if (res)
			return res;
		kernel = &code->row;
	}
	for (function = module->functions; function; function = function->next)
		if (function->kernel == kernel)
			break;
	if (!function) {
		function = spare_functions;
		if (function)
			spare_functions = function->next;
		else
			function = malloc(sizeof(*function));
		if (!function)
			return CUDA_ERROR_OUT_OF_MEMORY;
		*function = (struct function){.magic = FUNCTION_MAGIC,
					      .kernel = kernel,
					      .code = code,
					      .module = module,
					      .next = module->functions,
					      .carveout = -1};
		module->functions = function;
	}
	*out = function;
	return CUDA_SUCCESS;
}

static CUresult module_read(const void *image, struct module *module)
{
	module->image = image_find(image);
	if (module->image)
		return CUDA_SUCCESS;
	module_close(module);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Waits for the work of the context, as NVIDIA's driver does. */
static CUresult load(CUmodule *out, const void *image)
{
	struct context *ctx;
	struct module *module;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!out || !image)
		return CUDA_ERROR_INVALID_VALUE;
	context_wait(ctx);
	if (!ctx->alive)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	res = module_open(ctx, &ctx->modules, &module);
	if (!res)
		res = module_read(image, module);
	if (!res)
		*out = (CUmodule)module;
	return res;
}

CUresult sim_cuModuleLoadData(CUmodule *out, const void *image)
{
	return load(out, image);
}

CUresult sim_cuModuleLoadDataEx(CUmodule *out, const void *image,
				unsigned count, CUjit_option *options,
				void **values)
{
	struct jit_options jit = {count, options, values};
	CUresult res = jit_options_check(jit);

	if (!res)
		res = load(out, image);
	if (!res)
		jit_options_answer(jit, NULL);
	return res;
}

CUresult sim_cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
	return load(out, image);
}

CUresult module_file_read(const char *path, char **contents, size_t *bytes)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t room = 0, size = 0;
	char *more;

	*contents = NULL;
	if (!file)
		return path ? CUDA_ERROR_FILE_NOT_FOUND
			    : CUDA_ERROR_INVALID_VALUE;
	do {
		room += FILE_STEP;
		more = realloc(*contents, room + 1);
		if (!more)
			break;
		*contents = more;
		size += fread(more + size, 1, room - size, file);
		more[size] = '\0';
	} while (size == room);
	fclose(file);
	*bytes = size;
	return more ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuModuleLoad(CUmodule *out, const char *path)
{
	char *image;
	size_t size;
	CUresult res = module_file_read(path, &image, &size);

	if (!res)
		res = load(out, image);
	free(image);
	return res;
}

static CUresult unload(void *handle)
{
	struct module *module;
	CUresult res = capture_permit();

	if (!res)
		res = module_find(handle, &module);
	if (res)
		return res;
	variables_wait(module);
	res = module_find(handle, &module); /* another thread may unload it */
	if (!res)
		module_close(module);
	return res;
}

/* A library's module has the library's handle, and ends with it. */
CUresult sim_cuModuleUnload(CUmodule handle)
{
	struct module *module;
	CUresult res = module_find(handle, &module);

	if (!res && !module->ctx)
		res = CUDA_ERROR_NOT_PERMITTED;
	return res ? res : unload(handle);
}

static CUresult library_load(CUlibrary *out, const void *image)
{
	struct module *module;
	CUresult res;

	if (!out || !image)
		return CUDA_ERROR_INVALID_VALUE;
	res = module_open(NULL, &libraries, &module);
	if (!res)
		res = module_read(image, module);
	if (!res)
		*out = (CUlibrary)module;
	return res;
}

CUresult sim_cuLibraryLoadData(CUlibrary *out, const void *image,
			       CUjit_option *jit, void **jit_values,
			       unsigned jit_count, CUlibraryOption *options,
			       void **values, unsigned count)
{
	struct jit_options own = {jit_count, jit, jit_values};
	CUresult res = count && (!options || !values) ? CUDA_ERROR_INVALID_VALUE
						      : jit_options_check(own);

	if (!res)
		res = library_load(out, image);
	if (!res)
		jit_options_answer(own, NULL);
	return res;
}

CUresult sim_cuLibraryLoadFromFile(CUlibrary *out, const char *path,
				   CUjit_option *jit, void **jit_values,
				   unsigned jit_count, CUlibraryOption *options,
				   void **values, unsigned count)
{
	char *image;
	size_t size;
	CUresult res = module_file_read(path, &image, &size);

	if (!res)
		res = sim_cuLibraryLoadData(out, image, jit, jit_values,
					    jit_count, options, values, count);
	free(image);
	return res;
}

CUresult sim_cuLibraryUnload(CUlibrary handle)
{
	struct module *module;
	CUresult res = library_find(handle, &module);

	return res ? res : unload(handle);
}
