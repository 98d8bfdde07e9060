/* Memory that is handed out of the process, or of its device: nothing of ours
 * orders what others do with it. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "block/block.h"
#include "call.h"
#include "common/log.h"
#include "control/control.h"
#include "holder.h"
#include "hook.h"
#include "mem/borrow.h"
#include "mem/exports.h"
#include "mem/mem.h"
#include "preload/thread.h"

_Static_assert(sizeof(CUipcMemHandle) == HANDLE_BYTES,
	       "exports.h knows the size of a handle");

/* The address to ask CUDA for a handle of. It has none for stream-ordered
 * memory. */
static CUdeviceptr address_to_pass(const struct holder *holder, CUdeviceptr ptr)
{
	return holder->block && holder->word & BLOCK_ORDERED &&
			       word_is_live(holder->word)
		       ? NO_ALLOCATION
		       : holder_address(holder, ptr);
}

static void folder_say(void)
{
	log_warn("cuIpcGetMemHandle: only programs under mnm that have the "
		 "same folder of control sockets can open this memory, a part "
		 "of an allocation; such sizes have allocations of their own "
		 "from now on");
}

/* CUDA's handle is that of the block's whole region. Makes one of ours for the
 * block, if that is only a part. */
static CUresult part_named(const struct holder *holder, CUipcMemHandle *handle)
{
	static struct once said = ONCE_INIT;
	char folder[PATH_MAX], error[256] = "";
	struct export part = {.size = holder->size};
	CUdeviceptr base;
	size_t size;

	if (REAL_CALL(cuMemGetAddressRange_v2, &base, &size, holder->base))
		return CUDA_ERROR_INVALID_VALUE;
	if (base == holder->base && size == holder->block->span)
		return CUDA_SUCCESS;
	memcpy(part.handle, handle, sizeof(part.handle));
	part.offset = holder->base - base;
	if (!control_folder(folder, sizeof(folder), error, sizeof(error)) ||
	    !export_make(folder, holder->base, &part,
			 (unsigned char *)handle)) {
		log_warn("cuIpcGetMemHandle: no handle for a part of an "
			 "allocation: %s",
			 *error ? error : strerror(errno));
		return CUDA_ERROR_INVALID_VALUE;
	}
	once_run(&said, folder_say);
	return CUDA_SUCCESS;
}

/* For an address in the middle, CUDA gives the handle of the whole
 * allocation. */
static CUresult handle_of(const struct holder *holder, CUdeviceptr ptr,
			  CUipcMemHandle *handle)
{
	CUdeviceptr asked = address_to_pass(holder, ptr);
	CUipcMemHandle made;
	CUresult res;

	if (!handle || !holder->placed)
		return REAL_CALL(cuIpcGetMemHandle, handle, asked);
	res = REAL_CALL(cuIpcGetMemHandle, &made, asked);
	if (!res)
		res = part_named(holder, &made);
	if (!res)
		*handle = made;
	return res;
}

/* The real call comes first of all, as it says whether the program may make
 * it. */
EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr ptr)
{
	const struct holder holder = holder_of(ptr);
	CUresult res = handle_of(&holder, ptr, handle);

	if (!res && holder.block)
		mem_exported(holder.base);
	if (mem_enabled())
		mem_exports();
	if (res)
		borrow_not_passed(ptr);
	return res;
}

/* What a range of addresses is of is passed on. */
static CUresult range_exported(CUresult res, CUdeviceptr ptr, size_t size)
{
	const struct holder holder = holder_of(ptr);

	if (res || !mem_enabled())
		return res;
	if (holder.placed)
		mem_exported_range(ptr, size);
	else if (holder.block)
		mem_exported(holder.base);
	mem_exports();
	return res;
}

EXPORT CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr ptr,
					      size_t size,
					      CUmemRangeHandleType type,
					      unsigned long long flags)
{
	return range_exported(REAL_CALL(cuMemGetHandleForAddressRange, handle,
					ptr, size, type, flags),
			      ptr, size);
}

/* CUDA only accepts memory of cuMemCreate or cuMemAllocAsync here. What the
 * program has asked for is none, even if it lies in virtual memory of ours. */
EXPORT CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle,
				    size_t offset, CUdeviceptr ptr, size_t size,
				    unsigned long long flags)
{
	const struct holder holder = holder_of(ptr);

	return range_exported(ROOM_CALL(cuMulticastBindAddr, handle, offset,
					holder.placed ? NO_ALLOCATION : ptr,
					size, flags),
			      ptr, size);
}
