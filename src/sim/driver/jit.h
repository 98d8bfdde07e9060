/* Options of calls that compile or link device code. Nothing is compiled here,
 * so only those that the program reads answers from matter. */
#ifndef SIM_JIT_H
#define SIM_JIT_H

#include <cuda.h>

struct jit_options {
	unsigned count;
	const CUjit_option *names;
	void **values; /* the program's; answers go there */
};

/* CUDA_ERROR_INVALID_VALUE if options are missing or unknown. */
CUresult jit_options_check(struct jit_options options);
/* CU_JIT_MAX_REGISTERS, or 0. */
unsigned jit_max_registers(struct jit_options options);
/* Answers them: that it took no time, that there is nothing to tell, and this
 * error, or NULL if there was none. */
void jit_options_answer(struct jit_options options, const char *error);

#endif
