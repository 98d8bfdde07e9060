#include "jit.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

CUresult jit_options_check(struct jit_options options)
{
	if (options.count && (!options.names || !options.values))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < options.count; i++)
		if ((unsigned)options.names[i] >= CU_JIT_NUM_OPTIONS)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

unsigned jit_max_registers(struct jit_options options)
{
	for (unsigned i = 0; i < options.count; i++)
		if (options.names[i] == CU_JIT_MAX_REGISTERS)
			return (unsigned)(uintptr_t)options.values[i];
	return 0;
}

/* The buffer with this option, and where its size stands. */
static void log_write(struct jit_options options, CUjit_option buffer,
		      CUjit_option size, const char *text)
{
	char *to = NULL;
	void **room = NULL;
	size_t most;

	for (unsigned i = 0; i < options.count; i++) {
		if (options.names[i] == buffer)
			to = options.values[i];
		if (options.names[i] == size)
			room = &options.values[i];
	}
	most = room ? (uintptr_t)*room : 0;
	if (to && most)
		snprintf(to, most, "%s", text);
	if (to && most && strlen(text) < most)
		most = strlen(text);
	if (room)
		*room = (void *)(uintptr_t)(to ? most : 0);
}

void jit_options_answer(struct jit_options options, const char *error)
{
	const float no_time = 0;

	for (unsigned i = 0; i < options.count; i++)
		if (options.names[i] == CU_JIT_WALL_TIME)
			memcpy(&options.values[i], &no_time, sizeof(no_time));
	log_write(options, CU_JIT_INFO_LOG_BUFFER,
		  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, "");
	log_write(options, CU_JIT_ERROR_LOG_BUFFER,
		  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, error ? error : "");
}
