/* What CUDA says about an address. Our blocks are whole allocations of CUDA's,
 * so most of its answers hold. But a block may be longer than what was asked
 * for, each life of a block counts as an allocation of its own, and a block
 * that the program has freed is not there any more. */
#include "block/block.h"
#include "block/buffer_id.h"
#include "call.h"
#include "context/context.h"
#include "hook.h"
#include "heap/mempool.h"
#include "mem/mem.h"
#include "stats/mempool_stats.h"
#include "cuda/real.h"

/* Its address is never an allocation of CUDA's. */
static char not_an_allocation;

/* The block that holds the address, and its state; NULL if there is none. */
static struct block *block_around(CUdeviceptr addr, uint64_t *word)
{
	CUdeviceptr base;

	*word = 0;
	if (!mem_enabled() ||
	    REAL_CALL(cuPointerGetAttribute, &base,
		      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, addr))
		return NULL;
	return block_find(base, word);
}

/* The address to ask CUDA about: addr, or, if the program has nothing at addr
 * in this block, an address that is no allocation. */
static CUdeviceptr address_to_ask(const struct block *block, uint64_t word,
				  CUdeviceptr addr)
{
	bool gone = block && (word & BLOCK_IDLE ||
			      addr - block_addr(block) >= block_size(block));

	return gone ? (CUdeviceptr)&not_an_allocation : addr;
}

/* CUDA's answer may be the address that it was asked about: addr replaces
 * it. */
static void name_back(void *answer, CUdeviceptr addr)
{
	CUdeviceptr *named = answer;

	if (*named == (CUdeviceptr)&not_an_allocation)
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

/* Corrects an answer about the live block at base. An id of CUDA's own is a
 * small number, so ours has the top bit set. */
static void attribute_correct(struct block *block, uint64_t base,
			      CUpointer_attribute attribute, void *answer)
{
	if (block_mempool(block))
		attribute_of_pool(block_mempool(block), attribute, answer);
	if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
		*(size_t *)answer = block_size(block);
	if (attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID)
		*(unsigned long long *)answer =
			1ull << 63 | buffer_id_of(block, base);
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size,
					CUdeviceptr addr)
{
	uint64_t word;
	struct block *block = block_around(addr, &word);
	CUresult res = REAL_CALL(cuMemGetAddressRange_v2, base, size,
				 address_to_ask(block, word, addr));

	if (!res && block && size)
		*size = block_size(block);
	return res;
}

EXPORT CUresult cuPointerGetAttribute(void *answer,
				      CUpointer_attribute attribute,
				      CUdeviceptr addr)
{
	uint64_t word;
	struct block *block = block_around(addr, &word);
	CUresult res = REAL_CALL(cuPointerGetAttribute, answer, attribute,
				 address_to_ask(block, word, addr));

	if (!res && block)
		attribute_correct(block, word & ~BLOCK_BITS, attribute, answer);
	return res;
}

EXPORT CUresult cuPointerGetAttributes(unsigned int count,
				       CUpointer_attribute *attributes,
				       void **answers, CUdeviceptr addr)
{
	uint64_t word;
	struct block *block = block_around(addr, &word);
	CUdeviceptr asked = address_to_ask(block, word, addr);
	CUresult res = REAL_CALL(cuPointerGetAttributes, count, attributes,
				 answers, asked);

	for (unsigned int i = 0; !res && block && i < count; i++)
		if (asked == addr)
			attribute_correct(block, word & ~BLOCK_BITS,
					  attributes[i], answers[i]);
		else if (attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER)
			name_back(answers[i], addr);
	return res;
}

/* The attribute holds for the memory's whole life, so the block is not
 * reused. */
EXPORT CUresult cuPointerSetAttribute(const void *value,
				      CUpointer_attribute attribute,
				      CUdeviceptr addr)
{
	CUresult res = REAL_CALL(cuPointerSetAttribute, value, attribute, addr);
	uint64_t word;
	struct block *block = res ? NULL : block_around(addr, &word);

	if (block)
		block_mark(block, word & ~BLOCK_BITS, BLOCK_EXPORTED);
	return res;
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *ptr,
					     unsigned int flags)
{
	uint64_t word;
	struct block *block = block_around((CUdeviceptr)ptr, &word);

	return REAL_CALL(cuMemHostGetDevicePointer_v2, out,
			 (void *)address_to_ask(block, word, (CUdeviceptr)ptr),
			 flags);
}

EXPORT CUresult cuMemHostGetFlags(unsigned int *flags, void *ptr)
{
	uint64_t word;
	struct block *block = block_around((CUdeviceptr)ptr, &word);

	return REAL_CALL(cuMemHostGetFlags, flags,
			 (void *)address_to_ask(block, word, (CUdeviceptr)ptr));
}

EXPORT cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *answer, const void *ptr)
{
	const struct real_runtime *real = real_runtime();
	uint64_t word;
	struct block *block;
	cudaError_t res;

	if (!real || !real->cudaPointerGetAttributes)
		return cudaErrorInitializationError;
	block = block_around((CUdeviceptr)ptr, &word);
	res = real->cudaPointerGetAttributes(
		answer,
		(const void *)address_to_ask(block, word, (CUdeviceptr)ptr));
	if (!res && answer)
		name_back(&answer->hostPointer, (CUdeviceptr)ptr);
	return res;
}
