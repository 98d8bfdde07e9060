/* How a texture reference shows its memory. */
#include <string.h>

#include "array.h"
#include "entries.h"
#include "texref.h"

enum { FLAGS_MOST = 0x7f };

CUresult sim_cuTexRefSetFormat(CUtexref handle, CUarray_format format,
			       int channels)
{
	struct texref *ref;
	bool right = array_channel(format) &&
		     (channels == 1 || channels == 2 || channels == 4);
	CUresult res = texref_if(handle, right, &ref);

	if (res)
		return res;
	ref->format = format;
	ref->channels = channels;
	return CUDA_SUCCESS;
}

CUresult sim_cuTexRefSetAddressMode(CUtexref handle, int dimension,
				    CUaddress_mode mode)
{
	struct texref *ref;
	bool right = dimension >= 0 && dimension <= 2 &&
		     (unsigned)mode <= CU_TR_ADDRESS_MODE_BORDER;
	CUresult res = texref_if(handle, right, &ref);

	if (!res)
		ref->how.addressMode[dimension] = mode;
	return res;
}

CUresult sim_cuTexRefSetBorderColor(CUtexref handle, float *color)
{
	struct texref *ref;
	CUresult res = texref_if(handle, color, &ref);

	if (!res)
		memcpy(ref->how.borderColor, color,
		       sizeof(ref->how.borderColor));
	return res;
}

CUresult sim_cuTexRefSetMipmapLevelClamp(CUtexref handle, float least,
					 float most)
{
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (res)
		return res;
	ref->how.minMipmapLevelClamp = least;
	ref->how.maxMipmapLevelClamp = most;
	return CUDA_SUCCESS;
}

CUresult sim_cuTexRefGetFormat(CUarray_format *format, int *channels,
			       CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (res)
		return res;
	if (format)
		*format = ref->format;
	if (channels)
		*channels = ref->channels;
	return CUDA_SUCCESS;
}

CUresult sim_cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref handle,
				    int dimension)
{
	struct texref *ref;
	CUresult res = texref_if(handle, mode, &ref);

	if (!res && (dimension < 0 || dimension > 2))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*mode = ref->how.addressMode[dimension];
	return res;
}

CUresult sim_cuTexRefGetBorderColor(float *color, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, color, &ref);

	if (!res)
		memcpy(color, ref->how.borderColor,
		       sizeof(ref->how.borderColor));
	return res;
}

CUresult sim_cuTexRefGetMipmapLevelClamp(float *least, float *most,
					 CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (res)
		return res;
	if (least)
		*least = ref->how.minMipmapLevelClamp;
	if (most)
		*most = ref->how.maxMipmapLevelClamp;
	return CUDA_SUCCESS;
}

CUresult sim_cuTexRefSetFilterMode(CUtexref handle, CUfilter_mode value)
{
	struct texref *ref;
	bool right = (unsigned)value <= CU_TR_FILTER_MODE_LINEAR;
	CUresult res = texref_if(handle, right, &ref);

	if (!res)
		ref->how.filterMode = value;
	return res;
}

CUresult sim_cuTexRefGetFilterMode(CUfilter_mode *value, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, value, &ref);

	if (!res)
		*value = ref->how.filterMode;
	return res;
}

CUresult sim_cuTexRefSetMipmapFilterMode(CUtexref handle, CUfilter_mode value)
{
	struct texref *ref;
	bool right = (unsigned)value <= CU_TR_FILTER_MODE_LINEAR;
	CUresult res = texref_if(handle, right, &ref);

	if (!res)
		ref->how.mipmapFilterMode = value;
	return res;
}

CUresult sim_cuTexRefGetMipmapFilterMode(CUfilter_mode *value, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, value, &ref);

	if (!res)
		*value = ref->how.mipmapFilterMode;
	return res;
}

CUresult sim_cuTexRefSetMipmapLevelBias(CUtexref handle, float value)
{
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (!res)
		ref->how.mipmapLevelBias = value;
	return res;
}

CUresult sim_cuTexRefGetMipmapLevelBias(float *value, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, value, &ref);

	if (!res)
		*value = ref->how.mipmapLevelBias;
	return res;
}

CUresult sim_cuTexRefSetMaxAnisotropy(CUtexref handle, unsigned value)
{
	struct texref *ref;
	CUresult res = texref_find(handle, &ref);

	if (!res)
		ref->how.maxAnisotropy = value;
	return res;
}

CUresult sim_cuTexRefGetMaxAnisotropy(int *value, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, value, &ref);

	if (!res)
		*value = (int)ref->how.maxAnisotropy;
	return res;
}

CUresult sim_cuTexRefSetFlags(CUtexref handle, unsigned value)
{
	struct texref *ref;
	CUresult res = texref_if(handle, value <= FLAGS_MOST, &ref);

	if (!res)
		ref->how.flags = value;
	return res;
}

CUresult sim_cuTexRefGetFlags(unsigned *value, CUtexref handle)
{
	struct texref *ref;
	CUresult res = texref_if(handle, value, &ref);

	if (!res)
		*value = ref->how.flags;
	return res;
}
