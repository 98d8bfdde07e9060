/* Memory that comes from other processes or APIs. */
#include <limits.h>
#include <string.h>

#include "call.h"
#include "common/log.h"
#include "common/option.h"
#include "control/control.h"
#include "cuda/backing.h"
#include "foreign_call.h"
#include "holder.h"
#include "hook.h"
#include "mem/exports.h"
#include "mem/imports.h"
#include "mem/mem.h"
#include "preload/thread.h"

static void note_import(enum foreign_key key, uint64_t handle, int ordinal,
			size_t bytes)
{
	if (foreign_add_import(key, handle, ordinal, bytes))
		control_open_once();
}

EXPORT CUresult cuImportExternalMemory(
	CUexternalMemory *out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *external)
{
	CUresult res = ROOM_CALL(cuImportExternalMemory, out, external);

	if (!res)
		note_import(FOREIGN_EXTERNAL, (uint64_t)*out, CURRENT,
			    external->size);
	return res;
}

EXPORT CUresult cuDestroyExternalMemory(CUexternalMemory external)
{
	struct foreign *foreign =
		foreign_end_begin(FOREIGN_EXTERNAL, (uint64_t)external);
	CUresult res = REAL_CALL(cuDestroyExternalMemory, external);

	foreign_end_finish(foreign, (int)res);
	return res;
}

/* Whose memory was opened: a pool's may be of any device, or of the host. */
static int opened_on(CUdeviceptr addr)
{
	CUmemorytype type;

	if (!REAL_CALL(cuPointerGetAttribute, &type,
		       CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addr) &&
	    type == CU_MEMORYTYPE_HOST)
		return DEVICE_HOST;
	return backing_device_of(addr);
}

/* Memory of another process. The handle doesn't tell its size, so CUDA is
 * asked. */
static CUresult note_opened(CUresult res, const CUdeviceptr *out)
{
	size_t size;

	if (!res && out && mem_enabled() &&
	    !REAL_CALL(cuMemGetAddressRange_v2, NULL, &size, *out))
		note_import(FOREIGN_ADDRESS, *out, opened_on(*out), size);
	return res;
}

static void nothing_say(void)
{
	log_warn("cuIpcOpenMemHandle: a handle of another program under mnm "
		 "stands for nothing: the memory was freed, or that program "
		 "has another folder of control sockets");
}

/* If the handle is one of ours, puts CUDA's in its place, whose allocation has
 * the part that ours stands for. */
static bool handle_resolve(CUipcMemHandle *handle, struct export *part)
{
	static struct once said = ONCE_INIT;
	char folder[PATH_MAX], error[256];
	unsigned char *bytes = (unsigned char *)handle;

	if (!export_is_ours(bytes) || !mem_enabled())
		return false;
	if (!control_folder(folder, sizeof(folder), error, sizeof(error)) ||
	    !export_find(folder, bytes, part)) {
		once_run(&said, nothing_say);
		return false;
	}
	memcpy(handle, part->handle, sizeof(*handle));
	return true;
}

/* CUDA has mapped the whole allocation at base. */
static CUresult part_opened(CUdeviceptr base, const struct export *part,
			    CUdeviceptr *out)
{
	const struct import import = {
		.addr = base + part->offset, .size = part->size, .base = base};
	size_t size = 0;

	if (REAL_CALL(cuMemGetAddressRange_v2, NULL, &size, base) ||
	    part->offset + part->size > size || !import_open(&import)) {
		REAL_CALL(cuIpcCloseMemHandle, base);
		return CUDA_ERROR_INVALID_HANDLE;
	}
	note_import(FOREIGN_ADDRESS, import.addr, opened_on(base), import.size);
	*out = import.addr;
	return CUDA_SUCCESS;
}

typedef CUresult open_call(CUdeviceptr *out, CUipcMemHandle handle,
			   unsigned int flags);

static CUresult handle_open(open_call *open, CUdeviceptr *out,
			    CUipcMemHandle handle, unsigned int flags)
{
	CUdeviceptr base = 0;
	struct export part;
	CUresult res;

	if (!out || !handle_resolve(&handle, &part))
		return note_opened(open(out, handle, flags), out);
	res = open(&base, handle, flags);
	return res ? res : part_opened(base, &part, out);
}

static CUresult open_first(CUdeviceptr *out, CUipcMemHandle handle,
			   unsigned int flags)
{
	return ROOM_CALL(cuIpcOpenMemHandle, out, handle, flags);
}

static CUresult open_second(CUdeviceptr *out, CUipcMemHandle handle,
			    unsigned int flags)
{
	return ROOM_CALL(cuIpcOpenMemHandle_v2, out, handle, flags);
}

EXPORT CUresult cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle handle,
				   unsigned int flags)
{
	return handle_open(open_first, out, handle, flags);
}

EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle,
				      unsigned int flags)
{
	return handle_open(open_second, out, handle, flags);
}

/* It ends by the calls that free memory. */
EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr *out, CUmemoryPool pool,
				       CUmemPoolPtrExportData *data)
{
	return note_opened(ROOM_CALL(cuMemPoolImportPointer, out, pool, data),
			   out);
}

/* Whether a part of an allocation begins at the address, and not what CUDA has
 * mapped there since. */
static bool part_is_open(CUdeviceptr addr, struct import *import)
{
	return mem_enabled() && import_find(addr, import) &&
	       import->addr == addr && holder_of(addr).imported;
}

/* What is a part of an allocation is closed by the address of that. */
EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr addr)
{
	struct import import;
	bool part = part_is_open(addr, &import);
	struct foreign *foreign = foreign_end_begin(FOREIGN_ADDRESS, addr);
	CUresult res =
		REAL_CALL(cuIpcCloseMemHandle, part ? import.base : addr);

	if (part && !res)
		import_close(addr);
	foreign_end_finish(foreign, (int)res);
	return res;
}
