#include "tool.h"

#include "cuda/nvtx.h"

_Atomic bool tool_is_there;

#ifdef HAS_NVTX

static nvtxDomainHandle_t domain;

/* NVTX loads the tool that NVTX_INJECTION64_PATH names, and the tool says which
 * calls it wants. */
void tool_look(void)
{
	const intptr_t *wanted = NVTX_EXT_MEM_VERSIONED_ID(nvtxExtMemSlots) + 1;

	NVTX_EXT_MEM_VERSIONED_ID(nvtxExtMemInitOnce)();
	if (wanted[NVTX3EXT_CBID_nvtxMemRegionsRegister] ==
	    NVTX_EXTENSION_DISABLED)
		return;
	domain = nvtxDomainCreateA("mnm");
	tool_is_there = true;
}

void *tool_heap_begin(uint64_t addr, size_t bytes)
{
	const nvtxMemVirtualRangeDesc_t range = {bytes, (const void *)addr};
	const nvtxMemHeapDesc_t heap = {
		.extCompatID = NVTX_EXT_COMPATID_MEM,
		.structSize = sizeof(heap),
		.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
		.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
		.typeSpecificDescSize = sizeof(range),
		.typeSpecificDesc = &range,
	};

	return tool_listens() ? nvtxMemHeapRegister(domain, &heap) : NULL;
}

void tool_heap_end(void *heap)
{
	if (tool_listens())
		nvtxMemHeapUnregister(domain, heap);
}

void tool_block_begin(void *heap, uint64_t addr, size_t bytes)
{
	const nvtxMemVirtualRangeDesc_t range = {bytes, (const void *)addr};
	const nvtxMemRegionsRegisterBatch_t batch = {
		.extCompatID = NVTX_EXT_COMPATID_MEM,
		.structSize = sizeof(batch),
		.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
		.heap = heap,
		.regionCount = 1,
		.regionDescElementSize = sizeof(range),
		.regionDescElements = &range,
	};

	nvtxMemRegionsRegister(domain, &batch);
}

void tool_block_end(uint64_t addr)
{
	const nvtxMemRegionRef_t block = {.pointer = (const void *)addr};
	const nvtxMemRegionsUnregisterBatch_t batch = {
		.extCompatID = NVTX_EXT_COMPATID_MEM,
		.structSize = sizeof(batch),
		.refType = NVTX_MEM_REGION_REF_TYPE_POINTER,
		.refCount = 1,
		.refElementSize = sizeof(block),
		.refElements = &block,
	};

	nvtxMemRegionsUnregister(domain, &batch);
}

#else /* a toolkit without these headers: no tool hears of blocks */

void tool_look(void)
{
}

void *tool_heap_begin(uint64_t addr, size_t bytes)
{
	(void)addr, (void)bytes;
	return NULL;
}

void tool_heap_end(void *heap)
{
	(void)heap;
}

void tool_block_begin(void *heap, uint64_t addr, size_t bytes)
{
	(void)heap, (void)addr, (void)bytes;
}

void tool_block_end(uint64_t addr)
{
	(void)addr;
}

#endif
