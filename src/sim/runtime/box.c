#include "box.h"

#include "array.h"
#include "runtime.h"

static CUmemorytype side_type(const struct cudaMemcpy3DParms *params,
			      enum cudaMemcpyKind host)
{
	if (params->kind == cudaMemcpyDefault)
		return CU_MEMORYTYPE_UNIFIED;
	if (params->kind == cudaMemcpyHostToHost || params->kind == host)
		return CU_MEMORYTYPE_HOST;
	return CU_MEMORYTYPE_DEVICE;
}

/* Bytes of an element, in which extents and positions in arrays are counted. */
static int element_of(const struct cudaMemcpy3DParms *params, size_t *element)
{
	size_t other = 0;
	int res = 0;

	*element = 1;
	if (params->srcArray)
		res = array_element(params->srcArray, element);
	if (!res && params->dstArray)
		res = array_element(params->dstArray, &other);
	if (other && params->srcArray && other != *element)
		return cudaErrorInvalidValue;
	if (other)
		*element = other;
	return res;
}

static void source_set(const struct cudaMemcpy3DParms *params, size_t element,
		       CUDA_MEMCPY3D *box)
{
	box->srcXInBytes = params->srcPos.x;
	box->srcY = params->srcPos.y;
	box->srcZ = params->srcPos.z;
	if (params->srcArray) {
		box->srcXInBytes *= element;
		box->srcMemoryType = CU_MEMORYTYPE_ARRAY;
		box->srcArray = (CUarray)params->srcArray;
		return;
	}
	box->srcMemoryType = side_type(params, cudaMemcpyHostToDevice);
	box->srcHost = params->srcPtr.ptr;
	box->srcDevice = (CUdeviceptr)params->srcPtr.ptr;
	box->srcPitch = params->srcPtr.pitch;
	box->srcHeight = params->srcPtr.ysize;
}

static void target_set(const struct cudaMemcpy3DParms *params, size_t element,
		       CUDA_MEMCPY3D *box)
{
	box->dstXInBytes = params->dstPos.x;
	box->dstY = params->dstPos.y;
	box->dstZ = params->dstPos.z;
	if (params->dstArray) {
		box->dstXInBytes *= element;
		box->dstMemoryType = CU_MEMORYTYPE_ARRAY;
		box->dstArray = (CUarray)params->dstArray;
		return;
	}
	box->dstMemoryType = side_type(params, cudaMemcpyDeviceToHost);
	box->dstHost = params->dstPtr.ptr;
	box->dstDevice = (CUdeviceptr)params->dstPtr.ptr;
	box->dstPitch = params->dstPtr.pitch;
	box->dstHeight = params->dstPtr.ysize;
}

int box_of(const struct cudaMemcpy3DParms *params, CUDA_MEMCPY3D *box)
{
	size_t element;
	int res;

	if (!params || !params->srcArray == !params->srcPtr.ptr ||
	    !params->dstArray == !params->dstPtr.ptr)
		return cudaErrorInvalidValue;
	if ((unsigned)params->kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	res = element_of(params, &element);
	if (res)
		return res;
	*box = (CUDA_MEMCPY3D){.WidthInBytes = params->extent.width * element,
			       .Height = params->extent.height,
			       .Depth = params->extent.depth};
	source_set(params, element, box);
	target_set(params, element, box);
	return 0;
}

static bool is_on_device(CUmemorytype type)
{
	return type != CU_MEMORYTYPE_HOST;
}

static enum cudaMemcpyKind kind_of(const CUDA_MEMCPY3D *box)
{
	if (is_on_device(box->srcMemoryType))
		return is_on_device(box->dstMemoryType)
			       ? cudaMemcpyDeviceToDevice
			       : cudaMemcpyDeviceToHost;
	return is_on_device(box->dstMemoryType) ? cudaMemcpyHostToDevice
						: cudaMemcpyHostToHost;
}

int box_read(const CUDA_MEMCPY3D *box, struct cudaMemcpy3DParms *params)
{
	size_t element;
	int res;

	*params = (struct cudaMemcpy3DParms){
		.srcArray = (cudaArray_t)box->srcArray,
		.srcPos = {box->srcXInBytes, box->srcY, box->srcZ},
		.dstArray = (cudaArray_t)box->dstArray,
		.dstPos = {box->dstXInBytes, box->dstY, box->dstZ},
		.kind = kind_of(box)};
	if (!box->srcArray)
		params->srcPtr = (struct cudaPitchedPtr){
			(void *)box->srcDevice, box->srcPitch,
			box->WidthInBytes, box->srcHeight};
	if (!box->dstArray)
		params->dstPtr = (struct cudaPitchedPtr){
			(void *)box->dstDevice, box->dstPitch,
			box->WidthInBytes, box->dstHeight};
	res = element_of(params, &element);
	if (res)
		return res;
	if (box->srcArray)
		params->srcPos.x /= element;
	if (box->dstArray)
		params->dstPos.x /= element;
	params->extent = (struct cudaExtent){box->WidthInBytes / element,
					     box->Height, box->Depth};
	return 0;
}
