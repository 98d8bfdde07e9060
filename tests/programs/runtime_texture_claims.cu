/* What the CUDA runtime promises about texture and surface objects. It is true
 * of NVIDIA's runtime and of the simulated one. */
#include <sched.h>
#include <string.h>

#include "claims.h"
#include "runtime_texture_claims_kernels.cuh"

enum { WIDTH = 8, HEIGHT = 4, COUNT = WIDTH * HEIGHT };

/* An array of 0, 1, 2, ... in its rows. */
static cudaArray_t plane_new(unsigned flags)
{
	struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	float values[COUNT];
	cudaArray_t array;

	for (int i = 0; i < COUNT; i++)
		values[i] = (float)i;
	ck_assert_success(cudaMallocArray(&array, &desc, WIDTH, HEIGHT, flags));
	ck_assert_success(cudaMemcpy2DToArray(
		array, 0, 0, values, WIDTH * sizeof(float),
		WIDTH * sizeof(float), HEIGHT, cudaMemcpyHostToDevice));
	return array;
}

static struct cudaResourceDesc array_resource(cudaArray_t array)
{
	struct cudaResourceDesc resource = {};

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	return resource;
}

static cudaTextureObject_t texture_new(const struct cudaResourceDesc *resource,
				       const struct cudaTextureDesc *desc)
{
	cudaTextureObject_t texture = 0;

	ck_assert_success(
		cudaCreateTextureObject(&texture, resource, desc, NULL));
	ck_assert_uint_ne(texture, 0);
	return texture;
}

/* Reads all elements of a plane, from positions moved by a part of one. */
static void plane_fetch(cudaTextureObject_t texture, float by, float *values)
{
	float *out;

	ck_assert_success(cudaMalloc((void **)&out, COUNT * sizeof(float)));
	fetch_plane<<<1, COUNT>>>(out, texture, by, WIDTH, HEIGHT);
	ck_assert_success(cudaMemcpy(values, out, COUNT * sizeof(float),
				     cudaMemcpyDeviceToHost));
	ck_assert_success(cudaFree(out));
}

START_TEST(texture_shows_an_array)
{
	struct cudaTextureDesc desc = {};
	cudaArray_t array = plane_new(0);
	struct cudaResourceDesc resource = array_resource(array);
	cudaTextureObject_t texture = texture_new(&resource, &desc);
	float values[COUNT];

	plane_fetch(texture, 0.5F, values);
	for (int i = 0; i < COUNT; i++)
		ck_assert(values[i] == (float)i);
	ck_assert_success(cudaDestroyTextureObject(texture));
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

START_TEST(linear_filter_takes_the_mean_of_neighbours)
{
	struct cudaTextureDesc desc = {};
	cudaArray_t array = plane_new(0);
	struct cudaResourceDesc resource = array_resource(array);
	cudaTextureObject_t texture;
	float values[COUNT];

	desc.filterMode = cudaFilterModeLinear;
	desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
	texture = texture_new(&resource, &desc);
	plane_fetch(texture, 1.0F, values); /* between four of them */
	ck_assert(values[0] == (0 + 1 + 8 + 9) / 4.0F);
	/* The last column has no neighbour but itself. */
	ck_assert(values[WIDTH - 1] == (7 + 15) / 2.0F);
	ck_assert_success(cudaDestroyTextureObject(texture));
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

START_TEST(border_is_outside_of_the_array)
{
	struct cudaTextureDesc desc = {};
	cudaArray_t array = plane_new(0);
	struct cudaResourceDesc resource = array_resource(array);
	cudaTextureObject_t texture;
	float values[COUNT];

	desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeBorder;
	texture = texture_new(&resource, &desc);
	plane_fetch(texture, 1.5F, values);
	ck_assert(values[0] == 9);
	ck_assert(values[WIDTH - 1] == 0);
	ck_assert(values[COUNT - 1] == 0);
	ck_assert_success(cudaDestroyTextureObject(texture));
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

START_TEST(texture_shows_linear_memory)
{
	struct cudaResourceDesc resource = {};
	struct cudaTextureDesc desc = {};
	int values[COUNT], *memory, *out;
	cudaTextureObject_t texture;

	for (int i = 0; i < COUNT; i++)
		values[i] = 3 * i - 20;
	ck_assert_success(cudaMalloc((void **)&memory, sizeof(values)));
	ck_assert_success(cudaMalloc((void **)&out, sizeof(values)));
	ck_assert_success(cudaMemcpy(memory, values, sizeof(values),
				     cudaMemcpyHostToDevice));
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = memory;
	resource.res.linear.desc = cudaCreateChannelDesc<int>();
	resource.res.linear.sizeInBytes = sizeof(values);
	texture = texture_new(&resource, &desc);
	fetch_line<<<1, COUNT>>>(out, texture, COUNT);
	memset(values, 0, sizeof(values));
	ck_assert_success(cudaMemcpy(values, out, sizeof(values),
				     cudaMemcpyDeviceToHost));
	for (int i = 0; i < COUNT; i++)
		ck_assert_int_eq(values[i], 3 * i - 20);
	ck_assert_success(cudaDestroyTextureObject(texture));
	ck_assert_success(cudaFree(out));
	ck_assert_success(cudaFree(memory));
}
END_TEST

START_TEST(bytes_are_read_as_parts_of_one)
{
	enum { PITCH = 512 };
	uchar4 pixels[2][2] = {{{0, 51, 102, 255}, {255, 0, 0, 0}},
			       {{0, 255, 0, 0}, {0, 0, 255, 0}}};
	struct cudaResourceDesc resource = {};
	struct cudaTextureDesc desc = {};
	cudaTextureObject_t texture;
	float4 values[4], *out;
	void *memory;

	ck_assert_success(cudaMalloc(&memory, 2 * PITCH));
	ck_assert_success(cudaMalloc((void **)&out, sizeof(values)));
	ck_assert_success(cudaMemcpy2D(memory, PITCH, pixels, 8, 8, 2,
				       cudaMemcpyHostToDevice));
	resource.resType = cudaResourceTypePitch2D;
	resource.res.pitch2D.devPtr = memory;
	resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
	resource.res.pitch2D.width = 2;
	resource.res.pitch2D.height = 2;
	resource.res.pitch2D.pitchInBytes = PITCH;
	desc.readMode = cudaReadModeNormalizedFloat;
	desc.normalizedCoords = 1;
	texture = texture_new(&resource, &desc);
	fetch_pixels<<<1, 4>>>(out, texture, 2, 2);
	ck_assert_success(cudaMemcpy(values, out, sizeof(values),
				     cudaMemcpyDeviceToHost));
	ck_assert(values[0].x == 0 && values[0].w == 1);
	ck_assert(values[0].y > 0.199F && values[0].y < 0.201F);
	ck_assert(values[1].x == 1 && values[2].y == 1 && values[3].z == 1);
	ck_assert_success(cudaDestroyTextureObject(texture));
	ck_assert_success(cudaFree(out));
	ck_assert_success(cudaFree(memory));
}
END_TEST

START_TEST(surface_is_written)
{
	cudaArray_t array = plane_new(cudaArraySurfaceLoadStore);
	struct cudaResourceDesc resource = array_resource(array), told;
	cudaSurfaceObject_t surface;
	float values[COUNT];

	ck_assert_success(cudaCreateSurfaceObject(&surface, &resource));
	ck_assert_success(cudaGetSurfaceObjectResourceDesc(&told, surface));
	ck_assert_ptr_eq(told.res.array.array, array);
	add_surface<<<1, COUNT>>>(surface, 100, WIDTH, HEIGHT);
	ck_assert_success(cudaMemcpy2DFromArray(
		values, WIDTH * sizeof(float), array, 0, 0,
		WIDTH * sizeof(float), HEIGHT, cudaMemcpyDeviceToHost));
	for (int i = 0; i < COUNT; i++)
		ck_assert(values[i] == (float)i + 100);
	ck_assert_success(cudaDestroySurfaceObject(surface));
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

START_TEST(object_tells_what_it_was_made_from)
{
	struct cudaTextureDesc desc = {}, told_desc = {};
	cudaArray_t array = plane_new(0);
	struct cudaResourceDesc resource = array_resource(array), told = {};
	struct cudaResourceViewDesc view = {};
	cudaTextureObject_t texture;

	desc.addressMode[0] = cudaAddressModeMirror;
	desc.filterMode = cudaFilterModeLinear;
	desc.readMode = cudaReadModeElementType;
	desc.normalizedCoords = 1;
	desc.borderColor[2] = 0.25F;
	texture = texture_new(&resource, &desc);
	ck_assert_success(cudaGetTextureObjectResourceDesc(&told, texture));
	ck_assert_int_eq(told.resType, cudaResourceTypeArray);
	ck_assert_ptr_eq(told.res.array.array, array);
	ck_assert_success(cudaGetTextureObjectTextureDesc(&told_desc, texture));
	ck_assert_int_eq(told_desc.addressMode[0], cudaAddressModeMirror);
	ck_assert_int_eq(told_desc.filterMode, cudaFilterModeLinear);
	ck_assert_int_eq(told_desc.readMode, cudaReadModeElementType);
	ck_assert_int_eq(told_desc.normalizedCoords, 1);
	ck_assert(told_desc.borderColor[2] == 0.25F);
	ck_assert_cuda(cudaGetTextureObjectResourceViewDesc(&view, texture),
		       cudaErrorInvalidValue);
	ck_assert_success(cudaDestroyTextureObject(texture));
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

START_TEST(surface_needs_an_array_made_for_it)
{
	cudaArray_t array = plane_new(0);
	struct cudaResourceDesc resource = array_resource(array);
	cudaSurfaceObject_t surface;

	ck_assert_cuda(cudaCreateSurfaceObject(&surface, &resource),
		       cudaErrorInvalidValue);
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

START_TEST(texture_of_memory_has_to_be_aligned)
{
	struct cudaResourceDesc resource = {};
	struct cudaTextureDesc desc = {};
	cudaTextureObject_t texture;
	char *memory;

	ck_assert_success(cudaMalloc((void **)&memory, 4096));
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = memory + 4;
	resource.res.linear.desc = cudaCreateChannelDesc<int>();
	resource.res.linear.sizeInBytes = 1024;
	ck_assert_cuda(
		cudaCreateTextureObject(&texture, &resource, &desc, NULL),
		cudaErrorInvalidValue);
	ck_assert_success(cudaFree(memory));
}
END_TEST

static void flag_wait(void *flag)
{
	while (!__atomic_load_n((int *)flag, __ATOMIC_ACQUIRE))
		sched_yield();
}

START_TEST(kernel_sees_a_texture_that_is_destroyed_behind_its_launch)
{
	struct cudaTextureDesc desc = {};
	cudaArray_t array = plane_new(0);
	struct cudaResourceDesc resource = array_resource(array);
	cudaTextureObject_t texture = texture_new(&resource, &desc), next;
	float values[COUNT] = {}, *out;
	cudaStream_t stream;
	int flag = 0;

	ck_assert_success(cudaStreamCreate(&stream));
	ck_assert_success(cudaMalloc((void **)&out, sizeof(values)));
	ck_assert_success(cudaLaunchHostFunc(stream, flag_wait, &flag));
	fetch_plane<<<1, COUNT, 0, stream>>>(out, texture, 0.5F, WIDTH, HEIGHT);
	ck_assert_success(cudaDestroyTextureObject(texture));
	desc.filterMode = cudaFilterModeLinear;
	next = texture_new(&resource, &desc);
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	ck_assert_success(cudaStreamSynchronize(stream));
	ck_assert_success(cudaMemcpy(values, out, sizeof(values),
				     cudaMemcpyDeviceToHost));
	for (int i = 0; i < COUNT; i++)
		ck_assert(values[i] == (float)i);
	ck_assert_success(cudaDestroyTextureObject(next));
	ck_assert_success(cudaFree(out));
	ck_assert_success(cudaStreamDestroy(stream));
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		texture_shows_an_array,
		linear_filter_takes_the_mean_of_neighbours,
		border_is_outside_of_the_array,
		texture_shows_linear_memory,
		bytes_are_read_as_parts_of_one,
		surface_is_written,
		object_tells_what_it_was_made_from,
		surface_needs_an_array_made_for_it,
		texture_of_memory_has_to_be_aligned,
		kernel_sees_a_texture_that_is_destroyed_behind_its_launch,
		NULL,
	};

	return claims_run("runtime_textures", tests);
}
