/* Runs kernels from PTX in tests. */
#ifndef MNM_TEST_PTX_RUN_H
#define MNM_TEST_PTX_RUN_H

#include <string.h>

#include "sim/ptx/ptx.h"
#include "run.h"

/* Where variables of a module are: made at the first question. */
static void *variables[32];
static uint64_t tick_most; /* instructions; 0: no limit */
static char printed[4096];

static inline void *host_variable(void *user,
				  const struct ptx_variable *variable)
{
	const struct ptx_module *module = user;
	size_t i = 0;

	while (ptx_variable_at(module, i) != variable)
		i++;
	ck_assert_uint_lt(i, sizeof(variables) / sizeof(variables[0]));
	if (variables[i])
		return variables[i];
	variables[i] = calloc(1, variable->size + 1);
	if (variable->data)
		memcpy(variables[i], variable->data, variable->size);
	for (size_t k = 0; k < variable->address_count; k++) {
		const struct ptx_address *at = &variable->addresses[k];
		uint64_t value =
			at->function
				? ptx_function_address(module, at->function)
				: (uintptr_t)host_variable(user, at->variable);

		value = (value + (uint64_t)at->addend) >> at->shift;
		memcpy((char *)variables[i] + at->place, &value, at->bytes);
	}
	return variables[i];
}

static inline bool host_tick(void *user, uint64_t instructions)
{
	(void)user;
	return !tick_most || instructions < tick_most;
}

static inline void host_print(void *user, const char *text, size_t length)
{
	(void)user;
	strncat(printed, text, length);
}

/* What the kernel may touch, if there is such a list. */
static struct {
	const void *begin;
	size_t size;
} allowed[8];
static size_t allowed_count;

static inline bool host_range(void *user, uint64_t addr, bool write,
			      uint64_t *begin, uint64_t *end)
{
	(void)user;
	(void)write;
	for (size_t i = 0; i < allowed_count; i++) {
		*begin = (uintptr_t)allowed[i].begin;
		*end = *begin + allowed[i].size;
		if (addr >= *begin && addr < *end)
			return true;
	}
	return false;
}

static inline enum ptx_result run_kernel(const struct ptx_module *module,
					 const char *name,
					 struct ptx_launch launch,
					 struct ptx_error *error)
{
	struct ptx_host host = {
		.user = (void *)module,
		.range = allowed_count ? host_range : NULL,
		.variable = host_variable,
		.tick = host_tick,
		.print = host_print,
	};
	const struct ptx_kernel *kernel = ptx_kernel_find(module, name);
	struct ptx_program *program;
	enum ptx_result result;

	ck_assert_msg(kernel, "no kernel %s", name);
	program = ptx_prepare(module, kernel, error);
	ck_assert_msg(program, "%u: %s", error->line, error->text);
	result = ptx_run(program, &launch, &host, error);
	ptx_program_free(program);
	return result;
}

#endif
