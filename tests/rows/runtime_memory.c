/* Allocations, right and wrong. */
#include <stdint.h>
#include <stdio.h>

#include "runtime_calls.h"

/* A device has 64 MiB, of which the program holds 16 at most. So a size that is
 * too large for the device is too large for a pool as well. One size is
 * frequent, and comes from a pool. */
static size_t size_drawn(void)
{
	static const size_t sizes[] = {
		0,
		1,
		511,
		512,
		100000,
		1 << 20,
		(2 << 20) - 1,
		65 << 20,
		SIZE_MAX,
		SIZE_MAX - 4095,
	};

	return draw(2) ? 5000 : sizes[draw(sizeof(sizes) / sizeof(*sizes))];
}

/* Where an allocation writes its answer: NULL one time in ten. */
struct mnm_place {
	struct holding *holding;
	void *ptr;  /* its value before the call */
	void **out; /* points to ptr */
};

static char untouched;

/* Returns false if the program holds enough. */
static int place_begin(struct mnm_place *place)
{
	place->holding = NULL;
	for (int i = 0; i < HOLDINGS && !place->holding; i++)
		if (holdings[i].kind == NOTHING)
			place->holding = &holdings[i];
	place->ptr = &untouched;
	place->out = draw(10) ? &place->ptr : NULL;
	return !!place->holding;
}

static cudaError_t place_end(const struct mnm_place *place, cudaError_t res,
			     int kind, size_t size)
{
	printf(" %zu to %s: %s", size, place->out ? "a place" : "null",
	       place->ptr == &untouched      ? "untouched"
	       : !place->ptr                 ? "null"
	       : (uintptr_t)place->ptr % 256 ? "odd memory"
					     : "memory");
	if (res || !place->ptr || place->ptr == &untouched)
		return res;
	place->holding->kind = kind;
	place->holding->ptr = place->ptr;
	place->holding->size = size;
	cudaGetDevice(&place->holding->device);
	return res;
}

cudaError_t call_malloc(void)
{
	size_t size = size_drawn();
	struct mnm_place place;

	if (!place_begin(&place))
		return cudaSuccess;
	return place_end(&place, cudaMalloc(place.out, size), DEVICE, size);
}

cudaError_t call_managed(void)
{
	unsigned int flags = draw(4);
	size_t size = size_drawn();
	struct mnm_place place;

	if (!place_begin(&place))
		return cudaSuccess;
	return place_end(&place, cudaMallocManaged(place.out, size, flags),
			 MANAGED, size);
}

cudaError_t call_async(void)
{
	size_t size = size_drawn();
	struct mnm_place place;

	if (!place_begin(&place))
		return cudaSuccess;
	return place_end(&place, cudaMallocAsync(place.out, size, NULL), STREAM,
			 size);
}

cudaError_t call_pinned(void)
{
	size_t size = size_drawn();
	struct mnm_place place;

	if (!place_begin(&place))
		return cudaSuccess;
	return place_end(&place, cudaMallocHost(place.out, size), PINNED, size);
}

cudaError_t call_host_alloc(void)
{
	static const unsigned int all[] = {cudaHostAllocDefault,
					   cudaHostAllocPortable,
					   cudaHostAllocMapped, 64};
	unsigned int flags = all[draw(4)];
	size_t size = size_drawn();
	struct mnm_place place;

	if (!place_begin(&place))
		return cudaSuccess;
	printf(" flags %u", flags);
	return place_end(&place, cudaHostAlloc(place.out, size, flags), PINNED,
			 size);
}

static const size_t widths[] = {0, 1, 600, 5000, 65 << 20, SIZE_MAX};
static const size_t heights[] = {0, 1, 3, 100};

cudaError_t call_pitch(void)
{
	size_t width = widths[draw(6)], height = heights[draw(4)];
	size_t pitch = 7, *out = draw(10) ? &pitch : NULL;
	struct mnm_place place;
	cudaError_t res;

	if (!place_begin(&place))
		return cudaSuccess;
	res = cudaMallocPitch(place.out, out, width, height);
	printf(" %zu by %zu: pitch %zu", width, height, pitch);
	return place_end(&place, res, DEVICE, pitch * height);
}

cudaError_t call_3d(void)
{
	struct cudaExtent extent = {widths[draw(6)], heights[draw(4)],
				    heights[draw(3)]};
	struct cudaPitchedPtr pitched = {&untouched, 7, 7, 7};
	struct mnm_place place;
	cudaError_t res;

	if (!place_begin(&place))
		return cudaSuccess;
	res = cudaMalloc3D(place.out ? &pitched : NULL, extent);
	place.ptr = pitched.ptr;
	printf(" %zu by %zu by %zu: pitch %zu, %zu by %zu", extent.width,
	       extent.height, extent.depth, pitched.pitch, pitched.xsize,
	       pitched.ysize);
	return place_end(&place, res, DEVICE,
			 pitched.pitch * extent.height * extent.depth);
}
