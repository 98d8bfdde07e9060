/* What a module's user asks for. */
#include <stdlib.h>
#include <string.h>

#include "tree.h"

void ptx_module_free(struct ptx_module *module)
{
	if (module)
		ptx_arena_free(&module->arena);
	free(module);
}

struct ptx_version ptx_module_version(const struct ptx_module *module)
{
	return module->version;
}

size_t ptx_variable_count(const struct ptx_module *module)
{
	return module->variable_count;
}

const struct ptx_variable *ptx_variable_at(const struct ptx_module *module,
					   size_t index)
{
	return module->variables[index];
}

const struct ptx_variable *ptx_variable_find(const struct ptx_module *module,
					     const char *name)
{
	for (size_t i = 0; i < module->variable_count; i++)
		if (!strcmp(module->variables[i]->name, name))
			return module->variables[i];
	return NULL;
}

uint64_t ptx_function_address(const struct ptx_module *module, const char *name)
{
	for (const struct ptx_function *at = module->functions; at;
	     at = at->next)
		if (!strcmp(at->name, name))
			return at->address;
	return 0;
}

size_t ptx_kernel_count(const struct ptx_module *module)
{
	return module->kernel_count;
}

const struct ptx_kernel *ptx_kernel_at(const struct ptx_module *module,
				       size_t index)
{
	return module->kernels[index];
}

const struct ptx_kernel *ptx_kernel_find(const struct ptx_module *module,
					 const char *name)
{
	for (size_t i = 0; i < module->kernel_count; i++)
		if (!strcmp(module->kernels[i]->name, name))
			return module->kernels[i];
	return NULL;
}

struct ptx_function *ptx_function_point(struct ptx_function *function)
{
	function->pointed = true;
	return function;
}

const struct ptx_function *ptx_function_real(
	const struct ptx_function *function)
{
	/* An alias of an alias may lead round in a circle. */
	for (int steps = 0; function->alias && steps < 8; steps++)
		function = function->alias;
	return function;
}

bool ptx_has(const struct ptx_instruction *ins, const char *mod)
{
	for (unsigned int i = 0; i < ins->mod_count; i++)
		if (!strcmp(ins->mods[i], mod))
			return true;
	return false;
}
