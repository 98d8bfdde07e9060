#include "claims.h"

#include <string.h>

static const char image[] =
	".version 6.4\n.target sm_50\n.address_size 64\n"
	"// .globl nothing\n"
	".visible .global .align 4 .u32 counter = 7;\n"
	".visible .const .align 8 .f64 scales[3] = {0d3FF0000000000000,\n"
	"    0dC000000000000000}; /* 1, -2 and 0 */\n"
	".visible .global .align 2 .u16 open[] = {1, 2, 3, 65535};\n"
	".visible .global .align 16 .v4 .f32 quads[2][5];\n"
	".visible .global .attribute(.managed) .align 4 .s32 shared = -3;\n"
	".visible .entry none()\n{\n  ret;\n}\n"
	".visible .global .align 1 .b8 behind[100];\n";

static CUmodule module_new(void)
{
	CUmodule module;

	ck_assert_ok(cuModuleLoadData(&module, image));
	return module;
}

static size_t size_of(CUmodule module, const char *name)
{
	CUdeviceptr addr = 0;
	size_t size = 0;

	ck_assert_ok(cuModuleGetGlobal(&addr, &size, module, name));
	ck_assert_uint_ne(addr, 0);
	return size;
}

/* Reads a variable that has this size. */
static void variable_read(CUmodule module, const char *name, void *value,
			  size_t size)
{
	CUdeviceptr addr;
	size_t found;

	ck_assert_ok(cuModuleGetGlobal(&addr, &found, module, name));
	ck_assert_uint_eq(found, size);
	ck_assert_ok(cuMemcpyDtoH(value, addr, size));
}

START_TEST(variable_has_the_size_of_its_type)
{
	CUmodule module;

	claims_open();
	module = module_new();
	ck_assert_uint_eq(size_of(module, "counter"), 4);
	ck_assert_uint_eq(size_of(module, "scales"), 24);
	ck_assert_uint_eq(size_of(module, "open"), 8);
	ck_assert_uint_eq(size_of(module, "quads"), 160);
	ck_assert_uint_eq(size_of(module, "behind"), 100);
}
END_TEST

START_TEST(variable_begins_with_its_value)
{
	double scales[3] = {9, 9, 9};
	unsigned short open[4];
	unsigned counter = 0;
	CUmodule module;
	float quads[40];

	claims_open();
	module = module_new();
	variable_read(module, "counter", &counter, sizeof(counter));
	ck_assert_uint_eq(counter, 7);
	variable_read(module, "scales", scales, sizeof(scales));
	ck_assert_double_eq(scales[0], 1);
	ck_assert_double_eq(scales[1], -2);
	ck_assert_double_eq(scales[2], 0);
	variable_read(module, "open", open, sizeof(open));
	ck_assert_uint_eq(open[3], 65535);
	variable_read(module, "quads", quads, sizeof(quads));
	ck_assert_double_eq(quads[39], 0);
}
END_TEST

START_TEST(variable_keeps_what_is_copied_to_it)
{
	unsigned value = 1234, found = 0;
	CUdeviceptr addr, again;
	CUmodule module;

	claims_open();
	module = module_new();
	ck_assert_ok(cuModuleGetGlobal(&addr, NULL, module, "counter"));
	ck_assert_ok(cuMemcpyHtoD(addr, &value, sizeof(value)));
	ck_assert_ok(cuModuleGetGlobal(&again, NULL, module, "counter"));
	ck_assert_uint_eq(again, addr);
	variable_read(module, "counter", &found, sizeof(found));
	ck_assert_uint_eq(found, 1234);
}
END_TEST

START_TEST(each_module_has_variables_of_its_own)
{
	CUdeviceptr first, second;

	claims_open();
	ck_assert_ok(cuModuleGetGlobal(&first, NULL, module_new(), "counter"));
	ck_assert_ok(cuModuleGetGlobal(&second, NULL, module_new(), "counter"));
	ck_assert_uint_ne(first, second);
}
END_TEST

START_TEST(variable_is_memory_that_cannot_be_freed)
{
	CUmemorytype type = 0;
	CUdeviceptr addr;

	claims_open();
	ck_assert_ok(cuModuleGetGlobal(&addr, NULL, module_new(), "behind"));
	ck_assert_ok(cuPointerGetAttribute(
		&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addr));
	ck_assert_int_eq(type, CU_MEMORYTYPE_DEVICE);
	ck_assert_cu(cuMemFree(addr), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(variable_of_an_unknown_name_is_not_found)
{
	CUdeviceptr addr;
	CUmodule module;
	size_t size;

	claims_open();
	module = module_new();
	ck_assert_cu(cuModuleGetGlobal(&addr, &size, module, "no_such"),
		     CUDA_ERROR_NOT_FOUND);
	ck_assert_cu(cuModuleGetGlobal(&addr, &size, module, "none"),
		     CUDA_ERROR_NOT_FOUND);
	ck_assert_cu(cuModuleGetGlobal(&addr, &size, module, NULL),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(library_has_variables_and_managed_ones)
{
	CUlibrary library;
	CUdeviceptr addr = 0;
	size_t size = 0;
	int value = 0;

	claims_open();
	ck_assert_ok(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL,
				       NULL, 0));
	ck_assert_ok(cuLibraryGetGlobal(&addr, &size, library, "scales"));
	ck_assert_uint_eq(size, 24);
	ck_assert_ok(cuLibraryGetManaged(&addr, &size, library, "shared"));
	ck_assert_uint_eq(size, 4);
	ck_assert_ok(cuMemcpyDtoH(&value, addr, sizeof(value)));
	ck_assert_int_eq(value, -3);
	ck_assert_cu(cuLibraryGetManaged(&addr, &size, library, "scales"),
		     CUDA_ERROR_NOT_FOUND);
	ck_assert_ok(cuLibraryUnload(library));
}
END_TEST

START_TEST(memory_of_variables_goes_with_the_module)
{
	CUmemorytype type;
	CUdeviceptr addr;
	CUmodule module;

	claims_open();
	module = module_new();
	ck_assert_ok(cuModuleGetGlobal(&addr, NULL, module, "behind"));
	ck_assert_ok(cuModuleUnload(module));
	ck_assert_cu(cuPointerGetAttribute(
			     &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addr),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(context_that_ends_takes_its_variables_along)
{
	CUcontext ctx;
	CUdevice device;
	CUdeviceptr addr;
	CUlibrary library;

	claims_open();
	ck_assert_ok(cuDeviceGet(&device, 0));
	ck_assert_ok(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL,
				       NULL, 0));
	ck_assert_ok(cuCtxCreate(&ctx, NULL, 0, device));
	ck_assert_ok(cuLibraryGetGlobal(&addr, NULL, library, "counter"));
	ck_assert_ok(cuCtxDestroy(ctx));
	claims_open();
	ck_assert_ok(cuLibraryGetGlobal(&addr, NULL, library, "counter"));
	ck_assert_ok(cuMemsetD32(addr, 1, 1));
	ck_assert_ok(cuLibraryUnload(library));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		variable_has_the_size_of_its_type,
		variable_begins_with_its_value,
		variable_keeps_what_is_copied_to_it,
		each_module_has_variables_of_its_own,
		variable_is_memory_that_cannot_be_freed,
		variable_of_an_unknown_name_is_not_found,
		library_has_variables_and_managed_ones,
		memory_of_variables_goes_with_the_module,
		context_that_ends_takes_its_variables_along,
		NULL,
	};

	return claims_run("global", tests);
}
