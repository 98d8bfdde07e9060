#include "texref.h"

#include <stdlib.h>

#include "array.h"
#include "copy.h"
#include "entries.h"
#include "module.h"

enum { ADDRESS_ALIGN = 512 };

static struct texref *spare, *made;

static struct texref *texref_new(void)
{
	struct texref *ref = spare;

	if (ref) {
		spare = ref->next;
		return ref;
	}
	ref = malloc(sizeof(*ref));
	if (!ref)
		return NULL;
	ref->made = made;
	made = ref;
	return ref;
}

CUresult texref_find(CUtexref handle, struct texref **out)
{
	struct texref *ref = (struct texref *)handle;

	if (!ref || ref->magic != TEXREF_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	*out = ref;
	return CUDA_SUCCESS;
}

CUresult texref_if(CUtexref handle, bool right, struct texref **ref)
{
	return right ? texref_find(handle, ref) : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuTexRefCreate(CUtexref *out)
{
	struct texref *ref;

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	ref = texref_new();
	if (!ref)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*ref = (struct texref){.magic = TEXREF_MAGIC,
			       .made = ref->made,
			       .format = CU_AD_FORMAT_FLOAT,
			       .channels = 1};
	*out = (CUtexref)ref;
	return CUDA_SUCCESS;
}

CUresult sim_cuTexRefDestroy(CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (res)
		return res;
	ref->magic = 0;
	ref->next = spare;
	spare = ref;
	return CUDA_SUCCESS;
}

static void texref_clear(struct texref *ref)
{
	ref->addr = 0;
	ref->array = NULL;
	ref->many = NULL;
}

static void shape_take(struct texref *ref, const struct array *array)
{
	ref->format = array->shape.Format;
	ref->channels = (int)array->shape.NumChannels;
}

CUresult sim_cuTexRefSetArray(CUtexref handle, CUarray from, unsigned flags)
{
	struct array *array;
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (!res && flags != CU_TRSA_OVERRIDE_FORMAT)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = array_find(from, &array);
	if (res)
		return res;
	texref_clear(ref);
	ref->array = from;
	shape_take(ref, array);
	return CUDA_SUCCESS;
}

CUresult sim_cuTexRefSetMipmappedArray(CUtexref handle, CUmipmappedArray from,
				       unsigned flags)
{
	struct array *array;
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (!res && flags != CU_TRSA_OVERRIDE_FORMAT)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = mipmap_find(from, &array);
	if (res)
		return res;
	texref_clear(ref);
	ref->many = from;
	shape_take(ref, array);
	return CUDA_SUCCESS;
}

/* An address that is not aligned is rounded down, and the program told by how
 * much, if it asks. */
CUresult sim_cuTexRefSetAddress_v2(size_t *offset, CUtexref handle,
				   CUdeviceptr addr, size_t bytes)
{
	size_t rest = addr % ADDRESS_ALIGN;
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (!res &&
	    (!addr || !bytes || (rest && !offset) || !copy_is_visible(addr)))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = copy_check((const char *)addr, bytes, false);
	if (res)
		return res;
	texref_clear(ref);
	ref->addr = addr - rest;
	if (offset)
		*offset = rest;
	return CUDA_SUCCESS;
}

CUresult sim_cuTexRefSetAddress2D_v3(CUtexref handle,
				     const CUDA_ARRAY_DESCRIPTOR *shape,
				     CUdeviceptr addr, size_t pitch)
{
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);
	size_t row;

	if (!res && (!shape || !addr || addr % ADDRESS_ALIGN || !shape->Width ||
		     !shape->Height || !copy_is_visible(addr)))
		res = CUDA_ERROR_INVALID_VALUE;
	if (res)
		return res;
	row = shape->Width * shape->NumChannels * array_channel(shape->Format);
	if (!row || pitch < row)
		return CUDA_ERROR_INVALID_VALUE;
	res = copy_check((const char *)addr, (shape->Height - 1) * pitch + row,
			 false);
	if (res)
		return res;
	texref_clear(ref);
	ref->addr = addr;
	ref->format = shape->Format;
	ref->channels = (int)shape->NumChannels;
	return CUDA_SUCCESS;
}

CUresult sim_cuTexRefGetAddress_v2(CUdeviceptr *addr, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, addr, &ref);

	if (!res && !ref->addr)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*addr = ref->addr;
	return res;
}

CUresult sim_cuTexRefGetArray(CUarray *array, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, array, &ref);

	if (!res && !ref->array)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*array = ref->array;
	return res;
}

CUresult sim_cuTexRefGetMipmappedArray(CUmipmappedArray *many, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, many, &ref);

	if (!res && !ref->many)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*many = ref->many;
	return res;
}

/* The names in an image are not read. */
CUresult sim_cuModuleGetTexRef(CUtexref *out, CUmodule handle, const char *name)
{
	struct module *module;
	CUresult res = module_find(handle, &module);

	if (!res && (!out || !name))
		res = CUDA_ERROR_INVALID_VALUE;
	return res ? res : CUDA_ERROR_NOT_FOUND;
}

CUresult sim_cuModuleGetSurfRef(CUsurfref *out, CUmodule handle,
				const char *name)
{
	struct module *module;
	CUresult res = module_find(handle, &module);

	if (!res && (!out || !name))
		res = CUDA_ERROR_INVALID_VALUE;
	return res ? res : CUDA_ERROR_NOT_FOUND;
}
