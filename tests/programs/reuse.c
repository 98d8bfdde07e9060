/* reuse CASE: gives the same memory first to "old", then to "new", and says so
 * to the checker of the simulated device. Prints the number of violations. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4 << 20, PART = 4096 };

static CUcontext ctx;
static CUstream first, second; /* non-blocking */
static CUstream blocking;
static CUevent event;
static CUdeviceptr memory;
static CUmodule module;
static void (*own)(unsigned long long addr, size_t size, const char *label);
static void (*disown)(unsigned long long addr);
static atomic_int over;

static void check(CUresult res)
{
	if (!res)
		return;
	fprintf(stderr, "CUDA error %d\n", res);
	exit(1);
}

static void set(const char *name, CUdeviceptr to, unsigned count, CUstream in)
{
	void *args[] = {&to, &count};
	CUfunction function;

	check(cuModuleGetFunction(&function, module, name));
	check(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, in, args, NULL));
}

static void fill(CUdeviceptr to, CUstream in)
{
	check(cuMemsetD8Async(to, 1, PART, in));
}

/* Queues the old owner's work, and ends its use. */
static void old_in(CUstream stream)
{
	own(memory, PART, "old");
	fill(memory, stream);
	disown(memory);
}

static void new_in(CUstream stream)
{
	own(memory, PART, "new");
	fill(memory, stream);
}

static void note(void *unused)
{
	(void)unused;
	over = 1;
}

/* Sees that the stream's work is over, but not by a call of CUDA. */
static void look(CUstream stream)
{
	CUcontext any;

	check(cuLaunchHostFunc(stream, note, NULL));
	while (!over)
		/* With a seed, queued work runs only inside calls. */
		check(cuCtxGetCurrent(&any));
}

static void in_one_stream(void)
{
	old_in(first);
	new_in(first);
}

static void after_an_event(void)
{
	old_in(first);
	check(cuEventRecord(event, first));
	check(cuStreamWaitEvent(second, event, 0));
	new_in(second);
}

static void after_two_events(void)
{
	old_in(first);
	check(cuEventRecord(event, first));
	check(cuStreamWaitEvent(blocking, event, 0));
	check(cuEventRecord(event, blocking));
	check(cuStreamWaitEvent(second, event, 0));
	new_in(second);
}

static void by_the_legacy_stream(void)
{
	old_in(blocking);
	new_in(CU_STREAM_LEGACY);
}

static void after_the_legacy_stream(void)
{
	old_in(CU_STREAM_LEGACY);
	new_in(blocking);
}

static void after_a_stream_wait(void)
{
	old_in(first);
	check(cuStreamSynchronize(first));
	new_in(second);
}

static void after_an_event_wait(void)
{
	old_in(first);
	check(cuEventRecord(event, first));
	check(cuEventSynchronize(event));
	new_in(second);
}

static void after_a_question(void)
{
	old_in(first);
	check(cuEventRecord(event, first));
	while (cuEventQuery(event))
		;
	new_in(second);
}

static void after_a_stream_question(void)
{
	old_in(first);
	while (cuStreamQuery(first))
		;
	new_in(second);
}

static void after_a_context_wait(void)
{
	old_in(first);
	check(cuStreamDestroy(first));
	check(cuCtxSynchronize());
	new_in(second);
}

static void after_a_gate(void)
{
	old_in(first);
	check(cuCtxRecordEvent(ctx, event));
	check(cuCtxWaitEvent(ctx, event));
	new_in(second);
}

static void after_a_gate_and_a_destroyed_stream(void)
{
	old_in(first);
	look(first);
	check(cuStreamDestroy(first));
	check(cuCtxRecordEvent(ctx, event));
	check(cuCtxWaitEvent(ctx, event));
	new_in(second);
}

static void after_a_synchronous_copy(void)
{
	char byte;

	old_in(blocking);
	check(cuMemcpyDtoH(&byte, memory + PART, 0));
	own(memory + PART, PART, "other");
	check(cuMemcpyDtoH(&byte, memory + PART, 1));
	new_in(second);
}

static void of_other_bytes(void)
{
	old_in(first);
	own(memory + PART, PART, "new");
	fill(memory + PART, second);
}

static void of_freed_memory(void)
{
	fill(memory, first);
	check(cuMemFree(memory));
	check(cuMemAlloc(&memory, SIZE));
	fill(memory, second);
}

static void of_memory_freed_in_a_stream(void)
{
	CUdeviceptr block;

	check(cuMemAllocAsync(&block, SIZE, first));
	fill(block, first);
	check(cuMemFreeAsync(block, first));
	look(first);
	check(cuMemAlloc(&block, SIZE));
	fill(block, second);
}

static void in_one_owner(void)
{
	own(memory, PART, "one");
	fill(memory, first);
	fill(memory, second);
}

static void of_part_by_a_kernel_that_says_so(void)
{
	own(memory, 2 * PART, "old");
	set("set_part", memory, PART, first);
	disown(memory);
	own(memory + PART, PART, "new");
	fill(memory + PART, second);
}

static void unordered(void)
{
	old_in(first);
	new_in(second);
}

static void by_luck(void)
{
	old_in(first);
	look(first);
	new_in(second);
}

static void after_an_early_event(void)
{
	own(memory, PART, "old");
	check(cuEventRecord(event, first));
	fill(memory, first);
	disown(memory);
	check(cuStreamWaitEvent(second, event, 0));
	new_in(second);
}

static void by_luck_in_a_used_stream_object(void)
{
	CUstream again;

	old_in(first);
	look(first);
	check(cuStreamDestroy(first));
	check(cuStreamCreate(&again, CU_STREAM_NON_BLOCKING));
	new_in(again);
}

static void non_blocking_and_legacy(void)
{
	old_in(first);
	new_in(CU_STREAM_LEGACY);
}

static void of_part_by_a_kernel(void)
{
	own(memory, 2 * PART, "old");
	set("set", memory, PART, first);
	disown(memory);
	own(memory + PART, PART, "new");
	fill(memory + PART, second);
}

static void third_owner_after_the_second(void)
{
	old_in(first);
	check(cuEventRecord(event, first));
	check(cuStreamWaitEvent(second, event, 0));
	new_in(second);
	disown(memory);
	own(memory, PART, "third");
	fill(memory, first);
}

static void use_after_free(void)
{
	own(memory, PART, "old");
	disown(memory);
	fill(memory, first);
}

static void kernel_after_free(void)
{
	own(memory, PART, "old");
	disown(memory);
	set("set", memory, PART, first);
}

static void kernel_out_of_the_blue(void)
{
	set("set", memory + SIZE + (64 << 20), PART, first);
}

static void past_the_end(void)
{
	own(memory, PART / 2, "old");
	fill(memory, first);
}

static void owned_twice(void)
{
	own(memory, PART, "old");
	own(memory + PART / 2, PART, "new");
}

static void freed_under_an_owner(void)
{
	own(memory + PART, PART, "old");
	check(cuMemFree(memory));
}

static void freed_in_another_stream(void)
{
	CUdeviceptr block;

	check(cuMemAllocAsync(&block, PART, first));
	fill(block, first);
	check(cuMemFreeAsync(block, second));
}

/* clang-format off */
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(name) {#name, name}
	CASE(in_one_stream), CASE(after_an_event), CASE(after_two_events),
	CASE(by_the_legacy_stream), CASE(after_the_legacy_stream),
	CASE(after_a_stream_wait), CASE(after_an_event_wait),
	CASE(after_a_question), CASE(after_a_stream_question),
	CASE(after_a_context_wait), CASE(after_a_gate),
	CASE(after_a_gate_and_a_destroyed_stream),
	CASE(after_a_synchronous_copy), CASE(of_other_bytes),
	CASE(of_freed_memory), CASE(of_memory_freed_in_a_stream),
	CASE(in_one_owner),
	CASE(of_part_by_a_kernel_that_says_so),
	CASE(unordered), CASE(by_luck), CASE(after_an_early_event),
	CASE(by_luck_in_a_used_stream_object), CASE(non_blocking_and_legacy),
	CASE(of_part_by_a_kernel), CASE(third_owner_after_the_second),
	CASE(use_after_free), CASE(kernel_after_free),
	CASE(kernel_out_of_the_blue), CASE(past_the_end), CASE(owned_twice),
	CASE(freed_under_an_owner), CASE(freed_in_another_stream),
};
/* clang-format on */

static void start(void)
{
	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&ctx, 0));
	check(cuCtxSetCurrent(ctx));
	check(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	check(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	check(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
	check(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	check(cuModuleLoadData(&module, "any"));
	check(cuMemAlloc(&memory, SIZE));
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
