#include "array.h"

#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "memory.h"
#include "world.h"

static struct array *spare;

static struct array *array_new(unsigned magic)
{
	struct array *array = spare;

	if (array)
		spare = array->next;
	else
		array = malloc(sizeof(*array));
	if (array)
		*array = (struct array){.magic = magic};
	return array;
}

static void array_spare(struct array *array)
{
	array->magic = 0;
	array->next = spare;
	spare = array;
}

void array_end(struct array *array)
{
	for (unsigned i = 0; i < array->level_count; i++)
		array_spare(array->levels[i]);
	array_spare(array);
}

CUresult array_find(CUarray handle, struct array **out)
{
	struct array *array = (struct array *)handle;

	if (!array || array->magic != ARRAY_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = array;
	return CUDA_SUCCESS;
}

char *array_base(const struct array *array)
{
	const struct array *whole = array->many ? array->many : array;

	return (char *)whole->block->addr + array->offset;
}

size_t array_rows(const struct array *array)
{
	return array->shape.Height ? array->shape.Height : 1;
}

size_t array_slices(const struct array *array)
{
	return array->shape.Depth ? array->shape.Depth : 1;
}

size_t array_channel(CUarray_format format)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 4;
	default:
		return 0;
	}
}

static CUresult shape_check(const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
	const unsigned known =
		CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
		CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;
	bool layered = shape->Flags & CUDA_ARRAY3D_LAYERED;
	unsigned channels = shape->NumChannels;

	if (!shape->Format || !shape->Width ||
	    (channels != 1 && channels != 2 && channels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	if (shape->Flags & ~known || !array_channel(shape->Format))
		return CUDA_ERROR_NOT_SUPPORTED;
	if (shape->Depth && !shape->Height && !layered)
		return CUDA_ERROR_INVALID_VALUE;
	if (shape->Flags & CUDA_ARRAY3D_CUBEMAP &&
	    (shape->Width != shape->Height || !shape->Depth ||
	     shape->Depth % 6 || (!layered && shape->Depth != 6)))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* Sets a row's length, and *bytes to the size of all rows. */
static CUresult array_measure(struct array *array, size_t *bytes)
{
	const CUDA_ARRAY3D_DESCRIPTOR *shape = &array->shape;
	size_t element = array_channel(shape->Format) * shape->NumChannels;

	if (__builtin_mul_overflow(shape->Width, element, &array->row) ||
	    __builtin_mul_overflow(array->row, array_rows(array), bytes) ||
	    __builtin_mul_overflow(*bytes, array_slices(array), bytes))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return CUDA_SUCCESS;
}

static CUresult array_back(struct array *array, size_t bytes)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (!res)
		res = capture_permit();
	if (res)
		return res;
	clock_spend(world.profile.alloc_ns);
	res = memory_alloc(ctx, ctx->dev, bytes, BLOCK_ARRAY, &array->block);
	if (res)
		return res;
	clock_spend(clock_per_mib(bytes, world.profile.alloc_ns_per_mib));
	array->block->array = array;
	return CUDA_SUCCESS;
}

CUresult sim_cuArray3DCreate_v2(CUarray *out,
				const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
	struct array *array;
	size_t bytes;
	CUresult res;

	if (!out || !shape)
		return CUDA_ERROR_INVALID_VALUE;
	res = shape_check(shape);
	if (res)
		return res;
	array = array_new(ARRAY_MAGIC);
	if (!array)
		return CUDA_ERROR_OUT_OF_MEMORY;
	array->shape = *shape;
	res = array_measure(array, &bytes);
	if (!res)
		res = array_back(array, bytes);
	if (res) {
		array_spare(array);
		return res;
	}
	*out = (CUarray)array;
	return CUDA_SUCCESS;
}

CUresult sim_cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *shape)
{
	CUDA_ARRAY3D_DESCRIPTOR deep;

	if (!shape)
		return CUDA_ERROR_INVALID_VALUE;
	deep = (CUDA_ARRAY3D_DESCRIPTOR){.Width = shape->Width,
					 .Height = shape->Height,
					 .Format = shape->Format,
					 .NumChannels = shape->NumChannels};
	return sim_cuArray3DCreate_v2(out, &deep);
}

/* Waits for what is queued, as cuMemFree does. */
static CUresult array_free(struct array *array)
{
	struct block *block = array->block;
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (!res)
		res = capture_permit();
	if (res)
		return res;
	device_wait(block->dev);
	/* Another thread may have freed it meanwhile. */
	if (!array->magic || array->block != block)
		return CUDA_ERROR_INVALID_HANDLE;
	clock_spend(world.profile.free_ns);
	clock_spend(clock_per_mib(block->size, world.profile.free_ns_per_mib));
	device_free(block);
	return CUDA_SUCCESS;
}

CUresult sim_cuArrayDestroy(CUarray handle)
{
	struct array *array;
	CUresult res = array_find(handle, &array);

	/* A level is freed together with the others. */
	if (!res && array->many)
		res = CUDA_ERROR_INVALID_HANDLE;
	return res ? res : array_free(array);
}

CUresult mipmap_find(CUmipmappedArray handle, struct array **out)
{
	struct array *array = (struct array *)handle;

	if (!array || array->magic != MIPMAP_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = array;
	return CUDA_SUCCESS;
}

static size_t halved(size_t extent, unsigned level)
{
	size_t small = extent >> level;

	return small || !extent ? small : 1;
}

/* Adds a level behind those that are there. *bytes is where the level starts,
 * and then where it ends. */
static CUresult level_add(struct array *many, size_t *bytes)
{
	struct array *level = array_new(ARRAY_MAGIC);
	unsigned number = many->level_count;
	size_t own;
	CUresult res;

	if (!level)
		return CUDA_ERROR_OUT_OF_MEMORY;
	many->levels[many->level_count++] = level;
	level->many = many;
	level->shape = many->shape;
	level->shape.Width = halved(many->shape.Width, number);
	level->shape.Height = halved(many->shape.Height, number);
	if (!(many->shape.Flags &
	      (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
		level->shape.Depth = halved(many->shape.Depth, number);
	res = array_measure(level, &own);
	level->offset = *bytes;
	if (!res && __builtin_add_overflow(*bytes, own, bytes))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	return res;
}

static unsigned levels_most(const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
	size_t longest = shape->Width | shape->Height | shape->Depth;
	unsigned count = 0;

	while (longest && count < LEVELS_MOST) {
		longest >>= 1;
		count++;
	}
	return count;
}

CUresult sim_cuMipmappedArrayCreate(CUmipmappedArray *out,
				    const CUDA_ARRAY3D_DESCRIPTOR *shape,
				    unsigned levels)
{
	struct array *many;
	size_t bytes = 0;
	CUresult res;

	if (!out || !shape || !levels)
		return CUDA_ERROR_INVALID_VALUE;
	res = shape_check(shape);
	if (res)
		return res;
	many = array_new(MIPMAP_MAGIC);
	if (!many)
		return CUDA_ERROR_OUT_OF_MEMORY;
	many->shape = *shape;
	if (levels > levels_most(shape))
		levels = levels_most(shape);
	for (unsigned i = 0; !res && i < levels; i++)
		res = level_add(many, &bytes);
	if (!res)
		res = array_back(many, bytes);
	if (res) {
		array_end(many);
		return res;
	}
	*out = (CUmipmappedArray)many;
	return CUDA_SUCCESS;
}

CUresult sim_cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray handle,
				      unsigned level)
{
	struct array *many;
	CUresult res = mipmap_find(handle, &many);

	if (res)
		return res;
	if (!out || level >= many->level_count)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUarray)many->levels[level];
	return CUDA_SUCCESS;
}

CUresult sim_cuMipmappedArrayDestroy(CUmipmappedArray handle)
{
	struct array *many;
	CUresult res = mipmap_find(handle, &many);

	return res ? res : array_free(many);
}
