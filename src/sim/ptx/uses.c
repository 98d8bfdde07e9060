/* What a kernel touches: addresses are followed through registers, parameters,
 * local and shared memory, whatever the order of instructions, until nothing
 * new is found. */
#include <stdlib.h>
#include <string.h>

#include "flow.h"

enum {
	PASSES_MOST = 100,
	EVERYTHING = PTX_USE_READ | PTX_USE_WRITE | PTX_USE_ATOMIC |
		     PTX_USE_INDIRECT | PTX_USE_ESCAPES,
};

/* The operands that an address comes from into operand 0, as bits; or 0. */
static unsigned int carriers(const struct ptx_instruction *ins)
{
	/* clang-format off */
	static const struct {
		const char *name;
		unsigned int from;
	} list[] = {
		{"mov", 2}, {"cvta", 2}, {"cvt", 2}, {"add", 6}, {"sub", 2},
		{"mad", 8}, {"and", 6}, {"or", 6}, {"xor", 6}, {"selp", 6},
		{"slct", 6}, {"min", 6}, {"max", 6}, {"prmt", 6}, {"shfl", 2},
		{"lop3", 14}, {"addc", 6}, {"subc", 2}, {"bfi", 6},
		{"mapa", 2}, {"getctarank", 0}, {"redux", 2},
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (!strcmp(ins->name, list[i].name))
			return list[i].from;
	return 0;
}

static void carry(struct ptx_flow *flow, const struct ptx_instruction *ins)
{
	unsigned int from = carriers(ins);

	for (unsigned int i = 1; i < ins->operand_count; i++)
		if (from >> i & 1)
			ptx_flow_result(
				flow, &ins->operands[0],
				ptx_flow_value(flow, 0, &ins->operands[i]));
}

static uint64_t *set_of_param(struct ptx_flow *flow,
			      const struct ptx_operand *at)
{
	if (at->kind == PTX_SYMBOL)
		return ptx_flow_set(flow, flow->symbols + at->symbol->index);
	return at->kind == PTX_REGISTER && at->type != PTX_PRED
		       ? ptx_flow_register(flow, at)
		       : ptx_flow_scratch(flow, 0);
}

/* Arguments into parameters, and results back. */
static void call_into(struct ptx_flow *flow, const struct ptx_function *to,
		      const struct ptx_operand *args,
		      const struct ptx_operand *results)
{
	const struct ptx_symbol *at = to->params;

	for (unsigned int i = 0; args && i < args->count && at; i++) {
		ptx_set_join(&flow->origins,
			     ptx_flow_set(flow, flow->symbols + at->index),
			     set_of_param(flow, &args->items[i]));
		at = at->next;
	}
	at = to->results;
	for (unsigned int i = 0; results && i < results->count && at; i++) {
		ptx_set_join(&flow->origins,
			     set_of_param(flow, &results->items[i]),
			     ptx_flow_set(flow, flow->symbols + at->index));
		at = at->next;
	}
}

/* Whether what a function is given is as good as kept. */
static bool is_harmless(const struct ptx_function *function)
{
	static const char *const names[] = {"vprintf", "malloc", "free",
					    "__assertfail",
					    "cudaGraphSetConditional"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(function->name, names[i]))
			return true;
	return false;
}

static void call(struct ptx_flow *flow, const struct ptx_instruction *ins)
{
	const struct ptx_operand *args = NULL, *results = NULL, *target = NULL;

	for (unsigned int i = 0; i < ins->operand_count; i++) {
		const struct ptx_operand *at = &ins->operands[i];

		if (at->kind != PTX_LIST)
			target = target ? target : at;
		else if (target)
			args = at;
		else
			results = at;
	}
	if (target && target->kind == PTX_FUNCTION) {
		const struct ptx_function *to =
			ptx_function_real(target->function);

		if (to->body) {
			call_into(flow, to, args, results);
			return;
		}
		for (unsigned int i = 0; args && i < args->count; i++)
			if (!is_harmless(to))
				ptx_flow_escape(
					flow,
					set_of_param(flow, &args->items[i]));
		for (unsigned int i = 0; results && i < results->count; i++)
			ptx_set_add(&flow->origins,
				    set_of_param(flow, &results->items[i]),
				    PTX_FROM_NOWHERE);
		return;
	}
	for (size_t i = 1; i < flow->reach.function_count; i++)
		if (flow->reach.functions[i]->pointed)
			call_into(flow, flow->reach.functions[i], args,
				  results);
}

static void instruction_follow(struct ptx_flow *flow,
			       const struct ptx_instruction *ins)
{
	static const char *const nothing[] = {"prefetch",      "prefetchu",
					      "applypriority", "discard",
					      "txq",           "suq"};
	const char *name = ins->name;

	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		if (!strcmp(name, nothing[i]))
			return;
	if ((!strcmp(name, "ld") || !strcmp(name, "ldu")) &&
	    ins->operand_count >= 2 && ins->operands[1].kind == PTX_MEMORY)
		ptx_flow_load(flow, ins);
	else if (!strcmp(name, "tex") || !strcmp(name, "tld4") ||
		 !strcmp(name, "suld") || !strcmp(name, "ldmatrix") ||
		 (!strcmp(name, "wmma") && ptx_has(ins, "load")))
		ptx_flow_access(flow, ins, PTX_USE_READ);
	else if (!strcmp(name, "st") || !strcmp(name, "sust") ||
		 (!strcmp(name, "wmma") && ptx_has(ins, "store")))
		ptx_flow_access(flow, ins, PTX_USE_WRITE);
	else if (!strcmp(name, "atom") || !strcmp(name, "red"))
		ptx_flow_access(flow, ins, PTX_USE_ATOMIC);
	else if (!strcmp(name, "call"))
		call(flow, ins);
	else if (carriers(ins))
		carry(flow, ins);
	else
		ptx_flow_access(flow, ins,
				PTX_USE_READ | PTX_USE_WRITE | PTX_USE_ESCAPES);
}

static bool sets_make(struct ptx_flow *flow)
{
	const struct ptx_module *module = flow->reach.module;
	size_t count = 0;

	flow->registers =
		calloc(module->function_count + 1, sizeof(*flow->registers));
	if (!flow->registers)
		return false;
	for (size_t i = 0; i < flow->reach.function_count; i++) {
		const struct ptx_function *at = flow->reach.functions[i];

		flow->registers[at->index] = count;
		count += at->register_count;
	}
	flow->symbols = count;
	flow->memory = count + module->symbol_count;
	flow->scratch = flow->memory + 1;
	flow->sets = calloc(flow->scratch + 2,
			    flow->origins.words * sizeof(*flow->sets));
	flow->origins.scratch =
		flow->sets ? ptx_flow_set(flow, flow->scratch) : NULL;
	return flow->sets != NULL;
}

static void functions_follow(struct ptx_flow *flow)
{
	for (size_t i = 0; i < flow->reach.function_count; i++) {
		const struct ptx_function *at = flow->reach.functions[i];

		flow->function = at;
		for (size_t k = 0; k < at->code_count; k++)
			instruction_follow(flow, &at->code[k]);
	}
}

/* Real code takes a few passes. What takes more is not followed to its end. */
static void all_follow(struct ptx_flow *flow)
{
	struct ptx_origins *origins = &flow->origins;
	unsigned int passes = 0;

	do {
		origins->changed = false;
		functions_follow(flow);
	} while (origins->changed && ++passes < PASSES_MOST);
	origins->recording = true;
	functions_follow(flow);
	if (!origins->changed)
		return;
	for (size_t i = PTX_FROM_FIRST; i < origins->count; i++)
		origins->list[i].flags |= EVERYTHING;
	origins->elsewhere |= EVERYTHING;
}

static size_t uses_store(const struct ptx_flow *flow, struct ptx_use *uses,
			 size_t room)
{
	size_t count = 0;

	for (size_t i = PTX_FROM_FIRST; i < flow->origins.count; i++) {
		const struct ptx_origin *at = &flow->origins.list[i];

		if (!at->flags)
			continue;
		if (count < room)
			uses[count] = (struct ptx_use){at->param, at->offset,
						       at->variable, at->flags};
		count++;
	}
	return count;
}

size_t ptx_kernel_uses(const struct ptx_module *module,
		       const struct ptx_kernel *kernel, struct ptx_use *uses,
		       size_t room, unsigned int *elsewhere)
{
	const struct ptx_function *function = module->functions;
	struct ptx_flow flow = {0};
	size_t count = SIZE_MAX;

	while (&function->kernel != kernel)
		function = function->next;
	if (!ptx_reach_open(&flow.reach, module))
		return SIZE_MAX;
	ptx_reach_walk(&flow.reach, function);
	if (ptx_origins_open(&flow.origins, function, &flow.reach) &&
	    sets_make(&flow)) {
		all_follow(&flow);
		count = uses_store(&flow, uses, room);
		if (elsewhere)
			*elsewhere = flow.origins.elsewhere;
	}
	free(flow.sets);
	free(flow.registers);
	ptx_origins_close(&flow.origins);
	ptx_reach_close(&flow.reach);
	return count;
}
