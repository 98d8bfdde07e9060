/* A tool that NVTX injects (NVTX_INJECTION64_PATH). It checks what it hears of
 * memory, and at its end writes to the file that NVTX_TOOL_REPORT names how
 * many heaps and pieces of memory it was told of, how many are left, and how
 * many calls were wrong. */
#include <nvtx3/nvToolsExtMem.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 16 };

struct range {
	uintptr_t addr;
	size_t bytes;
	size_t heap; /* of a piece: the heap's place */
	int is_there;
};

struct ranges {
	struct range all[MOST];
	size_t count, told, left;
};

static struct ranges heaps, pieces;
static size_t wrong;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
	nvtxExtModuleInfo_t *module);

static int overlaps(const struct ranges *ranges, uintptr_t addr, size_t bytes)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->all[i].is_there &&
		    addr < ranges->all[i].addr + ranges->all[i].bytes &&
		    ranges->all[i].addr < addr + bytes)
			return 1;
	return 0;
}

/* Returns the place of what was added. */
static size_t add(struct ranges *ranges, struct range range)
{
	size_t at = 0;

	wrong += !range.bytes || overlaps(ranges, range.addr, range.bytes);
	while (at < ranges->count && ranges->all[at].is_there)
		at++;
	if (at == MOST)
		abort();
	range.is_there = 1;
	ranges->all[at] = range;
	ranges->count += at == ranges->count;
	ranges->told++;
	ranges->left++;
	return at;
}

static void end(struct ranges *ranges, size_t at)
{
	ranges->all[at].is_there = 0;
	ranges->left--;
}

static nvtxMemHeapHandle_t heap_begins(nvtxDomainHandle_t domain,
				       const nvtxMemHeapDesc_t *heap)
{
	const nvtxMemVirtualRangeDesc_t *range = heap->typeSpecificDesc;
	size_t at;

	(void)domain;
	pthread_mutex_lock(&lock);
	wrong += heap->extCompatID != NVTX_EXT_COMPATID_MEM ||
		 heap->structSize != sizeof(*heap) ||
		 heap->usage != NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR ||
		 heap->type != NVTX_MEM_TYPE_VIRTUAL_ADDRESS ||
		 heap->typeSpecificDescSize != sizeof(*range);
	at = add(&heaps, (struct range){.addr = (uintptr_t)range->ptr,
					.bytes = range->size});
	pthread_mutex_unlock(&lock);
	return (nvtxMemHeapHandle_t)(at + 1);
}

/* Its pieces end with it. */
static void heap_ends(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap)
{
	size_t at = (size_t)heap - 1;

	(void)domain;
	pthread_mutex_lock(&lock);
	if (at < heaps.count && heaps.all[at].is_there)
		end(&heaps, at);
	else
		wrong++;
	for (size_t i = 0; i < pieces.count; i++)
		if (pieces.all[i].is_there && pieces.all[i].heap == at)
			end(&pieces, i);
	pthread_mutex_unlock(&lock);
}

static int is_inside(const struct range *heap, const struct range *piece)
{
	return heap->is_there && piece->addr >= heap->addr &&
	       piece->addr + piece->bytes <= heap->addr + heap->bytes;
}

static void pieces_begin(nvtxDomainHandle_t domain,
			 const nvtxMemRegionsRegisterBatch_t *batch)
{
	const nvtxMemVirtualRangeDesc_t *ranges = batch->regionDescElements;
	size_t heap = (size_t)batch->heap - 1;
	struct range piece = {.heap = heap};

	(void)domain;
	pthread_mutex_lock(&lock);
	wrong += batch->extCompatID != NVTX_EXT_COMPATID_MEM ||
		 batch->structSize != sizeof(*batch) ||
		 batch->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS ||
		 batch->regionDescElementSize != sizeof(*ranges);
	for (size_t i = 0; i < batch->regionCount; i++) {
		piece.addr = (uintptr_t)ranges[i].ptr;
		piece.bytes = ranges[i].size;
		wrong += heap >= heaps.count ||
			 !is_inside(&heaps.all[heap], &piece);
		add(&pieces, piece);
	}
	pthread_mutex_unlock(&lock);
}

static void piece_ends(uintptr_t addr)
{
	for (size_t i = 0; i < pieces.count; i++)
		if (pieces.all[i].is_there && pieces.all[i].addr == addr) {
			end(&pieces, i);
			return;
		}
	wrong++;
}

static void pieces_end(nvtxDomainHandle_t domain,
		       const nvtxMemRegionsUnregisterBatch_t *batch)
{
	(void)domain;
	pthread_mutex_lock(&lock);
	wrong += batch->extCompatID != NVTX_EXT_COMPATID_MEM ||
		 batch->structSize != sizeof(*batch) ||
		 batch->refType != NVTX_MEM_REGION_REF_TYPE_POINTER ||
		 batch->refElementSize != sizeof(*batch->refElements);
	for (size_t i = 0; i < batch->refCount; i++)
		piece_ends((uintptr_t)batch->refElements[i].pointer);
	pthread_mutex_unlock(&lock);
}

int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
	intptr_t *slots = module->segments->functionSlots;

	if (module->moduleId != NVTX_EXT_MODULEID_MEM)
		return 0;
	if (getenv("NVTX_TOOL_DEAF")) /* to memory */
		return 1;
	slots[NVTX3EXT_CBID_nvtxMemHeapRegister] = (intptr_t)heap_begins;
	slots[NVTX3EXT_CBID_nvtxMemHeapUnregister] = (intptr_t)heap_ends;
	slots[NVTX3EXT_CBID_nvtxMemRegionsRegister] = (intptr_t)pieces_begin;
	slots[NVTX3EXT_CBID_nvtxMemRegionsUnregister] = (intptr_t)pieces_end;
	return 1;
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("NVTX_TOOL_REPORT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file,
		"{\"heaps\": %zu, \"heaps_left\": %zu, \"pieces\": %zu, "
		"\"pieces_left\": %zu, \"wrong\": %zu}\n",
		heaps.told, heaps.left, pieces.told, pieces.left, wrong);
	fclose(file);
}
