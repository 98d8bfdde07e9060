/* Instructions whose outcome may depend on which block came first. */
#include "apart.h"

#include <string.h>

/* The names of a table; the last is NULL. */
static bool is_in(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names))
		names++;
	return *names;
}

static bool has_any(const struct ptx_instruction *ins, const char *const *names)
{
	for (unsigned int i = 0; i < ins->mod_count; i++)
		if (is_in(ins->mods[i], names))
			return true;
	return false;
}

static bool is_shared(const struct ptx_instruction *ins)
{
	static const char *const names[] = {"shared", "shared::cta", NULL};

	return has_any(ins, names);
}

bool ptx_is_within_block(const struct ptx_instruction *ins)
{
	static const char *const spaces[] = {"local", "const", "param", NULL};

	return has_any(ins, spaces) || is_shared(ins) || ptx_has(ins, "cta");
}

bool ptx_is_ordered(const struct ptx_instruction *ins)
{
	static const char *const orders[] = {
		"volatile", "relaxed", "acquire", "release", "mmio", "cv", NULL,
	};

	return has_any(ins, orders);
}

/* Registers that tell the time, and what leads to the barrier of a grid. */
static bool is_clock(const char *name)
{
	static const char *const clocks[] = {"%clock", "%globaltimer",
					     "%envreg", NULL};

	for (size_t i = 0; clocks[i]; i++)
		if (!strncmp(name, clocks[i], strlen(clocks[i])))
			return true;
	return false;
}

/* Functions without code here print, or take memory. */
static bool is_outside(const struct ptx_function *function)
{
	function = ptx_function_real(function);
	return !function->body && strcmp(function->name, "__assertfail") != 0;
}

static bool operands_tell(const struct ptx_operand *operands,
			  unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct ptx_operand *at = &operands[i];

		if ((at->kind == PTX_SPECIAL && is_clock(at->name)) ||
		    (at->kind == PTX_FUNCTION && is_outside(at->function)) ||
		    operands_tell(at->items, at->items ? at->count : 0))
			return true;
	}
	return false;
}

static bool instruction_tells(const struct ptx_instruction *ins)
{
	static const char *const atomics[] = {"atom", "red", "multimem", NULL};
	static const char *const fences[] = {"membar", "fence", NULL};
	static const char *const moves[] = {"ld", "ldu", "st", NULL};

	if (is_in(ins->name, atomics))
		return !is_shared(ins);
	if (is_in(ins->name, fences))
		return !ptx_has(ins, "cta");
	if (is_in(ins->name, moves) && ptx_is_ordered(ins))
		return !ptx_is_within_block(ins);
	return operands_tell(ins->operands, ins->operand_count);
}

bool ptx_blocks_apart(const struct ptx_reach *reach)
{
	for (size_t i = 0; i < reach->function_count; i++) {
		const struct ptx_function *at = reach->functions[i];

		for (size_t k = 0; k < at->code_count; k++)
			if (instruction_tells(&at->code[k]))
				return false;
	}
	return true;
}
