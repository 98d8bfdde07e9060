#include "variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "context.h"
#include "entries.h"
#include "image.h"
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

static CUresult block_find(struct module *module, const char *name,
			   struct context *ctx, struct block **out);

/* Sets the addresses in the first contents of a variable. */
static CUresult addresses_set(struct module *module, const char *name,
			      struct context *ctx, const struct block *block)
{
	const struct ptx_module *ptx;
	const struct ptx_variable *from =
		code_variable(module->image, name, &ptx);
	size_t count = from ? from->address_count : 0;

	for (size_t i = 0; i < count; i++) {
		const struct ptx_address *at = &from->addresses[i];
		struct block *target;
		uint64_t value;
		CUresult res;

		if (at->variable) {
			res = block_find(module, at->variable->name, ctx,
					 &target);
			if (res)
				return res;
			value = target->addr + (uint64_t)at->addend;
		} else {
			value = ptx_function_address(ptx, at->function);
		}
		value >>= at->shift;
		memcpy((char *)block->addr + at->place, &value, at->bytes);
	}
	return CUDA_SUCCESS;
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
	return addresses_set(module, symbol->name, ctx, block);
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

/* An image is not read before that is needed. */
static bool symbols_complete(struct module *module)
{
	if (module->complete ||
	    (module->image->kind == IMAGE_FAT &&
	     !kernel_mode(KERNELS_INTERPRET | KERNELS_STANDIN)))
		return true;
	module->complete = true;
	return symbols_read(module->image, &module->symbols);
}

/* A variable that the host's kernels use is theirs. Any other is known by the
 * image or by the runtime, and the program's own code reaches it. */
static CUresult block_find(struct module *module, const char *name,
			   struct context *ctx, struct block **out)
{
	const struct symbol *symbol;
	size_t size;
	void *host = kernel_variable(name, &size);

	if (!host && !symbols_complete(module))
		return CUDA_ERROR_OUT_OF_MEMORY;
	symbol = symbol_find(module->symbols, name);
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

CUresult variable_span(struct module *module, const char *name,
		       struct context *ctx, struct span *span)
{
	struct block *block;
	CUresult res = block_find(module, name, ctx, &block);

	if (!res)
		*span = (struct span){block->addr, block->size};
	return res;
}

static CUresult global_get(CUdeviceptr *addr, size_t *bytes, void *handle,
			   const char *name)
{
	struct module *module;
	struct context *ctx;
	struct block *block;
	CUresult res = module_find(handle, &module);

	if (!res && (!name || (!addr && !bytes)))
		res = CUDA_ERROR_INVALID_VALUE;
	if (res)
		return res;
	ctx = module->ctx;
	if (!ctx)
		res = context_current(&ctx);
	if (!res)
		res = block_find(module, name, ctx, &block);
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
	struct module *module;
	CUresult res = library_find(library, &module);

	return res ? res : global_get(addr, bytes, library, name);
}

CUresult sim_cuLibraryGetManaged(CUdeviceptr *addr, size_t *bytes,
				 CUlibrary library, const char *name)
{
	struct module *module;
	const struct symbol *symbol;
	CUresult res = library_find(library, &module);

	if (res)
		return res;
	if (!symbols_complete(module))
		return CUDA_ERROR_OUT_OF_MEMORY;
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
	size_t found;

	pthread_mutex_lock(&world.lock);
	if (!module_find(library, &module) &&
	    (kernel_variable(name, &found) || symbols_complete(module)) &&
	    !symbol_find(module->symbols, name))
		symbol = symbol_add(&module->symbols, name, size);
	if (symbol) {
		symbol->managed = managed;
		kernel_variable_check(name, size);
	}
	pthread_mutex_unlock(&world.lock);
}
