/* Addresses that flow through registers and memory. For ptx_kernel_uses(). */
#ifndef SIM_PTX_FLOW_H
#define SIM_PTX_FLOW_H

#include "origins.h"

struct ptx_flow {
	struct ptx_origins origins;
	struct ptx_reach reach;
	uint64_t *sets;    /* all of them */
	size_t *registers; /* by index of a function: its first set */
	size_t symbols;    /* the first set of parameters, by symbol */
	size_t memory;     /* what local and shared memory hold */
	size_t scratch;
	const struct ptx_function *function; /* the one looked at */
};

uint64_t *ptx_flow_set(struct ptx_flow *flow, size_t index);
/* The set of a register of the function that is looked at. */
uint64_t *ptx_flow_register(struct ptx_flow *flow,
			    const struct ptx_operand *reg);
/* What a value may be an address in; valid until the scratch set of this index,
 * 0 or 1, is used again. */
uint64_t *ptx_flow_value(struct ptx_flow *flow, size_t index,
			 const struct ptx_operand *from);
/* An empty scratch set. */
uint64_t *ptx_flow_scratch(struct ptx_flow *flow, size_t index);
/* Registers get what is in a set. */
void ptx_flow_result(struct ptx_flow *flow, const struct ptx_operand *to,
		     const uint64_t *from);
/* A value goes where it is not followed. */
void ptx_flow_escape(struct ptx_flow *flow, const uint64_t *set);
void ptx_flow_load(struct ptx_flow *flow, const struct ptx_instruction *ins);
/* st, atom, red and others that have an address in brackets. */
void ptx_flow_access(struct ptx_flow *flow, const struct ptx_instruction *ins,
		     unsigned int flags);

#endif
