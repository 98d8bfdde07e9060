/* Asks for memory in each way and frees it, and compares with what UCX's hooks
 * report of that. Writes to the file that is named what each way comes out as,
 * a line of JSON each. */
#include <stdio.h>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <ucm/api/ucm.h>

enum { SIZE = 3 << 20, ROUNDS = 3 };

static char *address; /* what was given out, or is to be freed */
static int allocs, frees;

static void heard(ucm_event_type_t type, ucm_event_t *event, void *arg)
{
	char *start = event->mem_type.address;

	(void)arg;
	if (type == UCM_EVENT_MEM_TYPE_FREE) {
		frees += start == address;
		return;
	}
	address = start;
	allocs += event->mem_type.size >= SIZE;
}

#define WAY(name, request, give_back) \
	static int name(void **ptr) \
	{ \
		return request; \
	} \
	static int name##_free(void *ptr) \
	{ \
		return give_back; \
	}

WAY(mem_alloc, cuMemAlloc((CUdeviceptr *)ptr, SIZE),
    cuMemFree((CUdeviceptr)ptr))
WAY(mem_managed,
    cuMemAllocManaged((CUdeviceptr *)ptr, SIZE, CU_MEM_ATTACH_GLOBAL),
    cuMemFree((CUdeviceptr)ptr))
WAY(mem_async, cuMemAllocAsync((CUdeviceptr *)ptr, SIZE, NULL),
    cuMemFreeAsync((CUdeviceptr)ptr, NULL))
WAY(runtime, cudaMalloc(ptr, SIZE), cudaFree(ptr))
WAY(runtime_managed, cudaMallocManaged(ptr, SIZE, cudaMemAttachGlobal),
    cudaFree(ptr))
WAY(runtime_async, cudaMallocAsync(ptr, SIZE, NULL), cudaFreeAsync(ptr, NULL))

static const struct way {
	const char *name;
	int (*request)(void **ptr);
	int (*give_back)(void *ptr);
} ways[] = {
	{"cuMemAlloc", mem_alloc, mem_alloc_free},
	{"cuMemAllocManaged", mem_managed, mem_managed_free},
	{"cuMemAllocAsync", mem_async, mem_async_free},
	{"cudaMalloc", runtime, runtime_free},
	{"cudaMallocManaged", runtime_managed, runtime_managed_free},
	{"cudaMallocAsync", runtime_async, runtime_async_free},
};

/* Whether each round was told of once, with the program's own address. */
static void try_way(const struct way *way, FILE *out)
{
	int right = 0;

	allocs = frees = 0;
	for (int i = 0; i < ROUNDS; i++) {
		void *ptr = NULL;

		address = NULL;
		if (way->request(&ptr))
			break;
		right += ptr && address == ptr;
		address = ptr;
		if (way->give_back(ptr))
			break;
	}
	fprintf(out,
		"{\"test\": \"%s\", \"outcome\": \"%s\", \"detail\": "
		"\"%d allocations, %d frees, %d of %d addresses\"}\n",
		way->name,
		right == ROUNDS && allocs == ROUNDS && frees == ROUNDS
			? "passed"
			: "failed",
		allocs, frees, right, ROUNDS);
}

int main(int argc, char **argv)
{
	FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;

	if (!out || cudaFree(NULL) ||
	    ucm_set_event_handler(UCM_EVENT_MEM_TYPE_ALLOC |
					  UCM_EVENT_MEM_TYPE_FREE,
				  0, heard, NULL))
		return 1;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		try_way(&ways[i], out);
	return fclose(out) != 0;
}
