/* Texture and surface objects. */
#include <string.h>

#include "array.h"
#include "runtime.h"

/* The kinds, the modes and the view have the driver's numbers and form. */
_Static_assert(sizeof(struct cudaResourceViewDesc) ==
		       sizeof(CUDA_RESOURCE_VIEW_DESC),
	       "the driver's and the runtime's structures differ");

static int linear_to(const struct cudaResourceDesc *from,
		     CUDA_RESOURCE_DESC *to)
{
	unsigned format, channels;
	int res = channel_read(&from->res.linear.desc, &format, &channels);

	to->res.linear.devPtr = (CUdeviceptr)from->res.linear.devPtr;
	to->res.linear.format = (CUarray_format)format;
	to->res.linear.numChannels = channels;
	to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
	return res;
}

static int pitch_to(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to)
{
	unsigned format, channels;
	int res = channel_read(&from->res.pitch2D.desc, &format, &channels);

	to->res.pitch2D.devPtr = (CUdeviceptr)from->res.pitch2D.devPtr;
	to->res.pitch2D.format = (CUarray_format)format;
	to->res.pitch2D.numChannels = channels;
	to->res.pitch2D.width = from->res.pitch2D.width;
	to->res.pitch2D.height = from->res.pitch2D.height;
	to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
	return res;
}

static int resource_to(const struct cudaResourceDesc *from,
		       CUDA_RESOURCE_DESC *to)
{
	*to = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)from->resType,
				   .flags = from->flags};
	switch (from->resType) {
	case cudaResourceTypeArray:
		to->res.array.hArray = (CUarray)from->res.array.array;
		return 0;
	case cudaResourceTypeMipmappedArray:
		to->res.mipmap.hMipmappedArray =
			(CUmipmappedArray)from->res.mipmap.mipmap;
		return 0;
	case cudaResourceTypeLinear:
		return linear_to(from, to);
	case cudaResourceTypePitch2D:
		return pitch_to(from, to);
	default:
		return cudaErrorInvalidValue;
	}
}

static void resource_from(const CUDA_RESOURCE_DESC *from,
			  struct cudaResourceDesc *to)
{
	*to = (struct cudaResourceDesc){
		.resType = (enum cudaResourceType)from->resType};
	switch (from->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		to->res.array.array = (cudaArray_t)from->res.array.hArray;
		break;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		to->res.mipmap.mipmap =
			(cudaMipmappedArray_t)from->res.mipmap.hMipmappedArray;
		break;
	case CU_RESOURCE_TYPE_LINEAR:
		to->res.linear.devPtr = (void *)from->res.linear.devPtr;
		to->res.linear.desc = channel_of(from->res.linear.format,
						 from->res.linear.numChannels);
		to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
		break;
	default:
		to->res.pitch2D.devPtr = (void *)from->res.pitch2D.devPtr;
		to->res.pitch2D.desc =
			channel_of(from->res.pitch2D.format,
				   from->res.pitch2D.numChannels);
		to->res.pitch2D.width = from->res.pitch2D.width;
		to->res.pitch2D.height = from->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
	}
}

struct flag {
	size_t field; /* an int of struct cudaTextureDesc */
	unsigned flag;
};

static const struct flag flags[] = {
	{offsetof(struct cudaTextureDesc, sRGB), CU_TRSF_SRGB},
	{offsetof(struct cudaTextureDesc, normalizedCoords),
	 CU_TRSF_NORMALIZED_COORDINATES},
	{offsetof(struct cudaTextureDesc, disableTrilinearOptimization),
	 CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION},
	{offsetof(struct cudaTextureDesc, seamlessCubemap),
	 CU_TRSF_SEAMLESS_CUBEMAP},
};

enum { FLAGS = sizeof(flags) / sizeof(flags[0]) };

static CUDA_TEXTURE_DESC texture_to(const struct cudaTextureDesc *from)
{
	CUDA_TEXTURE_DESC to = {
		.filterMode = (CUfilter_mode)from->filterMode,
		.maxAnisotropy = from->maxAnisotropy,
		.mipmapFilterMode = (CUfilter_mode)from->mipmapFilterMode,
		.mipmapLevelBias = from->mipmapLevelBias,
		.minMipmapLevelClamp = from->minMipmapLevelClamp,
		.maxMipmapLevelClamp = from->maxMipmapLevelClamp};

	for (int i = 0; i < 3; i++)
		to.addressMode[i] = (CUaddress_mode)from->addressMode[i];
	for (int i = 0; i < FLAGS; i++)
		if (*(const int *)((const char *)from + flags[i].field))
			to.flags |= flags[i].flag;
	if (from->readMode == cudaReadModeElementType)
		to.flags |= CU_TRSF_READ_AS_INTEGER;
	memcpy(to.borderColor, from->borderColor, sizeof(to.borderColor));
	return to;
}

static struct cudaTextureDesc texture_from(const CUDA_TEXTURE_DESC *from)
{
	struct cudaTextureDesc to = {
		.filterMode = (enum cudaTextureFilterMode)from->filterMode,
		.readMode = from->flags & CU_TRSF_READ_AS_INTEGER
				    ? cudaReadModeElementType
				    : cudaReadModeNormalizedFloat,
		.maxAnisotropy = from->maxAnisotropy,
		.mipmapFilterMode =
			(enum cudaTextureFilterMode)from->mipmapFilterMode,
		.mipmapLevelBias = from->mipmapLevelBias,
		.minMipmapLevelClamp = from->minMipmapLevelClamp,
		.maxMipmapLevelClamp = from->maxMipmapLevelClamp};

	for (int i = 0; i < 3; i++)
		to.addressMode[i] =
			(enum cudaTextureAddressMode)from->addressMode[i];
	for (int i = 0; i < FLAGS; i++)
		*(int *)((char *)&to + flags[i].field) =
			!!(from->flags & flags[i].flag);
	memcpy(to.borderColor, from->borderColor, sizeof(to.borderColor));
	return to;
}

EXPORT cudaError_t cudaCreateTextureObject(
	cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
	const struct cudaTextureDesc *texture,
	const struct cudaResourceViewDesc *view)
{
	CUDA_RESOURCE_DESC own_resource;
	CUDA_TEXTURE_DESC own_texture;
	int res = resource && texture ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = resource_to(resource, &own_resource);
	if (res)
		return runtime_result(res);
	own_texture = texture_to(texture);
	return runtime_result(driver_legacy.TexObjectCreate(
		object, &own_resource, &own_texture,
		(const CUDA_RESOURCE_VIEW_DESC *)view));
}

EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.TexObjectDestroy(object);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGetTextureObjectResourceDesc(
	struct cudaResourceDesc *resource, cudaTextureObject_t object)
{
	CUDA_RESOURCE_DESC own;
	int res = resource ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.TexObjectGetResourceDesc(&own, object);
	if (!res)
		resource_from(&own, resource);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGetTextureObjectTextureDesc(
	struct cudaTextureDesc *texture, cudaTextureObject_t object)
{
	CUDA_TEXTURE_DESC own;
	int res = texture ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.TexObjectGetTextureDesc(&own, object);
	if (!res)
		*texture = texture_from(&own);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGetTextureObjectResourceViewDesc(
	struct cudaResourceViewDesc *view, cudaTextureObject_t object)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.TexObjectGetResourceViewDesc(
			(CUDA_RESOURCE_VIEW_DESC *)view, object);
	return runtime_result(res);
}

EXPORT cudaError_t cudaCreateSurfaceObject(
	cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
	CUDA_RESOURCE_DESC own;
	int res = resource ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = resource_to(resource, &own);
	if (!res)
		res = driver_legacy.SurfObjectCreate(object, &own);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.SurfObjectDestroy(object);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGetSurfaceObjectResourceDesc(
	struct cudaResourceDesc *resource, cudaSurfaceObject_t object)
{
	CUDA_RESOURCE_DESC own;
	int res = resource ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.SurfObjectGetResourceDesc(&own, object);
	if (!res)
		resource_from(&own, resource);
	return runtime_result(res);
}
