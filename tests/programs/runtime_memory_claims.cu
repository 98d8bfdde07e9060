/* What the CUDA runtime promises about memory, errors and contexts. It is true
 * of NVIDIA's runtime and of the simulated one. */
#include <pthread.h>
#include <string.h>

#include "claims.h"

static const size_t far_too_much = (size_t)1 << 50;

START_TEST(malloc_of_nothing_succeeds_with_null)
{
	void *ptr = &ptr;

	ck_assert_success(cudaMalloc(&ptr, 0));
	ck_assert_ptr_null(ptr);
}
END_TEST

START_TEST(every_alloc_of_nothing_succeeds_with_null)
{
	void *plain = &plain, *managed = &managed, *pinned = &pinned;
	void *pitched = &pitched, *ordered = &ordered;
	size_t pitch = 7;

	ck_assert_success(cudaMallocHost(&plain, 0));
	ck_assert_ptr_null(plain);
	ck_assert_success(cudaHostAlloc(&pinned, 0, 0));
	ck_assert_ptr_null(pinned);
	ck_assert_success(cudaMallocManaged(&managed, 0));
	ck_assert_ptr_null(managed);
	ck_assert_success(cudaMallocPitch(&pitched, &pitch, 0, 4));
	ck_assert_ptr_null(pitched);
	ck_assert_uint_eq(pitch, 0);
	ck_assert_success(cudaMallocAsync(&ordered, 0, 0));
	ck_assert_ptr_null(ordered);
	ck_assert_success(cudaFreeAsync(NULL, 0));
}
END_TEST

START_TEST(every_alloc_without_room_yields_null)
{
	void *managed = &managed, *pinned = &pinned;
	void *pitched = &pitched, *ordered = &ordered;
	size_t pitch = 7;

	ck_assert_cuda(cudaMallocAsync(&ordered, far_too_much, 0),
		       cudaErrorMemoryAllocation);
	ck_assert_ptr_null(ordered);
	ck_assert_cuda(cudaMallocManaged(&managed, far_too_much),
		       cudaErrorMemoryAllocation);
	ck_assert_ptr_null(managed);
	ck_assert_cuda(cudaMallocHost(&pinned, far_too_much),
		       cudaErrorMemoryAllocation);
	ck_assert_ptr_null(pinned);
	ck_assert_cuda(
		cudaMallocPitch(&pitched, &pitch, far_too_much / 1024, 1024),
		cudaErrorMemoryAllocation);
	ck_assert_ptr_null(pitched);
	ck_assert_uint_eq(pitch, far_too_much / 1024);
}
END_TEST

START_TEST(malloc_aligns_to_256_bytes)
{
	void *first, *second;

	ck_assert_success(cudaMalloc(&first, 1));
	ck_assert_success(cudaMalloc(&second, 1));
	ck_assert_uint_eq((size_t)first % 256, 0);
	ck_assert_uint_eq((size_t)second % 256, 0);
	ck_assert_ptr_ne(first, second);
}
END_TEST

START_TEST(malloc_without_room_yields_null)
{
	void *ptr = &ptr;

	ck_assert_cuda(cudaMalloc(&ptr, far_too_much),
		       cudaErrorMemoryAllocation);
	ck_assert_ptr_null(ptr);
}
END_TEST

START_TEST(out_of_memory_does_not_stick_to_the_device)
{
	void *ptr;

	ck_assert_cuda(cudaMalloc(&ptr, far_too_much),
		       cudaErrorMemoryAllocation);
	ck_assert_success(cudaMalloc(&ptr, 1024));
	ck_assert_success(cudaMemset(ptr, 0, 1024));
	ck_assert_success(cudaDeviceSynchronize());
}
END_TEST

START_TEST(success_does_not_clear_the_last_error)
{
	void *ptr;

	ck_assert_cuda(cudaMalloc(&ptr, far_too_much),
		       cudaErrorMemoryAllocation);
	ck_assert_success(cudaMalloc(&ptr, 1024));
	ck_assert_cuda(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
	ck_assert_cuda(cudaGetLastError(), cudaErrorMemoryAllocation);
	ck_assert_success(cudaGetLastError());
}
END_TEST

static void *thread_last_error(void *result)
{
	*(cudaError_t *)result = cudaPeekAtLastError();
	return NULL;
}

START_TEST(last_error_belongs_to_the_thread)
{
	cudaError_t other = cudaErrorUnknown;
	pthread_t thread;
	void *ptr;

	ck_assert_cuda(cudaMalloc(&ptr, far_too_much),
		       cudaErrorMemoryAllocation);
	pthread_create(&thread, NULL, thread_last_error, &other);
	pthread_join(thread, NULL);
	ck_assert_success(other);
	ck_assert_cuda(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
}
END_TEST

START_TEST(free_of_null_succeeds_and_makes_a_context)
{
	ck_assert_ptr_null(context_current());
	ck_assert_success(cudaFree(NULL));
	ck_assert_ptr_nonnull(context_current());
	ck_assert_success(cudaGetLastError());
}
END_TEST

START_TEST(free_twice_is_an_error)
{
	void *ptr;

	ck_assert_success(cudaMalloc(&ptr, 1024));
	ck_assert_success(cudaFree(ptr));
	ck_assert_cuda(cudaFree(ptr), cudaErrorInvalidValue);
}
END_TEST

START_TEST(free_of_foreign_memory_is_an_error)
{
	int local;

	ck_assert_cuda(cudaFree(&local), cudaErrorInvalidValue);
	ck_assert_cuda(cudaGetLastError(), cudaErrorInvalidValue);
}
END_TEST

START_TEST(free_takes_stream_ordered_memory)
{
	cudaStream_t stream;
	void *ptr;

	ck_assert_success(cudaStreamCreate(&stream));
	ck_assert_success(cudaMallocAsync(&ptr, 1024, stream));
	ck_assert_success(cudaStreamSynchronize(stream));
	ck_assert_success(cudaFree(ptr));
}
END_TEST

START_TEST(malloc_async_may_be_the_first_call)
{
	void *ptr = NULL;

	ck_assert_success(cudaMallocAsync(&ptr, 1024, 0));
	ck_assert_ptr_nonnull(ptr);
	ck_assert_success(cudaGetLastError());
	ck_assert_success(cudaFreeAsync(ptr, 0));
	ck_assert_success(cudaDeviceSynchronize());
}
END_TEST

START_TEST(mem_get_info_takes_null)
{
	size_t free_bytes = 0, total_bytes = 0;

	ck_assert_success(cudaMemGetInfo(NULL, &total_bytes));
	ck_assert_success(cudaMemGetInfo(&free_bytes, NULL));
	ck_assert_uint_gt(free_bytes, 0);
	ck_assert_uint_ge(total_bytes, free_bytes);
}
END_TEST

START_TEST(pitch_covers_the_width_and_keeps_rows_aligned)
{
	size_t pitch = 0;
	void *ptr;

	ck_assert_success(cudaMallocPitch(&ptr, &pitch, 100, 7));
	ck_assert_uint_ge(pitch, 100);
	ck_assert_uint_eq(pitch % 32, 0);
	ck_assert_success(cudaMemset2D(ptr, pitch, 1, 100, 7));
	ck_assert_success(cudaFree(ptr));
}
END_TEST

START_TEST(malloc_3d_tells_its_extent)
{
	struct cudaPitchedPtr ptr;
	struct cudaExtent extent = make_cudaExtent(100, 3, 2);

	ck_assert_success(cudaMalloc3D(&ptr, extent));
	ck_assert_uint_ge(ptr.pitch, 100);
	ck_assert_uint_eq(ptr.xsize, 100);
	ck_assert_uint_eq(ptr.ysize, 3);
	ck_assert_success(cudaFree(ptr.ptr));
}
END_TEST

static cudaMemoryType type_of(const void *ptr)
{
	struct cudaPointerAttributes attributes;

	ck_assert_success(cudaPointerGetAttributes(&attributes, ptr));
	return attributes.type;
}

START_TEST(pointer_attributes_tell_the_kind_of_memory)
{
	int local;
	void *device, *pinned, *managed;

	ck_assert_success(cudaMalloc(&device, 1024));
	ck_assert_success(cudaMallocHost(&pinned, 1024));
	ck_assert_success(cudaMallocManaged(&managed, 1024));
	ck_assert_int_eq(type_of(device), cudaMemoryTypeDevice);
	ck_assert_int_eq(type_of((char *)device + 1000), cudaMemoryTypeDevice);
	ck_assert_int_eq(type_of(pinned), cudaMemoryTypeHost);
	ck_assert_int_eq(type_of(managed), cudaMemoryTypeManaged);
	ck_assert_int_eq(type_of(&local), cudaMemoryTypeUnregistered);
	ck_assert_success(cudaFree(device));
	ck_assert_success(cudaFreeHost(pinned));
	ck_assert_success(cudaFree(managed));
}
END_TEST

START_TEST(managed_memory_can_be_written_by_the_host)
{
	unsigned char copy[16] = {0};
	unsigned char *managed;

	ck_assert_success(cudaMallocManaged((void **)&managed, 16));
	memset(managed, 7, 16);
	ck_assert_success(cudaMemcpy(copy, managed, 16, cudaMemcpyDefault));
	ck_assert_int_eq(copy[15], 7);
}
END_TEST

START_TEST(pinned_memory_has_a_device_address)
{
	void *pinned, *device = NULL;

	ck_assert_success(cudaHostAlloc(&pinned, 1024, cudaHostAllocMapped));
	ck_assert_success(cudaHostGetDevicePointer(&device, pinned, 0));
	ck_assert_ptr_nonnull(device);
	ck_assert_success(cudaFreeHost(pinned));
}
END_TEST

START_TEST(registered_memory_is_pinned_until_unregistered)
{
	void *memory = aligned_alloc(4096, 8192);

	ck_assert_success(cudaHostRegister(memory, 8192, 0));
	ck_assert_int_eq(type_of(memory), cudaMemoryTypeHost);
	ck_assert_success(cudaHostUnregister(memory));
	ck_assert_int_eq(type_of(memory), cudaMemoryTypeUnregistered);
	free(memory);
}
END_TEST

START_TEST(get_device_makes_no_context)
{
	int device = -1;

	ck_assert_success(cudaGetDevice(&device));
	ck_assert_int_eq(device, 0);
	ck_assert_ptr_null(context_current());
}
END_TEST

START_TEST(set_device_makes_the_context_current_at_once)
{
	ck_assert_success(cudaSetDevice(0));
	ck_assert_ptr_nonnull(context_current());
}
END_TEST

START_TEST(set_device_refuses_a_device_that_is_not_there)
{
	int device = -1;

	ck_assert_cuda(cudaSetDevice(1000), cudaErrorInvalidDevice);
	ck_assert_success(cudaGetDevice(&device));
	ck_assert_int_eq(device, 0);
}
END_TEST

static void *thread_context(void *result)
{
	if (cudaFree(NULL) == cudaSuccess)
		*(CUcontext *)result = context_current();
	return NULL;
}

START_TEST(threads_share_the_primary_context)
{
	CUcontext other = NULL;
	pthread_t thread;

	ck_assert_success(cudaFree(NULL));
	pthread_create(&thread, NULL, thread_context, &other);
	pthread_join(thread, NULL);
	ck_assert_ptr_nonnull(other);
	ck_assert_ptr_eq(other, context_current());
}
END_TEST

START_TEST(a_context_of_the_program_is_used_as_it_is)
{
	typedef CUresult (*create_function)(CUcontext *, unsigned, CUdevice);
	auto create = driver_entry<create_function>("cuCtxCreate", 3020);
	CUcontext own = NULL;
	void *ptr;

	ck_assert_ptr_null(context_current());
	ck_assert_int_eq(create(&own, 0, 0), CUDA_SUCCESS);
	ck_assert_success(cudaMalloc(&ptr, 1024));
	ck_assert_ptr_eq(context_current(), own);
	ck_assert_success(cudaFree(ptr));
}
END_TEST

START_TEST(device_reset_frees_all_and_the_next_call_starts_anew)
{
	size_t before = 0, after = 0;
	void *old, *ptr;

	ck_assert_success(cudaMalloc(&old, 64 << 20));
	ck_assert_success(cudaMemGetInfo(&before, NULL));
	ck_assert_success(cudaDeviceReset());
	ck_assert_success(cudaMemGetInfo(&after, NULL));
	ck_assert_uint_ge(after, before + (64 << 20));
	ck_assert_success(cudaMalloc(&ptr, 1024));
	ck_assert_success(cudaMemset(ptr, 0, 1024));
	ck_assert_success(cudaFree(ptr));
}
END_TEST

START_TEST(device_reset_may_be_the_first_call)
{
	void *ptr;

	ck_assert_success(cudaDeviceReset());
	ck_assert_success(cudaMalloc(&ptr, 1024));
	ck_assert_success(cudaDeviceReset());
	ck_assert_success(cudaMalloc(&ptr, 1024));
}
END_TEST

START_TEST(properties_agree_with_attributes)
{
	struct cudaDeviceProp prop;
	int warp = 0, major = 0;

	ck_assert_success(cudaGetDeviceProperties(&prop, 0));
	ck_assert_success(
		cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
	ck_assert_success(cudaDeviceGetAttribute(
		&major, cudaDevAttrComputeCapabilityMajor, 0));
	ck_assert_int_eq(prop.warpSize, warp);
	ck_assert_int_eq(prop.major, major);
	ck_assert_uint_gt(prop.totalGlobalMem, 0);
	ck_assert_int_gt((int)strlen(prop.name), 0);
}
END_TEST

START_TEST(driver_entry_that_is_not_there_is_null_and_success)
{
	enum cudaDriverEntryPointQueryResult status =
		cudaDriverEntryPointSuccess;
	void *entry = &entry;

	ck_assert_success(cudaGetDriverEntryPointByVersion(
		"cuNoSuchEntry", &entry, 13000, cudaEnableDefault, &status));
	ck_assert_ptr_null(entry);
	ck_assert_int_eq(status, cudaDriverEntryPointSymbolNotFound);
}
END_TEST

static const TTest *const tests[] = {
	malloc_of_nothing_succeeds_with_null,
	every_alloc_of_nothing_succeeds_with_null,
	every_alloc_without_room_yields_null,
	malloc_aligns_to_256_bytes,
	malloc_without_room_yields_null,
	out_of_memory_does_not_stick_to_the_device,
	success_does_not_clear_the_last_error,
	last_error_belongs_to_the_thread,
	free_of_null_succeeds_and_makes_a_context,
	free_twice_is_an_error,
	free_of_foreign_memory_is_an_error,
	free_takes_stream_ordered_memory,
	malloc_async_may_be_the_first_call,
	mem_get_info_takes_null,
	pitch_covers_the_width_and_keeps_rows_aligned,
	malloc_3d_tells_its_extent,
	pointer_attributes_tell_the_kind_of_memory,
	managed_memory_can_be_written_by_the_host,
	pinned_memory_has_a_device_address,
	registered_memory_is_pinned_until_unregistered,
	get_device_makes_no_context,
	set_device_makes_the_context_current_at_once,
	set_device_refuses_a_device_that_is_not_there,
	threads_share_the_primary_context,
	a_context_of_the_program_is_used_as_it_is,
	device_reset_frees_all_and_the_next_call_starts_anew,
	device_reset_may_be_the_first_call,
	properties_agree_with_attributes,
	driver_entry_that_is_not_there_is_null_and_success,
	NULL,
};

int main(void)
{
	return claims_run("runtime memory", tests);
}
