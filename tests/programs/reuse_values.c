/* reuse_values CASE: gives the same memory first to "old", then to "new", where
 * one of them uses it by its value or through a texture, and says so to the
 * checker of the simulated device. Prints the number of violations. */
#include <dlfcn.h>
#include <string.h>

#include "values.h"

enum { SIZE = 4 << 20, PART = 4096 };

static CUstream first, second; /* non-blocking */
static CUdeviceptr memory, out, flag;
static CUfunction kernel;
static void (*own)(unsigned long long addr, size_t size, const char *label);
static void (*disown)(unsigned long long addr);

static void fill(CUdeviceptr to, CUstream in)
{
	check(cuMemsetD8Async(to, 1, PART, in));
}

static void new_in(CUstream stream)
{
	own(memory, PART, "new");
	fill(memory, stream);
}

static void old_value_in(CUstream stream)
{
	own(memory, PART, "old");
	check(cuStreamWriteValue32(stream, memory + 8, 1, 0));
	disown(memory);
}

static void old_texture_in(CUstream stream)
{
	own(memory, PART, "old");
	show(kernel, out, texture_of(memory, PART), PART, stream);
	disown(memory);
}

static void of_a_value_in_one_stream(void)
{
	old_value_in(first);
	new_in(first);
}

static void of_a_value(void)
{
	old_value_in(first);
	new_in(second);
}

static void behind_a_value(void)
{
	own(memory, PART, "old");
	fill(memory, first);
	disown(memory);
	check(cuStreamWriteValue32(first, flag, 1, 0));
	check(cuStreamWaitValue32(second, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
	new_in(second);
}

static void of_a_texture_in_one_stream(void)
{
	old_texture_in(first);
	new_in(first);
}

static void of_a_texture(void)
{
	old_texture_in(first);
	new_in(second);
}

static void through_an_old_texture(void)
{
	CUtexObject texture;

	own(memory, PART, "old");
	texture = texture_of(memory, PART);
	disown(memory);
	show(kernel, out, texture, PART, first);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"of_a_value_in_one_stream", of_a_value_in_one_stream},
	{"of_a_value", of_a_value},
	{"behind_a_value", behind_a_value},
	{"of_a_texture_in_one_stream", of_a_texture_in_one_stream},
	{"of_a_texture", of_a_texture},
	{"through_an_old_texture", through_an_old_texture},
};

static void start(void)
{
	CUcontext ctx;

	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&ctx, 0));
	check(cuCtxSetCurrent(ctx));
	check(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	check(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	kernel = show_find();
	check(cuMemAlloc(&memory, SIZE));
	check(cuMemAlloc(&out, PART));
	check(cuMemAlloc(&flag, PART));
	check(cuMemsetD8(flag, 0, PART));
	check(cuCtxSynchronize());
	own = dlsym(RTLD_DEFAULT, "sim_own");
	disown = dlsym(RTLD_DEFAULT, "sim_disown");
}

int main(int argc, char **argv)
{
	unsigned long (*violations)(void) =
		dlsym(RTLD_DEFAULT, "sim_violations");

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (argc != 2 || strcmp(argv[1], cases[i].name))
			continue;
		start();
		cases[i].run();
		check(cuCtxSynchronize());
		printf("%lu\n", violations());
		return 0;
	}
	return 2;
}
