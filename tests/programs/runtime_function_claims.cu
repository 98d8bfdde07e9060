/* What the CUDA runtime promises about functions, libraries, attributes of
 * streams and objects of graphs. It is true of NVIDIA's runtime and of the
 * simulated one. */
#include <semaphore.h>
#include <string.h>

#include "claims.h"
#include "runtime_function_claims_kernels.cuh"

START_TEST(function_takes_attributes_and_tells_them)
{
	struct cudaFuncAttributes attributes;
	const char *name = NULL;
	size_t offset = 0, size = 0;

	ck_assert_success(
		cudaFuncSetCacheConfig(add_step, cudaFuncCachePreferL1));
	ck_assert_success(cudaFuncSetAttribute(
		add_step, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
	ck_assert_success(cudaFuncGetAttributes(&attributes, add_step));
	ck_assert_int_eq(attributes.maxDynamicSharedSizeBytes, 1000);
	ck_assert_int_ge(attributes.maxThreadsPerBlock, 1);
	ck_assert_success(cudaFuncGetName(&name, (const void *)add_step));
	ck_assert_str_eq(name, "add_step");
	ck_assert_success(cudaFuncGetParamInfo((const void *)add_step, 1,
					       &offset, &size));
	ck_assert_uint_eq(offset, sizeof(int *));
	ck_assert_uint_eq(size, sizeof(int));
}
END_TEST

START_TEST(what_is_no_kernel_has_no_attributes)
{
	static int on_host;

	ck_assert_cuda(cudaFuncSetCacheConfig((const void *)&on_host,
					      cudaFuncCachePreferL1),
		       cudaErrorInvalidDeviceFunction);
	ck_assert_cuda(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
}
END_TEST

START_TEST(occupancy_leaves_shared_memory)
{
	int blocks = 0, grid = 0, block = 0;
	size_t shared = 0;

	ck_assert_success(
		cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_step));
	ck_assert_int_ge(grid, 1);
	ck_assert_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, add_step, block, 0));
	ck_assert_int_ge(blocks, 1);
	ck_assert_success(cudaOccupancyAvailableDynamicSMemPerBlock(
		&shared, add_step, 1, block));
	ck_assert_uint_gt(shared, 0);
}
END_TEST

START_TEST(cooperative_launch_runs_or_is_too_large)
{
	int values[64] = {}, step = 3, *on_device;
	void *args[] = {&on_device, &step};

	ck_assert_success(cudaMalloc((void **)&on_device, sizeof(values)));
	ck_assert_success(cudaMemset(on_device, 0, sizeof(values)));
	ck_assert_success(cudaLaunchCooperativeKernel((void *)add_step, dim3(2),
						      dim3(32), args));
	ck_assert_success(cudaMemcpy(values, on_device, sizeof(values),
				     cudaMemcpyDeviceToHost));
	ck_assert_int_eq(values[63], 3);
	ck_assert_cuda(cudaLaunchCooperativeKernel(
			       (void *)add_step, dim3(1 << 20), dim3(32), args),
		       cudaErrorCooperativeLaunchTooLarge);
}
END_TEST

START_TEST(device_keeps_its_configuration)
{
	cudaFuncCache config = cudaFuncCachePreferShared;
	size_t limit = 0;

	ck_assert_success(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
	ck_assert_success(cudaDeviceGetCacheConfig(&config));
	ck_assert_int_eq(config, cudaFuncCachePreferL1);
	ck_assert_success(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
	ck_assert_success(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
	ck_assert_uint_eq(limit, 2048);
	ck_assert_success(cudaCtxResetPersistingL2Cache());
	ck_assert_success(cudaDeviceGraphMemTrim(0));
}
END_TEST

START_TEST(stream_attributes_are_set_and_copied)
{
	cudaStreamAttrValue value = {};
	cudaStream_t from, to;

	ck_assert_success(cudaStreamCreate(&from));
	ck_assert_success(cudaStreamCreate(&to));
	value.syncPolicy = cudaSyncPolicyYield;
	ck_assert_success(cudaStreamSetAttribute(
		from, cudaStreamAttributeSynchronizationPolicy, &value));
	ck_assert_success(cudaStreamCopyAttributes(to, from));
	value.syncPolicy = cudaSyncPolicyAuto;
	ck_assert_success(cudaStreamGetAttribute(
		to, cudaStreamAttributeSynchronizationPolicy, &value));
	ck_assert_int_eq(value.syncPolicy, cudaSyncPolicyYield);
}
END_TEST

static void object_end(void *ended)
{
	sem_post((sem_t *)ended);
}

START_TEST(graph_ends_its_object)
{
	cudaUserObject_t object;
	cudaGraph_t graph;
	sem_t ended;

	sem_init(&ended, 0, 0);
	ck_assert_success(cudaUserObjectCreate(&object, &ended, object_end, 1,
					       cudaUserObjectNoDestructorSync));
	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(cudaGraphRetainUserObject(graph, object, 1));
	ck_assert_success(cudaUserObjectRelease(object));
	ck_assert_int_ne(sem_trywait(&ended), 0);
	ck_assert_success(cudaGraphDestroy(graph));
	ck_assert_int_eq(sem_wait(&ended), 0);
}
END_TEST

START_TEST(library_has_its_variables)
{
	static const char image[] =
		".version 6.4\n.target sm_50\n.address_size 64\n"
		".visible .global .align 4 .u32 counter = 7;\n";
	cudaLibrary_t library;
	void *addr = NULL;
	size_t size = 0;
	int value = 0;

	ck_assert_success(cudaLibraryLoadData(&library, image, NULL, NULL, 0,
					      NULL, NULL, 0));
	ck_assert_success(
		cudaLibraryGetGlobal(&addr, &size, library, "counter"));
	ck_assert_uint_eq(size, sizeof(value));
	ck_assert_success(cudaMemcpy(&value, addr, sizeof(value),
				     cudaMemcpyDeviceToHost));
	ck_assert_int_eq(value, 7);
	ck_assert_cuda(cudaLibraryGetGlobal(&addr, &size, library, "none"),
		       cudaErrorSymbolNotFound);
	ck_assert_success(cudaLibraryUnload(library));
}
END_TEST

START_TEST(library_lists_its_kernels)
{
	static const char image[] =
		".version 6.4\n.target sm_50\n.address_size 64\n"
		".visible .entry one() { ret; }\n"
		".visible .entry two() { ret; }\n";
	cudaLibrary_t library;
	cudaKernel_t kernels[3] = {};
	unsigned int count = 0;

	ck_assert_success(cudaLibraryLoadData(&library, image, NULL, NULL, 0,
					      NULL, NULL, 0));
	ck_assert_success(cudaLibraryGetKernelCount(&count, library));
	ck_assert_uint_eq(count, 2);
	ck_assert_success(cudaLibraryEnumerateKernels(kernels, 3, library));
	ck_assert_ptr_nonnull(kernels[1]);
	ck_assert_ptr_null(kernels[2]);
	ck_assert_success(cudaLibraryUnload(library));
}
END_TEST

START_TEST(a_device_is_chosen_by_its_properties)
{
	struct cudaDeviceProp wanted;
	int device = -1;

	ck_assert_success(cudaGetDeviceProperties(&wanted, 0));
	ck_assert_success(cudaChooseDevice(&device, &wanted));
	ck_assert_int_eq(device, 0);
	ck_assert_cuda(cudaChooseDevice(NULL, &wanted), cudaErrorInvalidValue);
}
END_TEST

START_TEST(box_is_filled_slice_by_slice)
{
	enum { WIDTH = 100, ROWS = 4, SLICES = 3 };
	struct cudaPitchedPtr box;
	unsigned char row[WIDTH];

	ck_assert_success(
		cudaMalloc3D(&box, make_cudaExtent(WIDTH, ROWS, SLICES)));
	ck_assert_success(
		cudaMemset3D(box, 1, make_cudaExtent(WIDTH, ROWS, SLICES)));
	ck_assert_success(cudaMemset3D(box, 2, make_cudaExtent(50, 2, SLICES)));
	ck_assert_success(
		cudaMemcpy(row, (char *)box.ptr + box.pitch * (2 * ROWS + 1),
			   WIDTH, cudaMemcpyDeviceToHost));
	ck_assert_int_eq(row[49], 2);
	ck_assert_int_eq(row[50], 1);
	ck_assert_success(
		cudaMemcpy(row, (char *)box.ptr + box.pitch * (2 * ROWS + 2),
			   WIDTH, cudaMemcpyDeviceToHost));
	ck_assert_int_eq(row[0], 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		function_takes_attributes_and_tells_them,
		what_is_no_kernel_has_no_attributes,
		occupancy_leaves_shared_memory,
		cooperative_launch_runs_or_is_too_large,
		device_keeps_its_configuration,
		stream_attributes_are_set_and_copied,
		graph_ends_its_object,
		library_has_its_variables,
		library_lists_its_kernels,
		a_device_is_chosen_by_its_properties,
		box_is_filled_slice_by_slice,
		NULL,
	};

	return claims_run("runtime_functions", tests);
}
