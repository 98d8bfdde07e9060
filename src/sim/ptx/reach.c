#include "reach.h"

#include <stdlib.h>
#include <string.h>

bool ptx_reach_open(struct ptx_reach *reach, const struct ptx_module *module)
{
	size_t functions = module->function_count + 1;
	size_t symbols = module->symbol_count + 1;

	*reach = (struct ptx_reach){.module = module};
	reach->functions = calloc(functions, sizeof(*reach->functions));
	reach->function_seen = calloc(functions, sizeof(bool));
	reach->symbols = calloc(symbols, sizeof(*reach->symbols));
	reach->places = malloc(symbols * sizeof(size_t));
	if (!reach->functions || !reach->function_seen || !reach->symbols ||
	    !reach->places) {
		ptx_reach_close(reach);
		return false;
	}
	memset(reach->places, 0xff, symbols * sizeof(size_t));
	return true;
}

void ptx_reach_close(struct ptx_reach *reach)
{
	free(reach->functions);
	free(reach->function_seen);
	free(reach->symbols);
	free(reach->places);
	*reach = (struct ptx_reach){0};
}

static void reset(struct ptx_reach *reach)
{
	for (size_t i = 0; i < reach->function_count; i++)
		reach->function_seen[reach->functions[i]->index] = false;
	for (size_t i = 0; i < reach->symbol_count; i++)
		reach->places[reach->symbols[i]->index] = SIZE_MAX;
	reach->function_count = reach->symbol_count = 0;
	reach->shared_bytes = reach->local_bytes = reach->param_bytes = 0;
	reach->variable_count = 0;
	reach->calls_pointers = false;
}

static void function_add(struct ptx_reach *reach,
			 const struct ptx_function *function)
{
	function = ptx_function_real(function);
	/* Another kernel is no part of this one. */
	if (reach->function_seen[function->index] ||
	    (function->entry && reach->function_count))
		return;
	reach->function_seen[function->index] = true;
	reach->functions[reach->function_count++] = function;
}

static size_t place_take(size_t *used, const struct ptx_symbol *symbol)
{
	size_t place = (*used + symbol->align - 1) & ~(symbol->align - 1);

	/* What is behind the last static byte is the launch's. */
	*used = place + symbol->size;
	return place;
}

static void symbol_add(struct ptx_reach *reach, const struct ptx_symbol *symbol)
{
	size_t *place = &reach->places[symbol->index];

	if (*place != SIZE_MAX || symbol->of_kernel)
		return;
	reach->symbols[reach->symbol_count++] = symbol;
	if (symbol->variable)
		*place = reach->variable_count++;
	else if (symbol->space == PTX_IN_LOCAL)
		*place = place_take(&reach->local_bytes, symbol);
	else if (symbol->space == PTX_IN_PARAM)
		*place = place_take(&reach->param_bytes, symbol);
	else if (symbol->space == PTX_IN_SHARED && !symbol->unsized)
		*place = place_take(&reach->shared_bytes, symbol);
	else
		*place = 0; /* where it is depends on all others */
}

static void operand_add(struct ptx_reach *reach, const struct ptx_operand *at)
{
	if (at->kind == PTX_FUNCTION)
		function_add(reach, at->function);
	else if (at->kind == PTX_SYMBOL)
		symbol_add(reach, at->symbol);
	for (unsigned int i = 0; i < at->count; i++)
		operand_add(reach, &at->items[i]);
}

static void function_walk(struct ptx_reach *reach,
			  const struct ptx_function *function)
{
	for (const struct ptx_symbol *at = function->results; at; at = at->next)
		symbol_add(reach, at);
	for (const struct ptx_symbol *at = function->params; at; at = at->next)
		symbol_add(reach, at);
	for (size_t i = 0; i < function->code_count; i++) {
		const struct ptx_instruction *ins = &function->code[i];

		for (unsigned int k = 0; k < ins->operand_count; k++) {
			operand_add(reach, &ins->operands[k]);
			reach->calls_pointers |=
				!strcmp(ins->name, "call") &&
				ins->operands[k].kind == PTX_REGISTER;
		}
	}
}

void ptx_reach_walk(struct ptx_reach *reach,
		    const struct ptx_function *function)
{
	size_t done = 0;

	reset(reach);
	function_add(reach, function);
	while (done < reach->function_count) {
		while (done < reach->function_count)
			function_walk(reach, reach->functions[done++]);
		if (!reach->calls_pointers)
			continue;
		for (const struct ptx_function *at = reach->module->functions;
		     at; at = at->next)
			if (at->pointed)
				function_add(reach, at);
	}
	/* Dynamic shared memory begins behind all static variables. */
	reach->dynamic = (reach->shared_bytes + 15) & ~(size_t)15;
	for (size_t i = 0; i < reach->symbol_count; i++)
		if (reach->symbols[i]->space == PTX_IN_SHARED &&
		    reach->symbols[i]->unsized)
			reach->places[reach->symbols[i]->index] =
				reach->dynamic;
}

bool ptx_kernels_measure(struct ptx_module *module)
{
	struct ptx_reach reach;

	if (!ptx_reach_open(&reach, module))
		return false;
	for (struct ptx_function *at = module->functions; at; at = at->next) {
		if (!at->entry || !at->body)
			continue;
		ptx_reach_walk(&reach, at);
		at->kernel.shared_bytes = reach.shared_bytes;
		at->kernel.local_bytes = reach.local_bytes;
	}
	ptx_reach_close(&reach);
	return true;
}
