/* What memory an object shows. */
#include "array.h"
#include "block.h"
#include "copy.h"
#include "texture.h"

/* As device attributes and the programming guide say. */
enum { ADDRESS_ALIGN = 512, PITCH_ALIGN = 32 };

static void array_show(struct texture *texture, const struct array *array)
{
	const struct array *whole = array->many ? array->many : array;

	texture->memory = whole->block->addr;
	texture->size = whole->block->size;
	texture->shown.base = array_base(array);
	texture->shown.width = array->shape.Width;
	texture->shown.height = array->shape.Height;
	texture->shown.depth = array->shape.Depth;
	texture->shown.pitch = array->row;
	texture->shown.slice = array->row * array_rows(array);
	texture->shown.format = array->shape.Format;
	texture->shown.channels = array->shape.NumChannels;
}

/* The levels that a view has, or all. */
static CUresult levels_show(struct texture *texture, const struct array *many)
{
	unsigned first = texture->has_view ? texture->view.firstMipmapLevel : 0;
	unsigned last = texture->has_view ? texture->view.lastMipmapLevel
					  : many->level_count - 1;
	unsigned count = 0;

	if (first > last || last >= many->level_count)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = first; i <= last; i++) {
		const struct array *level = many->levels[i];

		texture->levels[count++] = (struct sim_level){
			.base = array_base(level),
			.width = level->shape.Width,
			.height = level->shape.Height,
			.depth = level->shape.Depth,
			.pitch = level->row,
			.slice = level->row * array_rows(level),
		};
	}
	array_show(texture, many->levels[first]);
	texture->shown.levels = texture->levels;
	texture->shown.level_count = count;
	return CUDA_SUCCESS;
}

static CUresult memory_show(struct texture *texture, CUdeviceptr addr,
			    CUarray_format format, unsigned channels,
			    size_t size)
{
	if (!addr || addr % ADDRESS_ALIGN || !size || !array_channel(format) ||
	    (channels != 1 && channels != 2 && channels != 4) ||
	    !copy_is_visible(addr))
		return CUDA_ERROR_INVALID_VALUE;
	texture->memory = addr;
	texture->size = size;
	texture->shown.base = (char *)addr;
	texture->shown.format = format;
	texture->shown.channels = channels;
	return copy_check((const char *)addr, size, false);
}

static CUresult linear_show(struct texture *texture)
{
	const CUDA_RESOURCE_DESC *resource = &texture->resource;
	CUresult res = memory_show(texture, resource->res.linear.devPtr,
				   resource->res.linear.format,
				   resource->res.linear.numChannels,
				   resource->res.linear.sizeInBytes);

	if (res)
		return res;
	texture->shown.width = resource->res.linear.sizeInBytes /
			       (array_channel(resource->res.linear.format) *
				resource->res.linear.numChannels);
	return texture->shown.width > LINEAR_MOST ? CUDA_ERROR_INVALID_VALUE
						  : CUDA_SUCCESS;
}

static CUresult pitch_show(struct texture *texture)
{
	const CUDA_RESOURCE_DESC *resource = &texture->resource;
	size_t row = resource->res.pitch2D.width *
		     resource->res.pitch2D.numChannels *
		     array_channel(resource->res.pitch2D.format);
	size_t pitch = resource->res.pitch2D.pitchInBytes;
	size_t height = resource->res.pitch2D.height;

	if (!height || pitch % PITCH_ALIGN || pitch < row)
		return CUDA_ERROR_INVALID_VALUE;
	texture->shown.width = resource->res.pitch2D.width;
	texture->shown.height = height;
	texture->shown.pitch = pitch;
	return memory_show(texture, resource->res.pitch2D.devPtr,
			   resource->res.pitch2D.format,
			   resource->res.pitch2D.numChannels,
			   (height - 1) * pitch + row);
}

CUresult texture_show(struct texture *texture)
{
	const CUDA_RESOURCE_DESC *resource = &texture->resource;
	struct array *array;
	CUresult res;

	switch (resource->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		res = array_find(resource->res.array.hArray, &array);
		break;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		res = mipmap_find(resource->res.mipmap.hMipmappedArray, &array);
		return res ? res : levels_show(texture, array);
	case CU_RESOURCE_TYPE_LINEAR:
		return linear_show(texture);
	case CU_RESOURCE_TYPE_PITCH2D:
		return pitch_show(texture);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (!res && texture->is_surface &&
	    !(array->shape.Flags & CUDA_ARRAY3D_SURFACE_LDST))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		array_show(texture, array);
	return res;
}
