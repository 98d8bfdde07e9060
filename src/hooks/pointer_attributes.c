/* What CUDA says about an address. Most of its answers hold. But a block may be
 * longer than what was asked for, or a part of an allocation of CUDA's (a
 * region), each life of a block counts as an allocation of its own, and a block
 * that the program has freed is not there any more. */
#include "block/block.h"
#include "block/buffer_id.h"
#include "call.h"
#include "context/context.h"
#include "holder.h"
#include "hook.h"
#include "heap/mempool.h"
#include "pools/pool.h"
#include "mem/mem.h"
#include "stats/mempool_stats.h"
#include "cuda/real.h"

/* CUDA's answer may be the address that it was asked about: addr replaces
 * it. */
static void name_back(void *answer, CUdeviceptr addr)
{
	CUdeviceptr *named = answer;

	if (*named == NO_ALLOCATION)
		*named = addr;
}

/* Corrects an answer about a live block of a pool of CUDA's, whose memory
 * belongs to no context and can't be passed to other processes. */
static void attribute_of_pool(unsigned int mempool,
			      CUpointer_attribute attribute, void *answer)
{
	if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT)
		*(CUcontext *)answer = NULL;
	if (attribute == CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE)
		*(int *)answer = 0;
	if (attribute == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)
		*(CUmemoryPool *)answer = mempool_handle(mempool);
}

/* The program has asked for memory of the device, and CUDA says that it is
 * managed: that it may be on the host, and used from there. The runtime says
 * what it is told here. */
static void attribute_of_managed(CUpointer_attribute attribute, void *answer)
{
	if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
		*(unsigned int *)answer = CU_MEMORYTYPE_DEVICE;
	if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED)
		*(unsigned int *)answer = 0;
	if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER)
		*(void **)answer = NULL;
}

/* Virtual memory belongs to no context, but what the program has asked for does
 * in all that CUDA would say. UCX and Open MPI take memory without a context
 * for a pool's. */
static void attribute_of_block(const struct holder *holder,
			       CUpointer_attribute attribute, void *answer)
{
	struct block *block = holder->block;
	bool lacks_context = holder->backing == MNM_BACKING_VIRTUAL ||
			     holder->backing == MNM_BACKING_MANAGED;

	if (lacks_context && attribute == CU_POINTER_ATTRIBUTE_CONTEXT)
		*(CUcontext *)answer = block_pool(block)->heap->context->handle;
	if (holder->backing == MNM_BACKING_MANAGED)
		attribute_of_managed(attribute, answer);
	if (block_mempool(block))
		attribute_of_pool(block_mempool(block), attribute, answer);
	if (attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID)
		*(unsigned long long *)answer =
			1ull << 63 | buffer_id_of(block, holder->base);
}

/* Corrects an answer about what is known at an address. An id of CUDA's own is
 * a small number, so ours has the top bit set. */
static void attribute_correct(const struct holder *holder,
			      CUpointer_attribute attribute, void *answer)
{
	bool part = holder->placed || holder->imported;

	if (holder->block)
		attribute_of_block(holder, attribute, answer);
	if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
	    (part && attribute == CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR))
		*(CUdeviceptr *)answer = holder->base;
	if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE ||
	    (part && attribute == CU_POINTER_ATTRIBUTE_MAPPING_SIZE))
		*(size_t *)answer = holder->size;
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size,
					CUdeviceptr addr)
{
	const struct holder holder = holder_of(addr);
	CUresult res = REAL_CALL(cuMemGetAddressRange_v2, base, size,
				 holder_address(&holder, addr));

	if (!res && holder_is_known(&holder) && base)
		*base = holder.base;
	if (!res && holder_is_known(&holder) && size)
		*size = holder.size;
	return res;
}

EXPORT CUresult cuPointerGetAttribute(void *answer,
				      CUpointer_attribute attribute,
				      CUdeviceptr addr)
{
	const struct holder holder = holder_of(addr);
	CUdeviceptr asked = holder_address(&holder, addr);
	CUresult res;

	/* The host has no address of what it is not to use. */
	if (holder.backing == MNM_BACKING_MANAGED &&
	    attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER)
		asked = NO_ALLOCATION;
	res = REAL_CALL(cuPointerGetAttribute, answer, attribute, asked);
	if (!res && holder_is_known(&holder))
		attribute_correct(&holder, attribute, answer);
	return res;
}

EXPORT CUresult cuPointerGetAttributes(unsigned int count,
				       CUpointer_attribute *attributes,
				       void **answers, CUdeviceptr addr)
{
	const struct holder holder = holder_of(addr);
	CUdeviceptr asked = holder_address(&holder, addr);
	CUresult res = REAL_CALL(cuPointerGetAttributes, count, attributes,
				 answers, asked);

	for (unsigned int i = 0; !res && i < count; i++)
		if (asked == addr && holder_is_known(&holder))
			attribute_correct(&holder, attributes[i], answers[i]);
		else if (asked != addr &&
			 attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER)
			name_back(answers[i], addr);
	return res;
}

/* The attribute holds for the memory's whole life, so the block is not reused.
 * A region has it with all of its blocks, and what is placed there later finds
 * its calls synchronous, which is slower and never wrong. */
EXPORT CUresult cuPointerSetAttribute(const void *value,
				      CUpointer_attribute attribute,
				      CUdeviceptr addr)
{
	const struct holder holder = holder_of(addr);
	CUresult res = REAL_CALL(cuPointerSetAttribute, value, attribute,
				 holder_address(&holder, addr));

	if (!res && holder.block && !holder.placed)
		block_mark(holder.block, holder.base, BLOCK_EXPORTED);
	return res;
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *ptr,
					     unsigned int flags)
{
	const struct holder holder = holder_of((CUdeviceptr)ptr);

	return REAL_CALL(cuMemHostGetDevicePointer_v2, out,
			 (void *)holder_address(&holder, (CUdeviceptr)ptr),
			 flags);
}

EXPORT CUresult cuMemHostGetFlags(unsigned int *flags, void *ptr)
{
	const struct holder holder = holder_of((CUdeviceptr)ptr);

	return REAL_CALL(cuMemHostGetFlags, flags,
			 (void *)holder_address(&holder, (CUdeviceptr)ptr));
}

EXPORT cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *answer, const void *ptr)
{
	const struct real_runtime *real = real_runtime();
	struct holder holder;
	cudaError_t res;

	if (!real || !real->cudaPointerGetAttributes)
		return cudaErrorInitializationError;
	holder = holder_of((CUdeviceptr)ptr);
	res = real->cudaPointerGetAttributes(
		answer,
		(const void *)holder_address(&holder, (CUdeviceptr)ptr));
	if (!res && answer)
		name_back(&answer->hostPointer, (CUdeviceptr)ptr);
	return res;
}
