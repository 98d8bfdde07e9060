/* The text of a PTX module. Each kernel of it that can be run runs, in memory
 * of its own. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "../../src/sim/ptx/ptx.h"

enum { MEMORY = 4096, VARIABLE_MOST = 1 << 16, USES = 16, PARAMS = 64 };

static unsigned char memory[MEMORY];

static bool range(void *user, uint64_t addr, bool write, uint64_t *begin,
		  uint64_t *end)
{
	(void)user;
	(void)write;
	*begin = (uintptr_t)memory;
	*end = *begin + sizeof(memory);
	return addr >= *begin && addr < *end;
}

static void *variable(void *user, const struct ptx_variable *wanted)
{
	static unsigned char place[VARIABLE_MOST];

	(void)user;
	return wanted->size <= sizeof(place) ? place : NULL;
}

/* One texture and surface, whose object is where the memory is. */
static bool texture(void *user, uint64_t object, const struct ptx_spot *spot,
		    double values[4])
{
	(void)user;
	for (int i = 0; i < 4; i++)
		values[i] = spot->at[i % 3];
	return object == (uintptr_t)memory;
}

static bool surface(void *user, uint64_t object, const struct ptx_spot *spot,
		    size_t size, bool clamp, void **at)
{
	(void)user;
	(void)clamp;
	claim(size <= 32, "an element is small");
	*at = spot->at[0] >= 0 && spot->at[0] < (double)(MEMORY - size)
		      ? memory + (size_t)spot->at[0]
		      : NULL;
	return object == (uintptr_t)memory;
}

static bool texture_size(void *user, uint64_t object, uint32_t sizes[3])
{
	(void)user;
	sizes[0] = sizes[1] = sizes[2] = MEMORY;
	return object == (uintptr_t)memory;
}

static uint64_t take(void *user, uint64_t size)
{
	(void)user;
	return size <= sizeof(memory) ? (uintptr_t)memory : 0;
}

static bool give(void *user, uint64_t addr)
{
	(void)user;
	return addr == (uintptr_t)memory;
}

static bool condition(void *user, uint64_t handle, uint32_t value)
{
	(void)user;
	(void)value;
	return handle == (uintptr_t)memory;
}

static bool tick(void *user, uint64_t instructions)
{
	(void)user;
	(void)instructions;
	return false;
}

static void print(void *user, const char *text, size_t length)
{
	(void)user;
	claim(!memchr(text, '\0', length), "what is printed is text");
}

static void check_error(const struct ptx_error *error, bool ok)
{
	claim(memchr(error->text, '\0', sizeof(error->text)), "text ends");
	claim(!*error->text == ok, "an error is said, and only then");
	claim(is_plain(error->text) || !strchr(error->text, '\n'),
	      "it is one line");
}

static void kernel_run(const struct ptx_module *module,
		       const struct ptx_kernel *kernel)
{
	static const struct ptx_host host = {
		.range = range,
		.variable = variable,
		.texture = texture,
		.surface = surface,
		.texture_size = texture_size,
		.take = take,
		.give = give,
		.condition = condition,
		.tick = tick,
		.print = print,
	};
	static unsigned char arg[1 << 16];
	void *args[PARAMS], *start = memory;
	struct ptx_launch launch = {
		.grid = {2, 1, 1},
		.block = {33, 1, 1},
		.shared_bytes = 64,
		.args = args,
	};
	struct ptx_error error;
	struct ptx_program *program = ptx_prepare(module, kernel, &error);

	check_error(&error, program);
	claim(ptx_can_run(module, kernel, NULL) == (program != NULL),
	      "what can be prepared can be run");
	if (!program)
		return;
	memcpy(arg, &start, sizeof(start));
	for (size_t i = 0; i < PARAMS; i++)
		args[i] = arg;
	if (kernel->param_count <= PARAMS)
		check_error(&error, !ptx_run(program, &launch, &host, &error));
	ptx_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_error error;
	char *text = input_text(data, size);
	struct ptx_module *module = ptx_parse(text, size, &error);
	struct ptx_use uses[USES];

	free(text);
	check_error(&error, module);
	for (size_t i = 0; module && i < ptx_kernel_count(module); i++) {
		const struct ptx_kernel *kernel = ptx_kernel_at(module, i);
		size_t count =
			ptx_kernel_uses(module, kernel, uses, USES, NULL);

		for (size_t k = 0; k < count && k < USES; k++)
			claim(uses[k].variable ||
				      uses[k].offset + 8 <=
					      kernel->params[uses[k].param]
						      .size,
			      "an address is in its parameter");
		kernel_run(module, kernel);
	}
	ptx_module_free(module);
	return 0;
}
