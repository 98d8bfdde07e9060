#include "flow.h"

#include <string.h>

uint64_t *ptx_flow_set(struct ptx_flow *flow, size_t index)
{
	return flow->sets + index * flow->origins.words;
}

uint64_t *ptx_flow_register(struct ptx_flow *flow,
			    const struct ptx_operand *reg)
{
	return ptx_flow_set(flow,
			    flow->registers[flow->function->index] + reg->reg);
}

static size_t param_index(const struct ptx_flow *flow,
			  const struct ptx_symbol *symbol)
{
	const struct ptx_symbol *at = flow->reach.functions[0]->params;
	size_t i = 0;

	for (; at && at != symbol; at = at->next)
		i++;
	return i;
}

/* The addresses that a symbol's own address may be one of. */
static void symbol_join(struct ptx_flow *flow, uint64_t *to,
			const struct ptx_symbol *symbol)
{
	struct ptx_origins *origins = &flow->origins;

	if (symbol->variable)
		ptx_set_add(origins, to,
			    ptx_origin_variable(origins, symbol->variable));
	else
		ptx_set_add(origins, to,
			    symbol->space == PTX_IN_SHARED ? PTX_FROM_SHARED
							   : PTX_FROM_LOCAL);
	/* Whoever has the address of a parameter may read all of it. */
	if (symbol->of_kernel)
		for (size_t at = 0; at + 8 <= symbol->size; at += 8)
			ptx_set_add(origins, ptx_flow_set(flow, flow->memory),
				    ptx_origin_param(origins,
						     param_index(flow, symbol),
						     at));
	else if (symbol->space == PTX_IN_PARAM)
		ptx_set_join(origins, ptx_flow_set(flow, flow->memory),
			     ptx_flow_set(flow, flow->symbols + symbol->index));
}

static void value_join(struct ptx_flow *flow, uint64_t *to,
		       const struct ptx_operand *from)
{
	if (from->kind == PTX_REGISTER && from->type != PTX_PRED)
		ptx_set_join(&flow->origins, to, ptx_flow_register(flow, from));
	else if (from->kind == PTX_SYMBOL)
		symbol_join(flow, to, from->symbol);
	else if (from->kind == PTX_VECTOR)
		for (unsigned int i = 0; i < from->count; i++)
			value_join(flow, to, &from->items[i]);
}

void ptx_flow_result(struct ptx_flow *flow, const struct ptx_operand *to,
		     const uint64_t *from)
{
	if (to->kind == PTX_REGISTER && to->type != PTX_PRED)
		ptx_set_join(&flow->origins, ptx_flow_register(flow, to), from);
	for (unsigned int i = 0; i < to->count; i++)
		ptx_flow_result(flow, &to->items[i], from);
}

uint64_t *ptx_flow_scratch(struct ptx_flow *flow, size_t index)
{
	uint64_t *set = ptx_flow_set(flow, flow->scratch + index);

	memset(set, 0, flow->origins.words * sizeof(*set));
	return set;
}

uint64_t *ptx_flow_value(struct ptx_flow *flow, size_t index,
			 const struct ptx_operand *from)
{
	uint64_t *set = ptx_flow_scratch(flow, index);

	value_join(flow, set, from);
	return set;
}

void ptx_flow_escape(struct ptx_flow *flow, const uint64_t *set)
{
	uint64_t *kept = ptx_flow_set(flow, flow->memory);

	for (size_t i = PTX_FROM_FIRST; i < flow->origins.count; i++)
		if (ptx_set_has(set, i))
			ptx_set_use(&flow->origins, set, PTX_USE_ESCAPES);
	/* With an address of local memory all that it holds does. */
	if (ptx_set_has(set, PTX_FROM_LOCAL) && set != kept)
		ptx_flow_escape(flow, kept);
}

static bool is_own(const struct ptx_instruction *ins)
{
	return ptx_has(ins, "shared") || ptx_has(ins, "local") ||
	       ptx_has(ins, "shared::cta") || ptx_has(ins, "param") ||
	       ptx_has(ins, "param::entry") || ptx_has(ins, "param::func");
}

/* ld.param and st.param, which name the parameter. */
static bool param_access(struct ptx_flow *flow,
			 const struct ptx_instruction *ins,
			 const struct ptx_operand *memory,
			 const struct ptx_operand *value, bool store)
{
	const struct ptx_operand *base = &memory->items[0];
	const struct ptx_symbol *symbol = base->symbol;
	struct ptx_origins *origins = &flow->origins;
	unsigned int count = value->kind == PTX_VECTOR ? value->count : 1;
	uint64_t *set;

	if (base->kind != PTX_SYMBOL || symbol->space != PTX_IN_PARAM)
		return false;
	set = ptx_flow_set(flow, flow->symbols + symbol->index);
	if (store) {
		value_join(flow, set, value);
		return true;
	}
	if (!symbol->of_kernel) {
		ptx_flow_result(flow, value, set);
		return true;
	}
	for (unsigned int i = 0; i < count && ins->type_count; i++) {
		size_t bytes = ptx_type_bytes(ins->types[0]);
		size_t at = (size_t)memory->value + i * bytes;

		set = ptx_flow_scratch(flow, 0);
		if (bytes >= 8 &&
		    ptx_type_class(ins->types[0]) != PTX_CLASS_FLOAT)
			ptx_set_add(origins, set,
				    ptx_origin_param(origins,
						     param_index(flow, symbol),
						     at));
		ptx_flow_result(flow,
				value->kind == PTX_VECTOR ? &value->items[i]
							  : value,
				set);
	}
	return true;
}

void ptx_flow_load(struct ptx_flow *flow, const struct ptx_instruction *ins)
{
	const struct ptx_operand *to = &ins->operands[0];
	const struct ptx_operand *memory = &ins->operands[1];
	bool own = is_own(ins);
	uint64_t *set, *read;

	if (param_access(flow, ins, memory, to, false))
		return;
	set = ptx_flow_value(flow, 0, &memory->items[0]);
	if (!own)
		ptx_set_use(&flow->origins, set, PTX_USE_READ);
	if (!ins->type_count || ptx_type_bytes(ins->types[0]) < 8)
		return;
	read = ptx_flow_scratch(flow, 1);
	if (!own)
		ptx_set_join_read(&flow->origins, read, set);
	if (own || ptx_set_has(set, PTX_FROM_LOCAL) ||
	    ptx_set_has(set, PTX_FROM_SHARED))
		ptx_set_join(&flow->origins, read,
			     ptx_flow_set(flow, flow->memory));
	ptx_flow_result(flow, to, read);
}

static void store_value(struct ptx_flow *flow, const uint64_t *to,
			const struct ptx_operand *value, bool own)
{
	const uint64_t *set = ptx_flow_value(flow, 1, value);
	bool outside = false;

	if (own || ptx_set_has(to, PTX_FROM_LOCAL) ||
	    ptx_set_has(to, PTX_FROM_SHARED))
		ptx_set_join(&flow->origins, ptx_flow_set(flow, flow->memory),
			     set);
	for (size_t i = PTX_FROM_NOWHERE; i < 2 * flow->origins.count; i++)
		outside |= ptx_set_has(to, i);
	if (outside && !own)
		ptx_flow_escape(flow, set);
}

void ptx_flow_access(struct ptx_flow *flow, const struct ptx_instruction *ins,
		     unsigned int flags)
{
	for (unsigned int i = 0; i < ins->operand_count; i++) {
		const struct ptx_operand *memory = &ins->operands[i];
		uint64_t *set;

		if (memory->kind != PTX_MEMORY)
			continue;
		if (i + 1 < ins->operand_count && flags == PTX_USE_WRITE &&
		    param_access(flow, ins, memory, &ins->operands[i + 1],
				 true))
			return;
		set = ptx_flow_value(flow, 0, &memory->items[0]);
		if (!is_own(ins))
			ptx_set_use(&flow->origins, set, flags);
		for (unsigned int k = i + 1; k < ins->operand_count; k++)
			store_value(flow, set, &ins->operands[k], is_own(ins));
	}
	if (flags == PTX_USE_ATOMIC && ins->operand_count &&
	    ins->operands[0].kind == PTX_REGISTER && !is_own(ins)) {
		uint64_t *read = ptx_flow_scratch(flow, 1);

		ptx_set_join_read(&flow->origins, read,
				  ptx_flow_set(flow, flow->scratch));
		ptx_flow_result(flow, &ins->operands[0], read);
	}
}
