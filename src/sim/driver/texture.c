#include "texture.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "context.h"
#include "device.h"
#include "entries.h"
#include "op.h"
#include "stream.h"

static const unsigned FLAGS_KNOWN =
	CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
	CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
	CU_TRSF_SEAMLESS_CUBEMAP;

static struct texture *all, *gone;

static struct texture *texture_in(struct texture *list,
				  unsigned long long handle)
{
	while (list && (unsigned long long)(uintptr_t)list != handle)
		list = list->next;
	return list;
}

const struct texture *texture_live(unsigned long long handle)
{
	return texture_in(all, handle);
}

/* The nodes of a conditional graph are in no stream themselves. */
const struct texture *texture_for(const struct op *op,
				  unsigned long long handle)
{
	const struct texture *texture = texture_live(handle);
	const struct stream *stream = op->stream;

	if (texture)
		return texture;
	texture = texture_in(gone, handle);
	return texture && (!stream || fence_has(&texture->work, stream,
						stream->completed + 1))
		       ? texture
		       : NULL;
}

static CUresult texture_find(unsigned long long handle, bool is_surface,
			     struct texture **out)
{
	*out = texture_in(all, handle);
	return *out && (*out)->is_surface == is_surface
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

static void texture_enter(struct texture *texture, struct texture **list)
{
	texture->prev = NULL;
	texture->next = *list;
	if (*list)
		(*list)->prev = texture;
	*list = texture;
}

static void texture_leave(struct texture *texture, struct texture **list)
{
	if (texture->prev)
		texture->prev->next = texture->next;
	else
		*list = texture->next;
	if (texture->next)
		texture->next->prev = texture->prev;
}

/* Frees destroyed objects that nothing can use any more. */
static void textures_sweep(void)
{
	for (struct texture *t = gone, *next; t; t = next) {
		next = t->next;
		if (!fence_done(&t->work))
			continue;
		texture_leave(t, &gone);
		fence_clear(&t->work);
		free(t);
	}
}

static void texture_close(struct texture *texture)
{
	struct context *ctx = texture->ctx;

	texture_leave(texture, &all);
	texture_enter(texture, &gone);
	context_points(ctx->green_of ? ctx->green_of : ctx, &texture->work);
	textures_sweep();
}

void textures_close(struct context *ctx)
{
	for (struct texture *t = all, *next; t; t = next) {
		next = t->next;
		if (t->ctx == ctx)
			texture_close(t);
	}
	textures_sweep();
}

static CUresult texture_open(const struct texture *from,
			     unsigned long long *out)
{
	struct texture *texture;
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (!res && (!out || from->resource.flags))
		res = CUDA_ERROR_INVALID_VALUE;
	if (res)
		return res;
	texture = malloc(sizeof(*texture));
	if (!texture)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*texture = *from;
	texture->ctx = ctx;
	res = texture_show(texture);
	if (res) {
		free(texture);
		return res;
	}
	textures_sweep();
	texture_enter(texture, &all);
	*out = (unsigned long long)(uintptr_t)texture;
	return CUDA_SUCCESS;
}

static bool is_array(const CUDA_RESOURCE_DESC *resource)
{
	return resource->resType == CU_RESOURCE_TYPE_ARRAY ||
	       resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
}

static bool texture_fits(const CUDA_TEXTURE_DESC *texture)
{
	for (int i = 0; i < 3; i++)
		if ((unsigned)texture->addressMode[i] >
		    CU_TR_ADDRESS_MODE_BORDER)
			return false;
	return (unsigned)texture->filterMode <= CU_TR_FILTER_MODE_LINEAR &&
	       (unsigned)texture->mipmapFilterMode <=
		       CU_TR_FILTER_MODE_LINEAR &&
	       !(texture->flags & ~FLAGS_KNOWN);
}

CUresult sim_cuTexObjectCreate(CUtexObject *out,
			       const CUDA_RESOURCE_DESC *resource,
			       const CUDA_TEXTURE_DESC *texture,
			       const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct texture made = {.has_view = view};

	if (!resource || !texture || !texture_fits(texture) ||
	    (view && !is_array(resource)))
		return CUDA_ERROR_INVALID_VALUE;
	made.resource = *resource;
	made.texture = *texture;
	if (view)
		made.view = *view;
	for (int i = 0; i < 3; i++)
		made.shown.modes[i] = texture->addressMode[i];
	made.shown.is_linear = texture->filterMode == CU_TR_FILTER_MODE_LINEAR;
	made.shown.flags = texture->flags;
	made.shown.mixes_levels =
		texture->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
	made.shown.level_bias = texture->mipmapLevelBias;
	made.shown.level_least = texture->minMipmapLevelClamp;
	made.shown.level_most = texture->maxMipmapLevelClamp;
	memcpy(made.shown.border, texture->borderColor,
	       sizeof(made.shown.border));
	return texture_open(&made, out);
}

CUresult sim_cuSurfObjectCreate(CUsurfObject *out,
				const CUDA_RESOURCE_DESC *resource)
{
	struct texture made = {.is_surface = true};

	if (!resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	made.resource = *resource;
	return texture_open(&made, out);
}

/* The same for a call that tells something, which must not be NULL. */
static CUresult texture_ask(unsigned long long handle, bool is_surface,
			    const void *out, struct texture **texture)
{
	return out ? texture_find(handle, is_surface, texture)
		   : CUDA_ERROR_INVALID_VALUE;
}

/* Waits for nothing, and neither does the free of the memory: the program has
 * to wait for the work that reads it before it frees that. */
static CUresult destroy(unsigned long long handle, bool is_surface)
{
	struct texture *texture;
	CUresult res = texture_find(handle, is_surface, &texture);

	if (!res)
		texture_close(texture);
	return res;
}

CUresult sim_cuTexObjectDestroy(CUtexObject handle)
{
	return destroy(handle, false);
}

CUresult sim_cuSurfObjectDestroy(CUsurfObject handle)
{
	return destroy(handle, true);
}

CUresult sim_cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out,
					CUtexObject handle)
{
	struct texture *texture;
	CUresult res = texture_ask(handle, false, out, &texture);

	if (!res)
		*out = texture->resource;
	return res;
}

CUresult sim_cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out,
				       CUtexObject handle)
{
	struct texture *texture;
	CUresult res = texture_ask(handle, false, out, &texture);

	if (!res)
		*out = texture->texture;
	return res;
}

CUresult sim_cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out,
					    CUtexObject handle)
{
	struct texture *texture;
	CUresult res = texture_ask(handle, false, out, &texture);

	if (!res && !texture->has_view)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*out = texture->view;
	return res;
}

CUresult sim_cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out,
					 CUsurfObject handle)
{
	struct texture *texture;
	CUresult res = texture_ask(handle, true, out, &texture);

	if (!res)
		*out = texture->resource;
	return res;
}

CUresult sim_cuDeviceGetTexture1DLinearMaxWidth(size_t *width,
						CUarray_format format,
						unsigned channels,
						CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (!res && (!width || !array_channel(format) ||
		     (channels != 1 && channels != 2 && channels != 4)))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*width = LINEAR_MOST;
	return res;
}
