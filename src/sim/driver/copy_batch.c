/* Batches of copies. They run one after the other, and cost what they would
 * cost alone. */
#include <stdint.h>

#include "copy.h"
#include "entries.h"

/* Checks that each copy has attributes, and that these say how a
 * source is read. */
static bool attributes_are_right(const CUmemcpyAttributes *attrs,
				 const size_t *first, size_t number,
				 size_t count)
{
	if (!attrs || !first || !number || number > count || first[0])
		return false;
	for (size_t i = 0; i < number; i++)
		if (attrs[i].srcAccessOrder <
			    CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
		    attrs[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY ||
		    first[i] >= count || (i && first[i] <= first[i - 1]))
			return false;
	return true;
}

static CUresult sides_check(const struct copy *copy, size_t to, size_t from)
{
	CUresult res = copy_check(copy->dst, to, true);

	return res ? res : copy_check(copy->src, from, false);
}

CUresult sim_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs,
				size_t *sizes, size_t count,
				CUmemcpyAttributes *attrs, size_t *first,
				size_t number, size_t *failed, CUstream where)
{
	CUresult res = CUDA_SUCCESS;
	struct copy copy;

	if (failed)
		*failed = SIZE_MAX; /* no copy is to blame */
	if (!dsts || !srcs || !sizes || !count || !where ||
	    where == CU_STREAM_LEGACY ||
	    !attributes_are_right(attrs, first, number, count))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		copy = copy_flat(dsts[i], srcs[i], sizes[i]);
		res = sides_check(&copy, sizes[i], sizes[i]);
		if (res && failed)
			*failed = i;
		if (res)
			return res;
	}
	for (size_t i = 0; i < count && !res; i++)
		res = copy_submit(copy_flat(dsts[i], srcs[i], sizes[i]), where,
				  true);
	return res;
}

CUresult sim_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs,
				   size_t *sizes, size_t count,
				   CUmemcpyAttributes *attrs, size_t *first,
				   size_t number, CUstream where)
{
	return sim_cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, first,
				      number, NULL, where);
}

/* Makes a copy of a batch's operation. Only pointers are supported. */
static CUresult box_of(const CUDA_MEMCPY3D_BATCH_OP *op, struct copy *copy)
{
	CUDA_MEMCPY3D shape = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
			       .srcDevice = op->src.op.ptr.ptr,
			       .srcPitch = op->src.op.ptr.rowLength,
			       .srcHeight = op->src.op.ptr.layerHeight,
			       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
			       .dstDevice = op->dst.op.ptr.ptr,
			       .dstPitch = op->dst.op.ptr.rowLength,
			       .dstHeight = op->dst.op.ptr.layerHeight,
			       .WidthInBytes = op->extent.width,
			       .Height = op->extent.height,
			       .Depth = op->extent.depth};

	if (op->src.type == CU_MEMCPY_OPERAND_TYPE_ARRAY ||
	    op->dst.type == CU_MEMCPY_OPERAND_TYPE_ARRAY)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (op->src.type != CU_MEMCPY_OPERAND_TYPE_POINTER ||
	    op->dst.type != CU_MEMCPY_OPERAND_TYPE_POINTER ||
	    op->srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
	    op->srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY ||
	    !op->extent.width || !op->extent.height || !op->extent.depth)
		return CUDA_ERROR_INVALID_VALUE;
	return copy_from_3d(&shape, copy);
}

CUresult sim_cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *ops,
				  size_t *failed, unsigned long long flags,
				  CUstream where)
{
	CUresult res = CUDA_SUCCESS;
	struct copy copy;

	if (failed)
		*failed = SIZE_MAX; /* no copy is to blame */
	if (!count || !ops || flags || !where || where == CU_STREAM_LEGACY)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		res = box_of(&ops[i], &copy);
		if (res && failed)
			*failed = i;
		if (res)
			return res;
	}
	for (size_t i = 0; i < count && !res; i++) {
		res = box_of(&ops[i], &copy);
		if (!res)
			res = copy_submit(copy, where, true);
	}
	return res;
}

CUresult sim_cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *ops,
				     unsigned long long flags, CUstream where)
{
	return sim_cuMemcpy3DBatchAsync(count, ops, NULL, flags, where);
}
