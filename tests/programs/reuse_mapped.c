/* reuse_mapped CASE: does as reuse does, with pages that are mapped, and moved
 * from one address to another. Prints the number of violations. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 2 << 20, PAGES = 4, PART = 4096 };

static CUstream first, second; /* non-blocking */
static CUevent event;
static CUmemGenericAllocationHandle handles[2];
static CUdeviceptr base; /* two pages are mapped there, one behind the other */
static CUdeviceptr next; /* nothing is mapped there yet */
static void (*own)(unsigned long long addr, size_t size, const char *label);
static void (*disown)(unsigned long long addr);

static void check(CUresult res)
{
	if (!res)
		return;
	fprintf(stderr, "CUDA error %d\n", res);
	exit(1);
}

static void map(CUdeviceptr addr, int page)
{
	const CUmemAccessDesc desc = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
				      CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

	check(cuMemMap(addr, PAGE, 0, handles[page], 0));
	check(cuMemSetAccess(addr, PAGE, &desc, 1));
}

static void work(CUdeviceptr addr, size_t size, CUstream stream)
{
	check(cuMemsetD8Async(addr, 1, size, stream));
}

/* The old owner has all of the first page and a part of the second. It works at
 * the end of what it has. */
static void old_works(void)
{
	own(base, PAGE + PART, "old");
	work(base + PAGE - PART, 2 * PART, first);
	disown(base);
}

/* The second page moves, and somebody else gets its begin. */
static void new_works(CUstream stream)
{
	map(next, 1);
	own(next, PART, "new");
	work(next, PART, stream);
}

static void ordered(void)
{
	check(cuEventRecord(event, first));
	check(cuStreamWaitEvent(second, event, 0));
}

static void moved_in_one_stream(void)
{
	old_works();
	new_works(first);
}

static void moved_after_an_event(void)
{
	old_works();
	ordered();
	new_works(second);
}

static void moved_without_its_handle(void)
{
	old_works();
	ordered();
	new_works(second);
	check(cuMemRelease(handles[1]));
}

static void other_bytes_of_a_moved_page(void)
{
	old_works();
	map(next, 1);
	own(next + PART, PART, "new");
	work(next + PART, PART, second);
}

static void other_page_moved(void)
{
	own(base, PART, "old");
	work(base, PART, first);
	disown(base);
	new_works(second);
}

static void mapped_twice_by_one_owner(void)
{
	map(next, 1);
	work(base + PAGE, PART, first);
	work(next, PART, second);
}

static void two_owners_in_one_page(void)
{
	own(base, PART, "one");
	own(base + PART, PAGE, "other");
	work(base, PART, first);
	work(base + PART, PAGE, second);
}

static void two_owners_in_one_allocation(void)
{
	CUdeviceptr addr;

	check(cuMemAlloc(&addr, PAGE));
	own(addr, PART, "one");
	own(addr + PART, PART, "other");
	work(addr, PART, first);
	work(addr + PART, PART, second);
}

static void unmapped_beside_work_at_the_other_address(void)
{
	old_works();
	check(cuStreamSynchronize(first));
	new_works(second);
	check(cuMemUnmap(base, 2 * PAGE));
}

static void moved_in_no_order(void)
{
	old_works();
	new_works(second);
}

static void moved_in_no_order_without_its_handle(void)
{
	old_works();
	map(next, 1);
	check(cuMemRelease(handles[1]));
	own(next, PART, "new");
	work(next, PART, second);
}

static void moved_twice_in_no_order(void)
{
	old_works();
	ordered();
	new_works(second);
	disown(next);
	map(next + PAGE, 1);
	own(next + PAGE, PART, "third");
	work(next + PAGE, PART, first);
}

static void used_at_the_old_address(void)
{
	old_works();
	ordered();
	new_works(second);
	work(base + PAGE, PART, second);
}

static void owned_at_both_addresses(void)
{
	own(base, PAGE + PART, "old");
	map(next, 1);
	own(next, PART, "new");
}

static void unmapped_too_early_at_the_old_address(void)
{
	old_works();
	map(next, 1);
	check(cuMemUnmap(base + PAGE, PAGE));
}

static void unmapped_too_early_at_the_new_address(void)
{
	map(next, 1);
	own(next, PART, "new");
	work(next, PART, first);
	disown(next);
	check(cuMemUnmap(next, PAGE));
}

static void past_the_end_into_the_next_page(void)
{
	own(base, PAGE, "one");
	own(base + PAGE, PART, "other");
	work(base + PAGE - PART, 2 * PART, first);
}

/* clang-format off */
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(name) {#name, name}
	CASE(moved_in_one_stream), CASE(moved_after_an_event),
	CASE(moved_without_its_handle), CASE(other_bytes_of_a_moved_page),
	CASE(other_page_moved), CASE(mapped_twice_by_one_owner),
	CASE(two_owners_in_one_page), CASE(two_owners_in_one_allocation),
	CASE(unmapped_beside_work_at_the_other_address),
	CASE(moved_in_no_order), CASE(moved_in_no_order_without_its_handle),
	CASE(moved_twice_in_no_order), CASE(used_at_the_old_address),
	CASE(owned_at_both_addresses),
	CASE(unmapped_too_early_at_the_old_address),
	CASE(unmapped_too_early_at_the_new_address),
	CASE(past_the_end_into_the_next_page),
};
/* clang-format on */

static void start(void)
{
	const CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUcontext ctx;

	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&ctx, 0));
	check(cuCtxSetCurrent(ctx));
	check(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	check(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	check(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	check(cuMemAddressReserve(&base, (size_t)PAGES * PAGE, 0, 0, 0));
	next = base + 2 * PAGE;
	for (int i = 0; i < 2; i++) {
		check(cuMemCreate(&handles[i], PAGE, &prop, 0));
		map(base + (CUdeviceptr)i * PAGE, i);
	}
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
