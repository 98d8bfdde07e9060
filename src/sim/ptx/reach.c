#include "reach.h"
#include "registers.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_ALIGN = 16, PASSES_MOST = 16, REGISTERS_MOST = 255 };

bool ptx_reach_open(struct ptx_reach *reach, const struct ptx_module *module)
{
	size_t functions = module->function_count + 1;
	size_t symbols = module->symbol_count + 1;

	*reach = (struct ptx_reach){.module = module};
	reach->functions = calloc(functions, sizeof(*reach->functions));
	reach->frames = calloc(functions, sizeof(*reach->frames));
	reach->numbers = calloc(functions, sizeof(*reach->numbers));
	reach->symbols = calloc(symbols, sizeof(*reach->symbols));
	reach->places = malloc(symbols * sizeof(size_t));
	if (!reach->functions || !reach->frames || !reach->numbers ||
	    !reach->symbols || !reach->places) {
		ptx_reach_close(reach);
		return false;
	}
	memset(reach->places, 0xff, symbols * sizeof(size_t));
	return true;
}

void ptx_reach_close(struct ptx_reach *reach)
{
	free(reach->functions);
	free(reach->frames);
	free(reach->numbers);
	free(reach->symbols);
	free(reach->places);
	*reach = (struct ptx_reach){0};
}

static void reset(struct ptx_reach *reach)
{
	for (size_t i = 0; i < reach->function_count; i++)
		reach->numbers[reach->functions[i]->index] = 0;
	for (size_t i = 0; i < reach->symbol_count; i++)
		reach->places[reach->symbols[i]->index] = SIZE_MAX;
	reach->function_count = reach->direct_count = reach->symbol_count = 0;
	reach->shared_bytes = reach->local_bytes = reach->thread_bytes = 0;
	reach->variable_count = 0;
	reach->calls_pointers = false;
}

static void function_add(struct ptx_reach *reach,
			 const struct ptx_function *function)
{
	function = ptx_function_real(function);
	/* Another kernel is no part of this one. */
	if (reach->numbers[function->index] ||
	    (function->entry && reach->function_count))
		return;
	reach->functions[reach->function_count++] = function;
	reach->numbers[function->index] = reach->function_count;
}

size_t ptx_reach_number(const struct ptx_reach *reach,
			const struct ptx_function *function)
{
	return reach->numbers[function->index] - 1;
}

static size_t place_take(size_t *used, const struct ptx_symbol *symbol)
{
	size_t place = (*used + symbol->align - 1) & ~(symbol->align - 1);

	/* What is behind the last static byte is the launch's. */
	*used = place + symbol->size;
	return place;
}

static void symbol_add(struct ptx_reach *reach, const struct ptx_symbol *symbol,
		       struct ptx_frame *frame)
{
	size_t *place = &reach->places[symbol->index];

	if (*place != SIZE_MAX || symbol->of_kernel)
		return;
	reach->symbols[reach->symbol_count++] = symbol;
	if (symbol->variable) {
		*place = reach->variable_count++;
	} else if (symbol->space == PTX_IN_LOCAL ||
		   symbol->space == PTX_IN_PARAM) {
		*place = place_take(&reach->thread_bytes, symbol);
		if (symbol->align > frame->align)
			frame->align = symbol->align;
		if (symbol->space == PTX_IN_LOCAL)
			place_take(&reach->local_bytes, symbol);
	} else if (symbol->space == PTX_IN_SHARED && !symbol->unsized) {
		*place = place_take(&reach->shared_bytes, symbol);
	} else {
		*place = 0; /* where it is depends on all others */
	}
}

static void operand_add(struct ptx_reach *reach, const struct ptx_operand *at,
			struct ptx_frame *frame)
{
	if (at->kind == PTX_SYMBOL)
		symbol_add(reach, at->symbol, frame);
	for (unsigned int i = 0; i < at->count; i++)
		operand_add(reach, &at->items[i], frame);
}

/* What a call names, or NULL if the instruction is none. */
static const struct ptx_operand *target_of(const struct ptx_instruction *ins)
{
	for (unsigned int i = 0; i < ins->operand_count; i++)
		if (ins->operands[i].kind != PTX_LIST)
			return strcmp(ins->name, "call") ? NULL
							 : &ins->operands[i];
	return NULL;
}

static void function_walk(struct ptx_reach *reach, size_t number)
{
	const struct ptx_function *function = reach->functions[number];
	struct ptx_frame frame = {.align = FRAME_ALIGN};

	frame.begin = (reach->thread_bytes + FRAME_ALIGN - 1) &
		      ~(size_t)(FRAME_ALIGN - 1);
	reach->thread_bytes = frame.begin;
	for (const struct ptx_symbol *at = function->results; at; at = at->next)
		symbol_add(reach, at, &frame);
	for (const struct ptx_symbol *at = function->params; at; at = at->next)
		symbol_add(reach, at, &frame);
	for (size_t i = 0; i < function->code_count; i++) {
		const struct ptx_instruction *ins = &function->code[i];
		const struct ptx_operand *target = target_of(ins);

		for (unsigned int k = 0; k < ins->operand_count; k++)
			operand_add(reach, &ins->operands[k], &frame);
		if (target && target->kind == PTX_FUNCTION)
			function_add(reach, target->function);
		else if (target)
			reach->calls_pointers = true;
	}
	frame.bytes = reach->thread_bytes - frame.begin;
	reach->frames[number] = frame;
}

void ptx_reach_walk(struct ptx_reach *reach,
		    const struct ptx_function *function)
{
	size_t done = 0;

	reset(reach);
	function_add(reach, function);
	while (done < reach->function_count) {
		while (done < reach->function_count)
			function_walk(reach, done++);
		if (!reach->direct_count)
			reach->direct_count = done;
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

/* Whether all that a function calls is known to end before it does. Calls of
 * addresses may lead to any of those whose address is taken. */
static bool ends_alone(const struct ptx_reach *reach, size_t number,
		       const bool *recursive, size_t pointed)
{
	const struct ptx_function *function = reach->functions[number];

	for (size_t i = 0; i < function->code_count; i++) {
		const struct ptx_operand *target =
			target_of(&function->code[i]);
		size_t to;

		if (!target)
			continue;
		if (target->kind != PTX_FUNCTION) {
			if (pointed)
				return false;
			continue;
		}
		to = ptx_reach_number(reach,
				      ptx_function_real(target->function));
		if (to != SIZE_MAX && recursive[to])
			return false;
	}
	return true;
}

/* All are, until it shows that they are not. What is called mostly comes behind
 * its callers. */
void ptx_reach_recursion(const struct ptx_reach *reach, bool *recursive)
{
	size_t pointed = 0;
	bool changed = true;

	for (size_t i = 0; i < reach->function_count; i++) {
		recursive[i] = true;
		pointed += reach->functions[i]->pointed;
	}
	for (int passes = 0; changed && passes < PASSES_MOST; passes++) {
		changed = false;
		for (size_t i = reach->function_count; i-- > 0;) {
			if (!recursive[i] ||
			    !ends_alone(reach, i, recursive, pointed))
				continue;
			recursive[i] = false;
			pointed -= reach->functions[i]->pointed;
			changed = true;
		}
	}
	recursive[0] = false; /* a kernel is not called */
}

static void kernel_measure(struct ptx_reach *reach, struct ptx_kernel *kernel,
			   const unsigned int *registers)
{
	unsigned int most = REGISTERS_MOST;

	kernel->shared_bytes = reach->shared_bytes;
	kernel->local_bytes = reach->local_bytes;
	for (size_t i = 0; i < reach->symbol_count; i++)
		if (reach->symbols[i]->space == PTX_IN_CONST)
			kernel->constant_bytes += reach->symbols[i]->size;
	for (size_t i = 0; i < reach->direct_count; i++)
		if (kernel->registers < registers[reach->functions[i]->index])
			kernel->registers =
				registers[reach->functions[i]->index];
	if (kernel->max_registers && kernel->max_registers < most)
		most = kernel->max_registers;
	if (kernel->registers > most)
		kernel->registers = most;
}

bool ptx_kernels_measure(struct ptx_module *module)
{
	unsigned int *registers =
		calloc(module->function_count + 1, sizeof(*registers));
	struct ptx_reach reach;

	if (!registers || !ptx_reach_open(&reach, module)) {
		free(registers);
		return false;
	}
	for (struct ptx_function *at = module->functions; at; at = at->next)
		registers[at->index] = ptx_registers(at);
	for (struct ptx_function *at = module->functions; at; at = at->next) {
		if (!at->entry || !at->body)
			continue;
		ptx_reach_walk(&reach, at);
		kernel_measure(&reach, &at->kernel, registers);
	}
	ptx_reach_close(&reach);
	free(registers);
	return true;
}
