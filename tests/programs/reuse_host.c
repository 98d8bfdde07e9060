/* reuse_host CASE: does as reuse does, with memory that the host can use, and
 * with mappings, which the host takes away. Prints the number of violations. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 20, PART = 4096, STEP = 2 << 20 };

static CUcontext ctx;
static CUstream first, second; /* non-blocking */
static CUevent event;
static CUdeviceptr device;
static char *pinned;
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

static void read_in(CUstream stream)
{
	check(cuMemcpyHtoDAsync(device, pinned, PART, stream));
}

static void write_in(CUstream stream)
{
	check(cuMemcpyDtoHAsync(pinned, device, PART, stream));
}

/* Queues the old owner's work, and ends its use. */
static void old_in(void (*work)(CUstream stream), CUstream stream)
{
	own((CUdeviceptr)pinned, PART, "old");
	work(stream);
	disown((CUdeviceptr)pinned);
}

static void new_in(CUstream stream)
{
	own((CUdeviceptr)pinned, PART, "new");
	read_in(stream);
}

static void after_a_stream_wait(void)
{
	old_in(read_in, first);
	check(cuStreamSynchronize(first));
	new_in(second);
}

static void after_an_event_wait(void)
{
	old_in(write_in, first);
	check(cuEventRecord(event, first));
	check(cuEventSynchronize(event));
	new_in(second);
}

static void after_a_question(void)
{
	old_in(read_in, first);
	check(cuEventRecord(event, first));
	while (cuEventQuery(event))
		;
	new_in(second);
}

static void after_a_synchronous_copy(void)
{
	own((CUdeviceptr)pinned, PART, "old");
	check(cuMemcpyDtoH(pinned, device, PART));
	disown((CUdeviceptr)pinned);
	new_in(second);
}

static void of_other_bytes(void)
{
	old_in(read_in, first);
	own((CUdeviceptr)pinned + PART, PART, "new");
}

static void of_freed_memory(void)
{
	old_in(read_in, first);
	check(cuMemFreeHost(pinned));
	check(cuMemAllocHost((void **)&pinned, SIZE));
	new_in(second);
}

static void read_in_one_stream(void)
{
	old_in(read_in, first);
	new_in(first);
}

static void written_in_one_stream(void)
{
	old_in(write_in, first);
	new_in(first);
}

static void after_a_gate(void)
{
	old_in(read_in, first);
	check(cuCtxRecordEvent(ctx, event));
	check(cuCtxWaitEvent(ctx, event));
	new_in(second);
}

static void note(void *unused)
{
	(void)unused;
	over = 1;
}

static void by_luck(void)
{
	CUcontext any;

	old_in(read_in, first);
	check(cuLaunchHostFunc(first, note, NULL));
	while (!over)
		/* With a seed, queued work runs only inside calls. */
		check(cuCtxGetCurrent(&any));
	new_in(second);
}

static void without_new_work(void)
{
	old_in(write_in, first);
	own((CUdeviceptr)pinned, PART, "new");
}

static void of_managed_memory(void)
{
	CUdeviceptr managed;

	check(cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL));
	own(managed, PART, "old");
	check(cuMemsetD8Async(managed, 1, PART, first));
	disown(managed);
	own(managed, PART, "new");
}

static void use_after_free(void)
{
	own((CUdeviceptr)pinned, PART, "old");
	disown((CUdeviceptr)pinned);
	read_in(first);
}

static void past_the_end(void)
{
	own((CUdeviceptr)pinned, PART / 2, "old");
	write_in(first);
}

static void freed_under_an_owner(void)
{
	own((CUdeviceptr)pinned + PART, PART, "old");
	check(cuMemFreeHost(pinned));
}

/* Makes two mappings side by side, and queues work across their border. */
static CUdeviceptr mapped_work(void)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemAccessDesc desc = {prop.location,
				CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr addr;

	check(cuMemAddressReserve(&addr, 2 * STEP, 0, 0, 0));
	for (int i = 0; i < 2; i++) {
		check(cuMemCreate(&handle, STEP, &prop, 0));
		check(cuMemMap(addr + i * STEP, STEP, 0, handle, 0));
		check(cuMemRelease(handle));
	}
	check(cuMemSetAccess(addr, 2 * STEP, &desc, 1));
	check(cuMemsetD8Async(addr + STEP - PART, 1, 2 * PART, first));
	return addr;
}

static void unmapped_after_a_wait(void)
{
	CUdeviceptr addr = mapped_work();

	check(cuStreamSynchronize(first));
	check(cuMemUnmap(addr, 2 * STEP));
}

static void unmapped_too_early(void)
{
	check(cuMemUnmap(mapped_work() + STEP, STEP));
}

/* clang-format off */
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(name) {#name, name}
	CASE(after_a_stream_wait), CASE(after_an_event_wait),
	CASE(after_a_question), CASE(after_a_synchronous_copy),
	CASE(of_other_bytes), CASE(of_freed_memory),
	CASE(read_in_one_stream), CASE(written_in_one_stream),
	CASE(after_a_gate), CASE(by_luck), CASE(without_new_work),
	CASE(of_managed_memory), CASE(use_after_free), CASE(past_the_end),
	CASE(freed_under_an_owner), CASE(unmapped_after_a_wait),
	CASE(unmapped_too_early),
};
/* clang-format on */

static void start(void)
{
	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&ctx, 0));
	check(cuCtxSetCurrent(ctx));
	check(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	check(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	check(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	check(cuMemAlloc(&device, SIZE));
	check(cuMemAllocHost((void **)&pinned, SIZE));
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
