/* Modules and libraries, and the functions that they have. */
#include "claims.h"

/* A kernel with shared memory of its own. */
static const char shared_ptx[] =
	".version 6.4\n.target sm_50\n.address_size 64\n"
	".visible .entry store(.param .u64 to)\n"
	"{\n"
	"  .shared .align 4 .b8 room[4096];\n"
	"  .reg .b32 %value;\n"
	"  .reg .b64 %at;\n"
	"  mov.u32 %value, 7;\n"
	"  st.shared.u32 [room], %value;\n"
	"  ld.shared.u32 %value, [room];\n"
	"  ld.param.u64 %at, [to];\n"
	"  cvta.to.global.u64 %at, %at;\n"
	"  st.global.u32 [%at], %value;\n"
	"  ret;\n"
	"}\n";

static CUlibrary library_new(void)
{
	CUlibrary library;

	claims_open();
	ck_assert_ok(cuLibraryLoadData(&library, claims_ptx, NULL, NULL, 0,
				       NULL, NULL, 0));
	return library;
}

START_TEST(library_lists_its_kernels)
{
	CUlibrary library = library_new(), of;
	CUkernel kernels[2] = {0}, add;
	const char *name = NULL;
	unsigned count = 9;

	ck_assert_ok(cuLibraryGetKernelCount(&count, library));
	ck_assert_uint_eq(count, 1);
	ck_assert_ok(cuLibraryEnumerateKernels(kernels, 2, library));
	ck_assert_ok(cuLibraryGetKernel(&add, library, "add"));
	ck_assert_ptr_eq(kernels[0], add);
	ck_assert_ptr_null(kernels[1]);
	ck_assert_ok(cuKernelGetName(&name, add));
	ck_assert_str_eq(name, "add");
	ck_assert_ok(cuKernelGetLibrary(&of, add));
	ck_assert_ptr_eq(of, library);
}
END_TEST

START_TEST(module_lists_its_functions)
{
	CUfunction add, found = NULL;
	unsigned count = 9;
	CUmodule module;

	claims_open();
	add = claims_kernel();
	ck_assert_ok(cuFuncGetModule(&module, add));
	ck_assert_ok(cuModuleGetFunctionCount(&count, module));
	ck_assert_uint_eq(count, 1);
	ck_assert_ok(cuModuleEnumerateFunctions(&found, 1, module));
	ck_assert_ptr_eq(found, add);
	ck_assert_cu(cuModuleGetFunctionCount(NULL, module),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(module_of_a_library_ends_with_the_library_only)
{
	CUlibrary library = library_new();
	CUfunction add;
	CUmodule module;

	ck_assert_ok(cuLibraryGetModule(&module, library));
	ck_assert_ok(cuModuleGetFunction(&add, module, "add"));
	ck_assert_cu(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
	ck_assert_ok(cuLibraryUnload(library));
}
END_TEST

START_TEST(function_runs_in_no_other_context)
{
	CUdeviceptr numbers;
	CUcontext first = claims_open(), second;
	CUfunction add;

	numbers = claims_numbers();
	add = claims_kernel();
	ck_assert_ok(cuCtxCreate(&second, NULL, 0, 0));
	ck_assert_cu(claims_add(add, numbers, 1, CLAIMS_COUNT, NULL),
		     CUDA_ERROR_INVALID_HANDLE);
	ck_assert_ok(cuCtxSetCurrent(first));
	ck_assert_ok(claims_add(add, numbers, 1, CLAIMS_COUNT, NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 1);
}
END_TEST

static int attribute(CUfunction function, CUfunction_attribute what)
{
	int value = -1;

	ck_assert_ok(cuFuncGetAttribute(&value, what, function));
	return value;
}

START_TEST(static_shared_memory_counts_with_the_dynamic)
{
	const CUfunction_attribute dynamic =
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
	CUfunction store;
	CUmodule module;
	int most, own;

	claims_open();
	ck_assert_ok(cuModuleLoadData(&module, shared_ptx));
	ck_assert_ok(cuModuleGetFunction(&store, module, "store"));
	own = attribute(store, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
	ck_assert_int_ge(own, 4096);
	ck_assert_ok(cuDeviceGetAttribute(
		&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
		0));
	ck_assert_ok(cuFuncSetAttribute(store, dynamic, most - own));
	ck_assert_int_eq(attribute(store, dynamic), most - own);
	ck_assert_cu(cuFuncSetAttribute(store, dynamic, most - own + 1),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		library_lists_its_kernels,
		module_lists_its_functions,
		module_of_a_library_ends_with_the_library_only,
		function_runs_in_no_other_context,
		static_shared_memory_counts_with_the_dynamic,
		NULL,
	};

	return claims_run("module", tests);
}
