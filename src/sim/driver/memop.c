/* Operations of a stream on a value in memory: writes of it, and waits until it
 * is as the program wants it. A batch does one after the other. */
#include "memop.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "copy.h"
#include "device.h"
#include "entries.h"
#include "host.h"
#include "owner.h"
#include "stream.h"
#include "touch.h"
#include "world.h"

enum { BATCH_MOST = 256, LOOK_NS = 50000 };

static bool is_wait(const CUstreamBatchMemOpParams *part)
{
	return part->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
	       part->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static bool is_write(const CUstreamBatchMemOpParams *part)
{
	return part->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
	       part->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

size_t memop_size(const CUstreamBatchMemOpParams *part)
{
	if (!is_wait(part) && !is_write(part))
		return 0;
	return part->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
			       part->operation ==
				       CU_STREAM_MEM_OP_WRITE_VALUE_32
		       ? sizeof(cuuint32_t)
		       : sizeof(cuuint64_t);
}

static bool is_met(const CUstreamBatchMemOpParams *part)
{
	bool wide = memop_size(part) == sizeof(cuuint64_t);
	const void *addr = (const void *)part->waitValue.address;
	cuuint64_t most = wide ? UINT64_MAX : UINT32_MAX;
	cuuint64_t value = part->waitValue.value64 & most;
	cuuint64_t found = wide ? __atomic_load_n((const cuuint64_t *)addr,
						  __ATOMIC_ACQUIRE)
				: __atomic_load_n((const cuuint32_t *)addr,
						  __ATOMIC_ACQUIRE);

	switch (part->waitValue.flags) {
	case CU_STREAM_WAIT_VALUE_EQ:
		return found == value;
	case CU_STREAM_WAIT_VALUE_AND:
		return found & value;
	case CU_STREAM_WAIT_VALUE_NOR:
		return ~(found | value) & most;
	default: /* the distance is not negative, with its sign */
		return ((found - value) & most) <= most / 2;
	}
}

static void part_write(const CUstreamBatchMemOpParams *part)
{
	if (memop_size(part) == sizeof(cuuint32_t))
		__atomic_store_n((cuuint32_t *)part->writeValue.address,
				 part->writeValue.value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((cuuint64_t *)part->writeValue.address,
				 part->writeValue.value64, __ATOMIC_RELEASE);
}

/* The waits before the first write keep the operation from starting. Memory
 * that is gone is not looked at: the checker has to meet the operation. */
static bool memop_held(const struct op *op)
{
	for (unsigned i = 0; i < op->touched_count; i++)
		if (op->touched[i].memory && op->touched[i].memory->gone)
			return false;
	for (unsigned i = 0; i < op->memops.count; i++) {
		const CUstreamBatchMemOpParams *part = &op->memops.parts[i];

		if (is_write(part))
			return false;
		if (is_wait(part) && !is_met(part))
			return true;
	}
	return false;
}

static void memop_run(struct op *op)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};

	for (unsigned i = 0; i < op->memops.count; i++) {
		const CUstreamBatchMemOpParams *part = &op->memops.parts[i];

		if (is_write(part))
			part_write(part);
		while (is_wait(part) && !is_met(part))
			nanosleep(&look, NULL);
	}
}

/* Device memory and the driver's or registered memory of the host, but no
 * managed memory. */
static CUresult address_check(CUdeviceptr addr, size_t size, bool write)
{
	const struct block *block = device_block(addr);

	if (!addr || !size || addr % size ||
	    (block && block_is_managed(block)) || !copy_is_visible(addr))
		return CUDA_ERROR_INVALID_VALUE;
	return copy_check((const char *)addr, size, write);
}

static CUresult part_check(const CUstreamBatchMemOpParams *part)
{
	size_t size = memop_size(part);

	if (is_wait(part)) {
		if (part->waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH)
			return CUDA_ERROR_NOT_SUPPORTED;
		return part->waitValue.flags > CU_STREAM_WAIT_VALUE_NOR
			       ? CUDA_ERROR_INVALID_VALUE
			       : address_check(part->waitValue.address, size,
					       false);
	}
	if (is_write(part))
		return part->writeValue.flags >
				       CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER
			       ? CUDA_ERROR_INVALID_VALUE
			       : address_check(part->writeValue.address, size,
					       true);
	if (part->operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES)
		return CUDA_ERROR_NOT_SUPPORTED;
	return part->operation == CU_STREAM_MEM_OP_BARRIER
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

static CUresult parts_copy(struct op *op, const CUstreamBatchMemOpParams *parts)
{
	size_t bytes = op->memops.count * sizeof(*parts);

	op->owned = malloc(bytes);
	if (!op->owned)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(op->owned, parts, bytes);
	op->memops.parts = op->owned;
	return CUDA_SUCCESS;
}

static CUresult memop_renew(struct op *op)
{
	return parts_copy(op, op->memops.parts);
}

/* A thread that helps must not be stuck in a wait behind a write. */
static bool waits_inside(const struct op *op)
{
	bool wrote = false;

	for (unsigned i = 0; i < op->memops.count; i++) {
		if (wrote && is_wait(&op->memops.parts[i]))
			return true;
		wrote |= is_write(&op->memops.parts[i]);
	}
	return false;
}

CUresult memop_op(const CUstreamBatchMemOpParams *parts, unsigned count,
		  struct op **out)
{
	struct op *op;
	CUresult res = count && count <= BATCH_MOST && parts
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_VALUE;

	for (unsigned i = 0; i < count && !res; i++)
		res = part_check(&parts[i]);
	if (res)
		return res;
	op = op_new(memop_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
	op->renew = memop_renew;
	op->held = memop_held;
	op->touch = touch_memop;
	op->memops.count = count;
	res = parts_copy(op, parts);
	if (res) {
		op_drop(op);
		return res;
	}
	op->on_worker = waits_inside(op);
	*out = op;
	return CUDA_SUCCESS;
}

/* Outside of a capture each operation has a place of its own in the stream. */
static CUresult memop_submit(CUstream where,
			     const CUstreamBatchMemOpParams *parts,
			     unsigned count)
{
	struct stream *stream;
	struct op *op;
	CUresult res = stream_use(where, &stream);

	if (!res) /* all of them are checked before the first is queued */
		res = memop_op(parts, count, &op);
	if (res)
		return res;
	clock_spend(world.profile.submit_ns);
	if (count == 1 || stream->capture)
		return op_submit(op, stream, 0);
	op_drop(op);
	for (unsigned i = 0; i < count && !res; i++) {
		res = memop_op(&parts[i], 1, &op);
		if (!res)
			res = op_submit(op, stream, 0);
	}
	return res;
}

CUresult sim_cuStreamBatchMemOp_v2(CUstream where, unsigned count,
				   CUstreamBatchMemOpParams *parts,
				   unsigned flags)
{
	return flags ? CUDA_ERROR_INVALID_VALUE
		     : memop_submit(where, parts, count);
}

/* A write has the form of a wait. A value of 32 bits is the low part of one of
 * 64. */
static CUresult value_submit(CUstream where, CUstreamBatchMemOpType operation,
			     CUdeviceptr addr, cuuint64_t value, unsigned flags)
{
	CUstreamBatchMemOpParams part = {.waitValue = {.operation = operation,
						       .address = addr,
						       .value64 = value,
						       .flags = flags}};

	return memop_submit(where, &part, 1);
}

CUresult sim_cuStreamWaitValue32_v2(CUstream where, CUdeviceptr addr,
				    cuuint32_t value, unsigned flags)
{
	return value_submit(where, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value,
			    flags);
}

CUresult sim_cuStreamWaitValue64_v2(CUstream where, CUdeviceptr addr,
				    cuuint64_t value, unsigned flags)
{
	return value_submit(where, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value,
			    flags);
}

CUresult sim_cuStreamWriteValue32_v2(CUstream where, CUdeviceptr addr,
				     cuuint32_t value, unsigned flags)
{
	return value_submit(where, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value,
			    flags);
}

CUresult sim_cuStreamWriteValue64_v2(CUstream where, CUdeviceptr addr,
				     cuuint64_t value, unsigned flags)
{
	return value_submit(where, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value,
			    flags);
}
