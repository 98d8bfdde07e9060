#include "variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "entries.h"
#include "kernel.h"
#include "memory.h"
#include "module.h"
#include "symbols.h"
#include "window.h"
#include "world.h"

/* A symbol's memory in a context. */
struct variable {
	struct variable *next;
	const struct symbol *symbol;
	struct module *module;
	struct context *ctx;
	struct block *block;
};

void variable_forget(struct variable *variable)
{
	struct variable **at = &variable->module->variables;

	while (*at != variable)
		at = &(*at)->next;
	*at = variable->next;
	variable->block->variable = NULL;
	free(variable);
}

void variables_close(struct module *module)
{
	while (module->variables)
		device_free(module->variables->block); /* and forgets it */
}

void variables_wait(struct module *module)
{
	if (!module->variables)
		return;
	for (int i = 0; i < world.device_count; i++)
		device_wait(&world.devices[i]);
}

static CUresult variable_open(struct module *module,
			      const struct symbol *symbol, struct context *ctx,
			      struct block **out)
{
	enum block_kind kind = symbol->managed ? BLOCK_MANAGED : BLOCK_GLOBAL;
	struct variable *variable = calloc(1, sizeof(*variable));
	struct block *block;
	CUresult res;

	if (!variable)
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = memory_alloc(ctx, ctx->dev, symbol->size, kind, &block);
	if (res) {
		free(variable);
		return res;
	}
	*variable = (struct variable){.next = module->variables,
				      .symbol = symbol,
				      .module = module,
				      .ctx = ctx,
				      .block = block};
	module->variables = variable;
	block->touched = true;
	block->variable = variable;
	if (symbol->data)
		memcpy((void *)block->addr, symbol->data, symbol->size);
	else
		memset((void *)block->addr, 0, symbol->size);
	*out = block;
	return CUDA_SUCCESS;
}

/* Memory of the kernels' own object, which there is once in a process. */
static CUresult lent_find(void *host, size_t size, struct context *ctx,
			  struct block **out)
{
	struct window *window;
	CUresult res;

	*out = outside_find((CUdeviceptr)host);
	if (*out)
		return CUDA_SUCCESS;
	res = window_lend(ctx, ctx->dev, host, size, &window);
	if (!res)
		*out = &window->block;
	return res;
}

/* A variable that the host's kernels use is theirs. Any other is known by the
 * image or by the runtime, and only copies and fills reach it. */
static CUresult block_find(struct module *module, const char *name,
			   struct block **out)
{
	const struct symbol *symbol = symbol_find(module->symbols, name);
	struct context *ctx = module->ctx;
	size_t size;
	void *host = kernel_variable(name, &size);
	CUresult res = ctx ? CUDA_SUCCESS : context_current(&ctx);

	if (res)
		return res;
	if (ctx->green_of)
		ctx = ctx->green_of;
	if (host && (!symbol || symbol->size == size))
		return lent_find(host, size, ctx, out);
	if (!symbol)
		return CUDA_ERROR_NOT_FOUND;
	for (struct variable *v = module->variables; v; v = v->next) {
		if (v->symbol == symbol && v->ctx == ctx) {
			*out = v->block;
			return CUDA_SUCCESS;
		}
	}
	return variable_open(module, symbol, ctx, out);
}

static CUresult global_get(CUdeviceptr *addr, size_t *bytes, void *handle,
			   const char *name)
{
	struct module *module;
	struct block *block;
	CUresult res = module_find(handle, &module);

	if (!res && (!name || (!addr && !bytes)))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = block_find(module, name, &block);
	if (res)
		return res;
	if (addr)
		*addr = block->addr;
	if (bytes)
		*bytes = block->size;
	return CUDA_SUCCESS;
}

CUresult sim_cuModuleGetGlobal_v2(CUdeviceptr *addr, size_t *bytes,
				  CUmodule module, const char *name)
{
	return global_get(addr, bytes, module, name);
}

CUresult sim_cuLibraryGetGlobal(CUdeviceptr *addr, size_t *bytes,
				CUlibrary library, const char *name)
{
	return global_get(addr, bytes, library, name);
}

CUresult sim_cuLibraryGetManaged(CUdeviceptr *addr, size_t *bytes,
				 CUlibrary library, const char *name)
{
	struct module *module;
	const struct symbol *symbol;
	CUresult res = module_find(library, &module);

	if (res)
		return res;
	symbol = name ? symbol_find(module->symbols, name) : NULL;
	if (symbol && !symbol->managed)
		return CUDA_ERROR_NOT_FOUND;
	return global_get(addr, bytes, library, name);
}

__attribute__((visibility("default"))) void sim_variable(CUlibrary library,
							 const char *name,
							 size_t size,
							 int managed)
{
	struct symbol *symbol = NULL;
	struct module *module;

	pthread_mutex_lock(&world.lock);
	if (!module_find(library, &module) &&
	    !symbol_find(module->symbols, name))
		symbol = symbol_add(&module->symbols, name, size);
	if (symbol) {
		symbol->managed = managed;
		kernel_variable_check(name, size);
	}
	pthread_mutex_unlock(&world.lock);
}
