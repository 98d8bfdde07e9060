#include "claims.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A module without a kernel, to be linked with others. */
static const char more_ptx[] = ".version 6.4\n.target sm_50\n"
			       ".address_size 64\n"
			       ".visible .global .align 4 .u32 more = 3;\n";

static CUlinkState link_new(void)
{
	CUlinkState link;

	ck_assert_ok(cuLinkCreate(0, NULL, NULL, &link));
	return link;
}

static void text_add(CUlinkState link, const char *text, const char *name)
{
	ck_assert_ok(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text,
				   strlen(text) + 1, name, 0, NULL, NULL));
}

/* Loads the linked image, runs its kernel and returns a number of its. */
static int image_run(const void *image)
{
	CUdeviceptr numbers = claims_numbers();
	CUmodule module;
	CUfunction add;

	ck_assert_ok(cuModuleLoadData(&module, image));
	ck_assert_ok(cuModuleGetFunction(&add, module, "add"));
	ck_assert_ok(claims_add(add, numbers, 6, CLAIMS_COUNT, NULL));
	return claims_number(numbers, 9);
}

START_TEST(linked_texts_are_an_image)
{
	CUlinkState link;
	size_t size = 0;
	void *image;

	claims_open();
	link = link_new();
	text_add(link, claims_ptx, "add.ptx");
	text_add(link, more_ptx, "more.ptx");
	ck_assert_ok(cuLinkComplete(link, &image, &size));
	ck_assert_ptr_nonnull(image);
	ck_assert_uint_gt(size, 0);
	ck_assert_int_eq(image_run(image), 6);
	ck_assert_ok(cuLinkDestroy(link));
}
END_TEST

START_TEST(variables_of_all_texts_are_there)
{
	CUlinkState link;
	CUdeviceptr more;
	CUmodule module;
	unsigned found;
	size_t size;
	void *image;

	claims_open();
	link = link_new();
	text_add(link, claims_ptx, "add.ptx");
	text_add(link, more_ptx, "more.ptx");
	ck_assert_ok(cuLinkComplete(link, &image, &size));
	ck_assert_ok(cuModuleLoadData(&module, image));
	ck_assert_ok(cuLinkDestroy(link));
	ck_assert_ok(cuModuleGetGlobal(&more, &size, module, "more"));
	ck_assert_uint_eq(size, 4);
	ck_assert_ok(cuMemcpyDtoH(&found, more, sizeof(found)));
	ck_assert_uint_eq(found, 3);
}
END_TEST

START_TEST(file_is_linked)
{
	char path[] = "/tmp/link_XXXXXX";
	int fd = mkstemp(path);
	CUlinkState link;
	size_t length = strlen(claims_ptx), size;
	void *image;

	claims_open();
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, claims_ptx, length), length);
	close(fd);
	link = link_new();
	ck_assert_ok(
		cuLinkAddFile(link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
	unlink(path);
	ck_assert_ok(cuLinkComplete(link, &image, &size));
	ck_assert_int_eq(image_run(image), 6);
	ck_assert_cu(cuLinkAddFile(link_new(), CU_JIT_INPUT_PTX, path, 0, NULL,
				   NULL),
		     CUDA_ERROR_FILE_NOT_FOUND);
}
END_TEST

START_TEST(logs_and_the_time_are_answered)
{
	char info[512], error[512];
	CUjit_option names[] = {CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER,
				CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
				CU_JIT_ERROR_LOG_BUFFER,
				CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {NULL, info, (void *)(uintptr_t)sizeof(info), error,
			  (void *)(uintptr_t)sizeof(error)};
	CUlinkState link;
	float ms = -1;
	size_t size;
	void *image;

	claims_open();
	ck_assert_ok(cuLinkCreate(5, names, values, &link));
	text_add(link, claims_ptx, "add.ptx");
	ck_assert_ok(cuLinkComplete(link, &image, &size));
	memcpy(&ms, &values[0], sizeof(ms));
	ck_assert(ms >= 0);
	ck_assert_uint_lt((uintptr_t)values[2], sizeof(info));
	ck_assert_uint_lt((uintptr_t)values[4], sizeof(error));
}
END_TEST

/* The names of its options are gone when it returns; the values stay. */
static CUlinkState link_with_log(void **values)
{
	CUjit_option names[] = {CU_JIT_INFO_LOG_BUFFER,
				CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
	CUlinkState link;

	ck_assert_ok(cuLinkCreate(2, names, values, &link));
	names[0] = names[1] = CU_JIT_MAX_REGISTERS;
	return link;
}

START_TEST(link_keeps_the_names_of_its_options)
{
	char info[512];
	void *values[] = {info, (void *)(uintptr_t)sizeof(info)};
	CUlinkState link;
	size_t size;
	void *image;

	claims_open();
	link = link_with_log(values);
	text_add(link, claims_ptx, "add.ptx");
	ck_assert_ok(cuLinkComplete(link, &image, &size));
	ck_assert_uint_lt((uintptr_t)values[1], sizeof(info));
	ck_assert_ok(cuLinkDestroy(link));
}
END_TEST

START_TEST(text_that_is_no_ptx_is_an_error_with_a_log)
{
	char error[512] = "";
	CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER,
				CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {error, (void *)(uintptr_t)sizeof(error)};
	char text[] = "this is no device code";
	CUlinkState link;

	claims_open();
	ck_assert_ok(cuLinkCreate(2, names, values, &link));
	ck_assert_cu(cuLinkAddData(link, CU_JIT_INPUT_PTX, text, sizeof(text),
				   "broken.ptx", 0, NULL, NULL),
		     CUDA_ERROR_INVALID_PTX);
	ck_assert_uint_gt(strlen(error), 0);
	ck_assert_ok(cuLinkDestroy(link));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		linked_texts_are_an_image,
		variables_of_all_texts_are_there,
		file_is_linked,
		logs_and_the_time_are_answered,
		link_keeps_the_names_of_its_options,
		text_that_is_no_ptx_is_an_error_with_a_log,
		NULL,
	};

	return claims_run("link", tests);
}
